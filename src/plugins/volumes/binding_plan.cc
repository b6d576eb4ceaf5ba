#include "plugins/volumes/binding_plan.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cluster/node_match.h"
#include "expr/label_selector.h"
#include "plugins/volumes/claims.h"
#include "plugins/volumes/volume_binding.h"

namespace tutti::plugins {
namespace {

using model::PersistentVolume;
using model::PersistentVolumeClaim;

constexpr std::string_view kNodeConflict = "node(s) didn't match PersistentVolume's node affinity";
constexpr std::string_view kBindConflict =
    "node(s) didn't find available persistent volumes to bind";
constexpr std::string_view kNoSpace = "node(s) did not have enough free storage";
constexpr std::string_view kVolumeGone =
    "node(s) unavailable due to one or more pvc(s) bound to non-existent pv(s)";

core::PluginStatus refusal(std::string reason) {
  return {core::Code::unresolvable, VolumeBinding::kName, std::move(reason)};
}

bool owned_by(const PersistentVolumeClaim& claim, const model::Pod& pod) {
  return std::ranges::any_of(claim.meta.owners, [&](const model::OwnerReference& owner) {
    return owner.controller && owner.uid == pod.meta.uid;
  });
}

// Why the claim keeps the pod from running at all; success if it does not.
core::PluginStatus claim_problem(const model::Pod& pod, const model::Volume& volume,
                                 const std::string& name, const PersistentVolumeClaim* claim) {
  const bool ephemeral = volume.source == model::Volume::Source::ephemeral;
  if (claim == nullptr) {
    if (!ephemeral) return not_found(VolumeBinding::kName, "persistentvolumeclaim", name);
    return refusal(fmt::format(
        "waiting for ephemeral volume controller to create the persistentvolumeclaim \"{}\"",
        name));
  }
  if (claim->phase == "Lost") {
    return refusal(
        fmt::format("persistentvolumeclaim \"{}\" bound to non-existent persistentvolume \"{}\"",
                    name, claim->volume_name));
  }
  if (claim->meta.deletion) {
    return refusal(fmt::format("persistentvolumeclaim \"{}\" is being deleted", name));
  }
  if (ephemeral && !owned_by(*claim, pod)) {
    return refusal(fmt::format("PVC {} was not created for pod {}/{} (pod is not owner)",
                               claim_key(*claim), pod.meta.ns, pod.meta.name));
  }
  return {};
}

bool waits_for_consumer(const core::Cluster& cluster, const PersistentVolumeClaim& claim) {
  if (!claim.volume_name.empty()) return false;
  const auto* storage_class = cluster.find_object<model::StorageClass>({}, class_name(claim));
  return storage_class != nullptr && storage_class->wait_for_first_consumer;
}

std::string_view mode_of(const std::string& mode) {
  return mode.empty() ? std::string_view("Filesystem") : std::string_view(mode);
}

// What a volume must have whether or not it is reserved for the claim.
bool fits(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return !volume.meta.deletion && volume.capacity >= claim.storage_request &&
         mode_of(volume.volume_mode) == mode_of(claim.volume_mode) &&
         volume.storage_class == class_name(claim);
}

// A volume without a phase was never looked at by a controller: as good as available.
bool free_for(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.claim_name.empty() && (volume.phase.empty() || volume.phase == "Available") &&
         (!claim.selector || expr::matches(*claim.selector, volume.meta.labels)) &&
         std::ranges::all_of(claim.access_modes, [&](const std::string& mode) {
           return std::ranges::find(volume.access_modes, mode) != volume.access_modes.end();
         });
}

}  // namespace

void AssumedBindings::hold(std::map<std::string, Held>& held, const std::string& key,
                           const std::string& by) {
  Held& entry = held[key];
  entry.by = by;
  ++entry.count;
}

void AssumedBindings::drop(std::map<std::string, Held>& held, const std::string& key) {
  const auto at = held.find(key);
  TUTTI_CHECK(at != held.end());
  if (--at->second.count == 0) held.erase(at);
}

void AssumedBindings::promise(const std::string& volume, const std::string& claim) {
  hold(volumes_, volume, claim);
}
void AssumedBindings::give_up(const std::string& volume) { drop(volumes_, volume); }
void AssumedBindings::select(const std::string& claim, const std::string& node) {
  hold(claims_, claim, node);
}
void AssumedBindings::unselect(const std::string& claim) { drop(claims_, claim); }

const std::string* AssumedBindings::claim_of(const std::string& volume) const {
  const auto at = volumes_.find(volume);
  return at == volumes_.end() ? nullptr : &at->second.by;
}

const std::string* AssumedBindings::node_of(const std::string& claim) const {
  const auto at = claims_.find(claim);
  return at == claims_.end() ? nullptr : &at->second.by;
}

PodClaims claims_of(const core::Cluster& cluster, const model::Pod& pod) {
  PodClaims claims;
  bool immediate = false;
  for (const auto& volume : pod.spec->volumes) {
    const std::string name = claim_name(pod, volume);
    if (name.empty()) continue;
    claims.any = true;
    const auto* claim = cluster.find_object<PersistentVolumeClaim>(pod.meta.ns, name);
    claims.verdict = claim_problem(pod, volume, name, claim);
    if (!claims.verdict.success()) return claims;
    if (fully_bound(*claim)) {
      claims.bound.push_back(claim);
    } else if (!waits_for_consumer(cluster, *claim)) {
      immediate = true;
    } else if (std::ranges::find(claims.waiting, claim) == claims.waiting.end()) {
      claims.waiting.push_back(claim);
    }
  }
  if (immediate) claims.verdict = refusal("pod has unbound immediate PersistentVolumeClaims");
  return claims;
}

Bitset reach_of(const core::Cluster& cluster, const PersistentVolume& volume) {
  if (!volume.node_affinity) return cluster.nodes().live();
  return core::nodes_matching_any(cluster, *volume.node_affinity);
}

BindingPlan::BindingPlan(const core::Cluster& cluster, const AssumedBindings& assumed,
                         const PodClaims& claims, const Bitset& nodes)
    : cluster_(cluster), claim_count_(claims.waiting.size()) {
  for (const auto* claim : claims.bound) {
    const auto* volume = cluster.find_object<Volume>({}, claim->volume_name);
    bound_.push_back(volume != nullptr ? std::optional(reach_of(cluster, *volume)) : std::nullopt);
  }
  for (const auto* claim : claims.waiting) waiting_.push_back(plan(*claim, assumed, nodes));
  std::ranges::stable_sort(waiting_, {},
                           [](const Waiting& entry) { return entry.claim->storage_request; });
}

BindingPlan::Waiting BindingPlan::plan(const Claim& claim, const AssumedBindings& assumed,
                                       const Bitset& nodes) const {
  Waiting waiting;
  waiting.claim = &claim;
  if (const auto* node = assumed.node_of(claim_key(claim))) waiting.selected_node = *node;
  if (const auto* node = model::find(claim.meta.annotations, kSelectedNode)) {
    waiting.selected_node = *node;
  }
  waiting.candidates.resize(cluster_.nodes().slots());
  if (!waiting.selected_node) find_candidates(waiting, matching_volumes(claim, assumed), nodes);
  find_provisioning(waiting, nodes);
  return waiting;
}

// Smallest first, then by name. A volume reserved for the claim leaves no other choice.
std::vector<const PersistentVolume*> BindingPlan::matching_volumes(
    const Claim& claim, const AssumedBindings& assumed) const {
  std::vector<const Volume*> volumes;
  for (const auto& [key, object] : cluster_.objects(model::Kind::persistent_volume)) {
    const auto& volume = model::as<Volume>(*object);
    if (!fits(volume, claim)) continue;
    const auto* promised = assumed.claim_of(volume.meta.name);
    const bool promised_here = promised != nullptr && *promised == claim_key(claim);
    if (reserved_for(volume, claim) || promised_here) return {&volume};
    if (promised == nullptr && free_for(volume, claim)) volumes.push_back(&volume);
  }
  std::ranges::stable_sort(volumes, {}, [](const Volume* volume) { return volume->capacity; });
  return volumes;
}

void BindingPlan::find_candidates(Waiting& waiting, const std::vector<const Volume*>& volumes,
                                  const Bitset& nodes) const {
  Bitset open = nodes;  // nodes that may still need more candidates
  for (const auto* volume : volumes) {
    Bitset reached = reach_of(cluster_, *volume);
    reached.and_with(open);
    reached.for_each_set([&](std::size_t node) {
      waiting.candidates[node].push_back(volume);
      if (waiting.candidates[node].size() >= claim_count_) open.reset(node);
    });
    if (open.none()) return;
  }
}

void BindingPlan::find_provisioning(Waiting& waiting, const Bitset& nodes) const {
  waiting.provisionable.resize(nodes.size());
  waiting.roomy.resize(nodes.size());
  const auto* made_by = cluster_.find_object<model::StorageClass>({}, class_name(*waiting.claim));
  if (made_by == nullptr || made_by->provisioner.empty() ||
      made_by->provisioner == kNoProvisioner) {
    return;
  }
  waiting.provisionable = nodes;
  if (!made_by->allowed_topologies.empty()) {
    waiting.provisionable.and_with(core::nodes_matching_any(cluster_, made_by->allowed_topologies));
  }
  const auto* driver = cluster_.find_object<model::CsiDriver>({}, made_by->provisioner);
  const Quantity& size = waiting.claim->storage_request;
  if (driver == nullptr || !driver->storage_capacity || size.zero()) {
    waiting.roomy = nodes;
    return;
  }
  for (const auto& [key, object] : cluster_.objects(model::Kind::csi_storage_capacity)) {
    const auto& offer = model::as<model::CsiStorageCapacity>(*object);
    const auto& limit = offer.maximum_volume_size ? offer.maximum_volume_size : offer.capacity;
    if (offer.storage_class != made_by->meta.name || !limit || *limit < size) continue;
    if (!offer.node_topology) continue;
    nodes.for_each_set([&](std::size_t node) {
      const auto& labels = cluster_.node({static_cast<std::uint32_t>(node)}).meta.labels;
      if (expr::matches(*offer.node_topology, labels)) waiting.roomy.set(node);
    });
  }
}

BindingPlan::Choice BindingPlan::choose(core::NodeId node) const {
  Choice choice;
  check_bound(node.index, choice);
  check_waiting(node.index, choice);
  return choice;
}

void BindingPlan::check_bound(std::size_t node, Choice& choice) const {
  for (const auto& reach : bound_) {
    if (reach && reach->test(node)) continue;
    choice.problems.push_back(reach ? kNodeConflict : kVolumeGone);
    return;
  }
}

void BindingPlan::check_waiting(std::size_t node, Choice& choice) const {
  const std::string& name = cluster_.node_name({static_cast<std::uint32_t>(node)});
  const auto elsewhere = [&](const Waiting& waiting) {
    return waiting.selected_node && *waiting.selected_node != name;
  };
  if (std::ranges::any_of(waiting_, elsewhere)) {
    choice.problems.push_back(kBindConflict);
    return;
  }
  const std::size_t before = choice.problems.size();
  for (const auto& waiting : waiting_) {
    const auto taken = [&](const Volume* volume) {
      return std::ranges::any_of(choice.pairs,
                                 [&](const auto& pair) { return pair.second == volume; });
    };
    const auto& candidates = waiting.candidates[node];
    const auto best = std::ranges::find_if_not(candidates, taken);
    if (best != candidates.end()) {
      choice.pairs.emplace_back(waiting.claim, *best);
    } else if (choice.problems.size() == before) {
      provision(waiting, node, choice);
    }
  }
}

void BindingPlan::provision(const Waiting& waiting, std::size_t node, Choice& choice) const {
  if (!waiting.provisionable.test(node)) {
    choice.problems.push_back(kBindConflict);
  } else if (!waiting.roomy.test(node)) {
    choice.problems.push_back(kNoSpace);
  } else {
    choice.provisions.push_back(waiting.claim);
  }
}

}  // namespace tutti::plugins
