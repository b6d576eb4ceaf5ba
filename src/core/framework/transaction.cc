#include "core/framework/transaction.h"

#include <utility>

#include "base/check.h"

namespace tutti::core {
namespace {

void unreserve(Cluster& cluster, const Profile& profile, PodId pod, NodeId node) {
  for (auto at = profile.reserve.rbegin(); at != profile.reserve.rend(); ++at) {
    at->does->unreserve(cluster, pod, node);
  }
}

}  // namespace

PluginStatus Transaction::place(PodId pod, NodeId node, const Profile& profile) {
  TUTTI_CHECK(pod.valid() && node.valid());
  cluster_.place(pod, node);
  for (const auto& reserve : profile.reserve) {
    PluginStatus verdict = reserve->reserve(cluster_, pod, node);
    if (verdict.success() || verdict.code == Code::skip) continue;
    unreserve(cluster_, profile, pod, node);
    cluster_.take_off(pod);
    return said_by(*reserve.plugin, std::move(verdict));
  }
  placed_.push_back(&profile);
  proposed_.push_back({pod, node});
  return {};
}

void Transaction::roll_back(Checkpoint to) {
  TUTTI_CHECK(to <= placed_.size(), "what came before the checkpoint is undone already");
  while (placed_.size() > to) undo_last();
}

void Transaction::undo_last() {
  TUTTI_CHECK(proposed_.size() == placed_.size(), "who is placed has a profile");
  const ProposedPod last = proposed_.back();
  TUTTI_CHECK(cluster_.pod(last.pod).node == last.node, "a pod is undone where it was placed");
  unreserve(cluster_, *placed_.back(), last.pod, last.node);
  cluster_.take_off(last.pod);
  placed_.pop_back();
  proposed_.pop_back();
}

void Transaction::commit() {
  placed_.clear();
  proposed_.clear();
}

void release_placement(Cluster& cluster, const Profile& profile, PodId pod) {
  TUTTI_CHECK(pod.valid(), "nobody is released");
  const NodeId node = cluster.pod(pod).node;
  unreserve(cluster, profile, pod, node);
  if (node.valid()) cluster.take_off(pod);
}

}  // namespace tutti::core
