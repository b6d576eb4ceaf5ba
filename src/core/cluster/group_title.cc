#include "core/cluster/group_title.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::core {
namespace {

// Groups in memory are called "job:train", as no object of the API can be.
std::string_view without_prefix(std::string_view name) {
  const std::size_t colon = name.find(':');
  return colon == std::string_view::npos ? name : name.substr(colon + 1);
}

// The object that the group was made of. Groups that are made of a Workload are known by their own
// names: pods, which people write, name them.
const model::OwnerReference* maker_in(const model::ObjectMeta* meta) {
  if (meta == nullptr) return nullptr;
  const auto at = std::ranges::find_if(meta->owners, &model::OwnerReference::controller);
  return at == meta->owners.end() || at->kind == "Workload" ? nullptr : &*at;
}

std::string title(std::string_view kind, std::string_view ns, std::string_view name,
                  const model::ObjectMeta* meta) {
  const std::string_view own = without_prefix(name);
  const model::OwnerReference* maker = maker_in(meta);
  if (maker == nullptr) return fmt::format("{} {}/{}", kind, ns, own);
  const bool only_one = maker->kind == "Job" || maker->name == own;
  return fmt::format("{} {}/{}{}", maker->kind, ns, maker->name,
                     only_one ? std::string() : fmt::format(" ({})", own));
}

}  // namespace

std::string title_of(const Group& group) {
  const model::ObjectMeta* meta = nullptr;
  if (group.pod_group != nullptr) meta = &group.pod_group->meta;
  if (group.composite_group != nullptr) meta = &group.composite_group->meta;
  return title(group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name, meta);
}

std::string title_of(const std::string& ns, const std::string& name, const model::PodGroup* group) {
  return title("PodGroup", ns, name, group == nullptr ? nullptr : &group->meta);
}

}  // namespace tutti::core
