#include "plugins/volumes/volume_binding.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "core/cluster/node_match.h"
#include "plugins/volumes/claims.h"

namespace tutti::plugins {
namespace {

using model::PersistentVolume;
using model::PersistentVolumeClaim;

core::PluginStatus verdict(core::Code code, std::string reason) {
  return {code, VolumeBinding::kName, std::move(reason)};
}

// Fixed once made: what pods coming and going change about volumes goes through reserve, which
// starts evaluations over.
class Bindings final : public core::FilterEvaluator {
 public:
  Bindings(const core::Cluster& cluster, const AssumedBindings& assumed, const PodClaims& claims)
      : plan_(cluster, assumed, claims, cluster.nodes().live()), good_(cluster.nodes().live()) {
    cluster.nodes().live().for_each_set([&](std::size_t node) {
      if (!plan_.choose({static_cast<std::uint32_t>(node)}).problems.empty()) good_.reset(node);
    });
  }
  void filter(Bitset& nodes) const override { nodes.and_with(good_); }
  bool accepts(core::NodeId node) const override { return good_.test(node.index); }
  std::vector<core::PluginStatus> explain(core::NodeId node) const override {
    std::vector<core::PluginStatus> verdicts;
    for (const auto problem : plan_.choose(node).problems) {
      verdicts.push_back(verdict(core::Code::unresolvable, std::string(problem)));
    }
    return verdicts;
  }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }

 private:
  BindingPlan plan_;
  Bitset good_;
};

void put_annotation(model::ObjectMeta& meta, std::string_view key, const std::string& value) {
  auto& annotations = meta.annotations.edit();
  const auto at = std::ranges::lower_bound(
      annotations, key, {}, [](const auto& entry) -> std::string_view { return entry.first; });
  if (at != annotations.end() && at->first == key) {
    at->second = value;
  } else {
    annotations.emplace(at, std::string(key), value);
  }
}

bool reaches(const PersistentVolume& volume, const model::Node& node) {
  return !volume.node_affinity || core::node_matches_any(node, *volume.node_affinity);
}

}  // namespace

core::EventKind VolumeBinding::wakes_on() const {
  using core::EventKind;
  return EventKind::storage | EventKind::node_added | EventKind::node_labels |
         EventKind::pod_removed;
}

core::Prepared<core::FilterEvaluator> VolumeBinding::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const auto claims = claims_of(cluster, *pods.sample);
  if (!claims.any) return Prepared::skip();
  if (!claims.verdict.success()) return Prepared::refuse(claims.verdict);
  return Prepared::ready(std::make_unique<Bindings>(cluster, assumed_, claims));
}

core::PluginStatus VolumeBinding::reserve(core::Cluster& cluster, core::PodId pod,
                                          core::NodeId node) {
  const auto claims = claims_of(cluster, *cluster.pod(pod).object);
  if (!claims.verdict.success()) return claims.verdict;
  if (claims.waiting.empty()) return {};
  Bitset only(cluster.nodes().slots());
  only.set(node.index);
  const auto choice = BindingPlan(cluster, assumed_, claims, only).choose(node);
  if (!choice.problems.empty()) {
    return verdict(core::Code::unschedulable, std::string(choice.problems.front()));
  }
  Pairings& pairings = reserved_[pod];
  for (const auto& [claim, volume] : choice.pairs) {
    assumed_.promise(volume->meta.name, claim_key(*claim));
    pairings.push_back({claim->meta.ns, claim->meta.name, volume->meta.name, {}, false});
  }
  for (const auto* claim : choice.provisions) {
    assumed_.select(claim_key(*claim), cluster.node_name(node));
    pairings.push_back({claim->meta.ns, claim->meta.name, {}, {}, false});
  }
  cluster.raise_structure_version();
  return {};
}

void VolumeBinding::release(const Pairings& pairings) {
  for (const auto& pairing : pairings) {
    if (pairing.volume.empty()) {
      assumed_.unselect(pairing.claim_ns + "/" + pairing.claim);
    } else {
      assumed_.give_up(pairing.volume);
    }
  }
}

