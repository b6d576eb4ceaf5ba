#include "core/victims/controller_ids.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::core {

std::uint32_t ControllerIds::join(const model::Pod& pod) {
  const auto controller = std::ranges::find_if(pod.meta.owners, &model::OwnerReference::controller);
  if (controller == pod.meta.owners.end()) return kNoIndex;
  std::string name = pod.meta.ns;
  for (const std::string* part : {&controller->kind, &controller->name}) {
    name.append(1, '\0').append(*part);
  }
  const std::uint32_t maker = number_of(std::move(name));
  ++makers_[maker].pods;
  return maker;
}

std::uint32_t ControllerIds::number_of(std::string name) {
  const auto known = numbers_.find(name);
  if (known != numbers_.end()) return known->second;
  if (vacant_.empty()) {
    vacant_.push_back(static_cast<std::uint32_t>(makers_.size()));
    makers_.emplace_back();
  }
  const std::uint32_t maker = vacant_.back();
  vacant_.pop_back();
  makers_[maker].name = name;
  numbers_.emplace(std::move(name), maker);
  return maker;
}

void ControllerIds::leave(std::uint32_t maker) {
  if (maker == kNoIndex) return;
  TUTTI_CHECK(makers_[maker].pods > 0);
  if (--makers_[maker].pods > 0) return;
  TUTTI_CHECK(numbers_.erase(makers_[maker].name) == 1, "a controller goes twice");
  vacant_.push_back(maker);
}

bool belongs_to_node(const model::Pod& pod) {
  return std::ranges::any_of(pod.meta.owners, [](const model::OwnerReference& owner) {
    return owner.controller && (owner.kind == "DaemonSet" || owner.kind == "Node");
  });
}

}  // namespace tutti::core
