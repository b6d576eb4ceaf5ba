#include "cli/output/workload_name.h"

#include <cstddef>
#include <string_view>

#include "controllers/dependents.h"

namespace tutti::cli {
namespace {

constexpr std::string_view kQueueLabel = "kueue.x-k8s.io/queue-name";
// Owners of owners are few; a cycle of them would have no end.
constexpr int kDepthMax = 16;

// An object of that kind's name; null: there is none.
model::ObjectPtr find_by_kind(const store::Store& objects, const std::string& ns,
                              const std::string& kind, const std::string& name,
                              const std::string& api_version) {
  for (std::size_t i = 0; i < model::kKindCount; ++i) {
    const auto known = static_cast<model::Kind>(i);
    if (known == model::Kind::other || model::facts(known).name != kind) continue;
    if (auto found = objects.get({known, ns, name, {}})) return found;
  }
  return objects.get({model::Kind::other, ns, name, api_version + "/" + kind});
}

std::string kind_name(const model::Object& object) {
  if (object.kind != model::Kind::other) return std::string(model::facts(object.kind).name);
  return static_cast<const model::OtherObject&>(object).kind_name;
}

}  // namespace

WorkloadName name_of(const model::Object& object) {
  return {object.meta.ns, object.meta.name, kind_name(object)};
}

std::optional<Workload> workload_of(const store::Store& objects, const model::Object& object) {
  std::optional<Workload> found;
  model::ObjectMeta meta = object.meta;
  for (int depth = 0; depth < kDepthMax; ++depth) {
    const model::OwnerReference* owner = controllers::controller_of(meta);
    if (owner == nullptr || owner->kind == "Node") break;
    auto above =
        find_by_kind(objects, object.meta.ns, owner->kind, owner->name, owner->api_version);
    found = Workload{{object.meta.ns, owner->name, owner->kind}, above};
    if (above == nullptr) break;
    meta = above->meta;
  }
  return found;
}

std::string queue_of(const model::Object& object) {
  const std::string* queue = model::find(object.meta.labels, kQueueLabel);
  return queue != nullptr ? *queue : std::string();
}

}  // namespace tutti::cli
