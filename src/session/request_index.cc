#include "session/request_index.h"

#include "model/pod.h"

namespace tutti::session {
namespace {

constexpr std::string_view kRequestAnnotation = "kueue.x-k8s.io/workload";

}  // namespace

RequestIndex::RequestIndex(const core::RequestTable& table) : table_(&table) {
  for (const auto& [name, request] : table.all()) {
    for (const model::OwnerReference& owner : request->object->meta.owners) {
      const core::Request*& known = by_owner_[owner.uid];
      // Of several the one that is not done speaks.
      if (known == nullptr || known->finished) known = request.get();
    }
  }
}

const core::Request* RequestIndex::of(const model::Object& object) const {
  if (table_ == nullptr) return nullptr;
  if (object.kind == model::Kind::admission_request) {
    return table_->find(object.meta.ns, object.meta.name);
  }
  if (object.kind == model::Kind::pod) {
    const std::string* name = model::find(object.meta.annotations, kRequestAnnotation);
    return name != nullptr ? table_->find(object.meta.ns, *name) : nullptr;
  }
  const auto at = by_owner_.find(object.meta.uid);
  return at != by_owner_.end() ? at->second : nullptr;
}

bool speaks_for_pods(const core::Request& request) {
  return !request.finished && request.stage != core::RequestStage::admitted;
}

}  // namespace tutti::session
