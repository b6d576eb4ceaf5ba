#include "capacity/holdings.h"

#include <fmt/format.h>

#include <algorithm>

#include "capacity/device_use.h"
#include "core/cluster/group_title.h"
#include "devices/device_state.h"

namespace tutti::capacity {
namespace {

// What the node itself gives; the rest comes through claims.
void add_resources(const core::Cluster& cluster, const core::PodShape& shape, core::NodeId node,
                   DeviceCounts& counts) {
  for (const auto& [resource, amount] : shape.requests) {
    if (cluster.resources().offered(resource, node) == 0) continue;
    const std::string_view name = cluster.resources().name(resource);
    if (counts_devices(name)) counts[std::string(name)] += static_cast<std::size_t>(amount);
  }
}

void add_claim(const devices::DeviceState& device_state, const devices::Claim& claim,
               DeviceCounts& counts) {
  const auto add = [&](const devices::Hold& hold) {
    ++counts[device_state.inventory().pool_of(hold.device).driver];
  };
  for (const devices::Hold& hold : claim.observed) add(hold);
  if (!claim.granted) return;
  for (const devices::Pick& pick : claim.grant) {
    if (!pick.admin) add(pick.hold);
  }
}

// The nearest group that is below its minimum: itself or one above; invalid: none is.
core::GroupId unsatisfied(const core::GroupTable& groups, core::GroupId leaf) {
  core::GroupId at = leaf;
  for (int i = 0; at.valid() && i < core::GroupTable::kMaxDepth; ++i) {
    if (!groups[at].seen() || !groups.satisfied(at)) return at;
    at = groups[at].parent;
  }
  return {};
}

std::string why(const core::Group& leaf, const core::Group& lacking) {
  if (&leaf == &lacking) {
    return fmt::format("{} of {} members are placed", leaf.scheduled_count(),
                       leaf.spec().policy.minimum);
  }
  return fmt::format("part of {}/{}, which is below its minimum", lacking.ns, lacking.name);
}

}  // namespace

void add_devices_of(const core::Cluster& cluster, core::PodId pod, std::set<devices::ClaimId>& seen,
                    DeviceCounts& counts) {
  const core::PodEntry& entry = cluster.pod(pod);
  if (!entry.node.valid()) return;
  const core::PodShape& shape = cluster.shape(entry.shape);
  add_resources(cluster, shape, entry.node, counts);
  if (!cluster.wants_devices(shape)) return;
  for (const devices::ClaimId id : cluster.devices().claims_of(*entry.object).claims) {
    if (seen.insert(id).second) add_claim(cluster.devices(), cluster.devices().claim(id), counts);
  }
}

std::vector<IncompleteGroup> incomplete_groups(const core::Cluster& cluster,
                                               const core::GroupTable& groups,
                                               const std::string& by) {
  std::vector<IncompleteGroup> found;
  for (std::uint32_t i = 0; i < groups.slots(); ++i) {
    if (!groups.alive({i})) continue;
    const core::Group& group = groups[{i}];
    if (group.composite || !group.seen() || group.scheduled_count() == 0) continue;
    const core::GroupId lacking = unsatisfied(groups, {i});
    if (!lacking.valid()) continue;
    IncompleteGroup made;
    made.name = core::title_of(group);
    made.placed = group.scheduled_count();
    made.minimum = static_cast<std::size_t>(group.spec().policy.minimum);
    made.why = why(group, groups[lacking]);
    std::set<devices::ClaimId> seen;
    for (const auto* members : {&group.assumed, &group.assigned}) {
      for (const core::PodId pod : *members) {
        DeviceCounts own;
        add_devices_of(cluster, pod, seen, own);
        const std::string part = part_of(cluster.node(cluster.pod(pod).node), by);
        for (const auto& [name, count] : own) {
          made.devices[name] += count;
          made.parts[{name, part}] += count;
        }
      }
    }
    if (!made.devices.empty()) found.push_back(std::move(made));
  }
  std::ranges::sort(found, {}, &IncompleteGroup::name);
  return found;
}

}  // namespace tutti::capacity
