#include "capacity/copy/cluster_copy.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "base/check.h"
#include "core/framework/transaction.h"
#include "devices/device_state.h"

namespace tutti::capacity {

ClusterCopy::ClusterCopy(const core::Scheduler& original, std::vector<core::Profile> profiles)
    : profiles_(std::move(profiles)) {
  TUTTI_CHECK(!profiles_.empty());
  cluster_.look_at(core::aspects_of(profiles_));
  copy_objects(original.cluster());
  copy_groups(original.groups());
  copy_pods(original);
  copy_decisions(original);
}

const core::Profile& ClusterCopy::profile(std::string_view scheduler_name) const {
  const auto found = std::ranges::find(profiles_, scheduler_name, &core::Profile::scheduler_name);
  return found == profiles_.end() ? profiles_.front() : *found;
}

void ClusterCopy::copy_objects(const core::Cluster& original) {
  original.nodes().live().for_each_set([&](std::size_t i) {
    const core::NodeId id{static_cast<std::uint32_t>(i)};
    cluster_.set_node(std::make_shared<const model::Node>(original.node(id)));
  });
  for (std::size_t kind = 0; kind < model::kKindCount; ++kind) {
    for (const auto& [key, object] : original.objects(static_cast<model::Kind>(kind))) {
      cluster_.set_object(object);
    }
  }
}

void ClusterCopy::copy_groups(const core::GroupTable& original) {
  group_ids_.resize(original.slots());
  for (std::uint32_t i = 0; i < original.slots(); ++i) {
    if (!original.alive({i})) continue;
    const core::Group& group = original[{i}];
    if (group.pod_group) {
      group_ids_[i] = groups_.set(group.pod_group);
      cluster_.devices().groups().set(*group.pod_group);
    } else if (group.composite_group) {
      group_ids_[i] = groups_.set(group.composite_group);
    } else {
      group_ids_[i] = groups_.intern(group.ns, group.name, group.composite);
    }
  }
}

void ClusterCopy::copy_pods(const core::Scheduler& original) {
  pods_.resize(original.cluster().pods().slots());
  for (std::uint32_t i = 0; i < original.cluster().pods().slots(); ++i) {
    const core::PodEntry& entry = original.cluster().pod({i});
    if (entry.object) pods_[i] = cluster_.set_pod(entry.object);
  }
  using Membership = core::GroupTable::Membership;
  const auto join = [&](std::uint32_t group, const auto& members, Membership as) {
    for (const core::PodId pod : members) groups_.add_pod(group_ids_[group], pods_[pod.index], as);
  };
  for (std::uint32_t i = 0; i < original.groups().slots(); ++i) {
    if (!original.groups().alive({i})) continue;
    const core::Group& group = original.groups()[{i}];
    join(i, group.pending, Membership::pending);
    join(i, group.assumed, Membership::assumed);
    join(i, group.assigned, Membership::assigned);
    join(i, group.leaving, Membership::leaving);
  }
}

// Decisions that the cluster's objects do not show yet, and room kept for preemptors.
void ClusterCopy::copy_decisions(const core::Scheduler& original) {
  const core::Cluster& from = original.cluster();
  core::Transaction transaction(cluster_);
  for (std::uint32_t i = 0; i < from.pods().slots(); ++i) {
    const core::PodEntry& entry = from.pod({i});
    if (!entry.object || !entry.assumed) continue;
    const core::NodeId node = *cluster_.nodes().find(from.node_name(entry.node));
    if (transaction.place(pods_[i], node, profile(entry.object->spec->scheduler_name)).success()) {
      continue;
    }
    cluster_.place(pods_[i], node);
  }
  transaction.commit();
  for (const auto& [pod, node] : from.held()) {
    cluster_.hold(pods_[pod.index], *cluster_.nodes().find(from.node_name(node)));
  }
}

}  // namespace tutti::capacity
