#include "daemon/watch/filled_in.h"

#include <memory>

#include "model/group.h"

namespace tutti::daemon {
namespace {

template <typename Group>
model::ObjectPtr without_mode(const model::ObjectPtr& object) {
  const auto& group = model::as<Group>(*object);
  const bool single = group.spec.disruption == model::DisruptionMode::single;
  if (!single || model::is_mode_written(group.meta.annotations)) return object;
  auto made = std::make_shared<Group>(group);
  made->spec.disruption.reset();
  return made;
}

}  // namespace

model::ObjectPtr as_written(const model::ObjectPtr& object) {
  if (object->kind == model::Kind::pod_group) return without_mode<model::PodGroup>(object);
  if (object->kind == model::Kind::composite_pod_group) {
    return without_mode<model::CompositePodGroup>(object);
  }
  return object;
}

}  // namespace tutti::daemon