void VolumeBinding::unreserve(core::Cluster& cluster, core::PodId pod, core::NodeId) {
  const auto held = reserved_.extract(pod);
  if (held.empty()) return;
  release(held.mapped());
  cluster.raise_structure_version();
}

core::PluginStatus VolumeBinding::pre_bind(core::Cluster& cluster, core::ClusterPort& port,
                                           core::PodId pod, core::NodeId node) {
  const auto held = reserved_.find(pod);
  if (held == reserved_.end()) return {};
  bool waiting = false;
  for (auto& pairing : held->second) {
    auto answer = pairing.volume.empty() ? select_node(cluster, port, pairing, node)
                                         : bind_volume(cluster, port, pairing);
    if (answer.code == core::Code::error) return answer;
    waiting = waiting || answer.code == core::Code::wait;
  }
  if (waiting) return verdict(core::Code::wait, "waiting for volumes to be bound");
  // The objects say now what was assumed.
  release(held->second);
  reserved_.erase(held);
  return {};
}

// A chosen volume: its claimRef is ours to write, the rest is the volume controller's.
core::PluginStatus VolumeBinding::bind_volume(const core::Cluster& cluster, core::ClusterPort& port,
                                              Pairing& pairing) {
  const auto* volume = cluster.find_object<PersistentVolume>({}, pairing.volume);
  const auto* claim = cluster.find_object<PersistentVolumeClaim>(pairing.claim_ns, pairing.claim);
  if (volume == nullptr || claim == nullptr) {
    return verdict(core::Code::error,
                   fmt::format("persistentvolume \"{}\" or its claim is gone", pairing.volume));
  }
  if (reserved_for(*volume, *claim)) {
    pairing.seen = true;
    return fully_bound(*claim) ? core::PluginStatus{} : verdict(core::Code::wait, {});
  }
  if (pairing.seen || !volume->claim_name.empty()) {
    return verdict(core::Code::error,
                   fmt::format("persistentvolume \"{}\" was taken away", pairing.volume));
  }
  // A write that has not come back yet, or has lost to another: again only on a newer version.
  if (std::exchange(pairing.wrote, volume->meta.resource_version) !=
      volume->meta.resource_version) {
    auto changed = std::make_shared<PersistentVolume>(*volume);
    changed->claim_namespace = claim->meta.ns;
    changed->claim_name = claim->meta.name;
    changed->claim_uid = claim->meta.uid;
    port.update(changed);
  }
  return verdict(core::Code::wait, {});
}

// A volume to be made: the annotation tells the provisioner where.
core::PluginStatus VolumeBinding::select_node(const core::Cluster& cluster, core::ClusterPort& port,
                                              Pairing& pairing, core::NodeId node) {
  const auto* claim = cluster.find_object<PersistentVolumeClaim>(pairing.claim_ns, pairing.claim);
  if (claim == nullptr) {
    return verdict(core::Code::error,
                   fmt::format("persistentvolumeclaim \"{}\" is gone", pairing.claim));
  }
  const auto failed = [&] {
    return verdict(core::Code::error,
                   fmt::format("provisioning failed for PVC \"{}\"", pairing.claim));
  };
  if (fully_bound(*claim)) {
    const auto* volume = cluster.find_object<PersistentVolume>({}, claim->volume_name);
    if (volume == nullptr) return verdict(core::Code::wait, {});
    return reaches(*volume, cluster.node(node)) ? core::PluginStatus{} : failed();
  }
  const auto* selected = model::find(claim->meta.annotations, kSelectedNode);
  if (selected != nullptr && *selected == cluster.node_name(node)) {
    pairing.seen = true;
    return verdict(core::Code::wait, {});
  }
  // Somebody else's node, or a provisioner that gave up and took the annotation away.
  if (selected != nullptr || pairing.seen) return failed();
  if (std::exchange(pairing.wrote, claim->meta.resource_version) != claim->meta.resource_version) {
    auto changed = std::make_shared<PersistentVolumeClaim>(*claim);
    put_annotation(changed->meta, kSelectedNode, cluster.node_name(node));
    port.update(changed);
  }
  return verdict(core::Code::wait, {});
}

}  // namespace tutti::plugins
