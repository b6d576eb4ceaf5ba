#include "session/request_index.h"

#include "model/pod.h"

namespace tutti::session {
namespace {

constexpr std::string_view kRequestAnnotation = "kueue.x-k8s.io/workload";

std::map<std::string, const core::Request*, std::less<>> owners_in(
    const core::RequestTable& table) {
  std::map<std::string, const core::Request*, std::less<>> by_owner;
  for (const auto& [name, request] : table.all()) {
    for (const model::OwnerReference& owner : request->object->meta.owners) {
      const core::Request*& known = by_owner[owner.uid];
      // The one that is not done speaks for several.
      if (known == nullptr || known->finished) known = request.get();
    }
  }
  return by_owner;
}

}  // namespace

const core::Request* RequestIndex::find(const core::RequestTable& table,
                                        const model::Object& object, std::uint64_t version) {
  if (object.kind == model::Kind::admission_request) {
    return table.find(object.meta.ns, object.meta.name);
  }
  if (object.kind == model::Kind::pod) {
    const std::string* name = model::find(object.meta.annotations, kRequestAnnotation);
    return name != nullptr ? table.find(object.meta.ns, *name) : nullptr;
  }
  if (version_ != version) by_owner_ = owners_in(table);
  version_ = version;
  const auto at = by_owner_.find(object.meta.uid);
  return at != by_owner_.end() ? at->second : nullptr;
}

bool speaks_for_pods(const core::Request& request) {
  return !request.finished && request.stage != core::RequestStage::admitted;
}

}  // namespace tutti::session
