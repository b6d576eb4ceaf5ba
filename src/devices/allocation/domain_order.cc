#include "devices/allocation/domain_order.h"

#include <algorithm>
#include <limits>
#include <tuple>

namespace tutti::devices {
namespace {

constexpr std::size_t kNotEnough = std::numeric_limits<std::size_t>::max();

// How many of the groups that pass it takes to get as many devices.
template <typename Groups, typename Passes>
std::size_t fewest(const Groups& groups, std::size_t needed, Passes&& passes) {
  std::vector<std::size_t> sizes;
  for (const auto& group : groups) {
    if (passes(group)) sizes.push_back(group.devices.size());
  }
  std::ranges::sort(sizes, std::ranges::greater{});
  std::size_t taken = 0;
  for (std::size_t i = 0; i < sizes.size(); ++i) {
    taken += sizes[i];
    if (taken >= needed) return i + 1;
  }
  return kNotEnough;
}

// The group to be emptied next. Groups are in published order, which decides between equals.
template <typename Groups>
auto next_of(Groups& groups, std::size_t needed) {
  const auto spare = [](const auto& group) {
    return std::tuple(!group.broken, group.devices.size());
  };
  const auto suffices = [&](const auto& group) { return group.devices.size() >= needed; };
  auto best = groups.end();
  for (auto at = groups.begin(); at != groups.end(); ++at) {
    if (suffices(*at) && (best == groups.end() || spare(*at) < spare(*best))) best = at;
  }
  if (best != groups.end()) return best;
  const auto broken = [](const auto& group) { return group.broken; };
  const auto all = [](const auto&) { return true; };
  const bool spares_whole = fewest(groups, needed, broken) <= fewest(groups, needed, all) &&
                            std::ranges::any_of(groups, broken);
  const auto size = [](const auto& group) {
    return std::tuple(group.devices.size(), group.broken);
  };
  for (auto at = groups.begin(); at != groups.end(); ++at) {
    if (spares_whole && !at->broken) continue;
    if (best == groups.end() || size(*at) > size(*best)) best = at;
  }
  return best;
}

}  // namespace

DomainOrder::DomainOrder(const Inventory& inventory, const Ledger& ledger,
                         AttributeTable& attributes, const Packing& packing)
    : attributes_(attributes), packing_(packing), touched_(packing.domains.size()) {
  for (const DeviceId device : packing.kin) {
    if (touched_.empty() || untouched(inventory, ledger, device, packing)) continue;
    for (std::size_t level = 0; level < touched_.size(); ++level) {
      touched_[level].push_back(attributes.domain(packing.domains[level], device));
    }
  }
}

bool DomainOrder::is_broken(std::size_t level, std::uint32_t domain) const {
  return std::ranges::find(touched_[level], domain) != touched_[level].end();
}

std::vector<DomainOrder::Group> DomainOrder::groups(const std::vector<DeviceId>& devices,
                                                    std::size_t level) const {
  std::vector<Group> made;
  for (const DeviceId device : devices) {
    const std::uint32_t domain = attributes_.domain(packing_.domains[level], device);
    auto at = std::ranges::find(made, domain, &Group::domain);
    if (at == made.end()) {
      at = made.insert(at, {domain, domain == kNoIndex || is_broken(level, domain), {}});
    }
    at->devices.push_back(device);
  }
  return made;
}

void DomainOrder::arrange(const std::vector<DeviceId>& devices, std::size_t needed,
                          std::vector<DeviceId>& out) const {
  arrange(devices, needed, 0, out);
}

void DomainOrder::arrange(const std::vector<DeviceId>& devices, std::size_t needed,
                          std::size_t level, std::vector<DeviceId>& out) const {
  if (level == packing_.domains.size() || devices.size() < 2) {
    out.insert(out.end(), devices.begin(), devices.end());
    return;
  }
  if (!packing_.domains[level].valid()) return arrange(devices, needed, level + 1, out);
  const auto domain = [&](DeviceId device) {
    return attributes_.domain(packing_.domains[level], device);
  };
  const bool alike = std::ranges::all_of(
      devices, [&](DeviceId device) { return domain(device) == domain(devices.front()); });
  if (alike) return arrange(devices, needed, level + 1, out);
  auto left = groups(devices, level);
  while (!left.empty()) {
    const auto next = next_of(left, needed);
    const std::vector<DeviceId> chosen = std::move(next->devices);
    left.erase(next);
    arrange(chosen, std::min(needed, chosen.size()), level + 1, out);
    needed -= std::min(needed, chosen.size());
  }
}

}  // namespace tutti::devices
