#include "sim/controllers/volume_binder.h"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "expr/label_selector.h"
#include "model/node.h"

namespace tutti::sim {
namespace {

using model::Kind;
using model::ObjectKey;
using model::PersistentVolume;
using model::PersistentVolumeClaim;
using model::StorageClass;

constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";
constexpr std::string_view kProvisionedBy = "pv.kubernetes.io/provisioned-by";

bool claimed_by(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.claim_name == claim.meta.name && volume.claim_namespace == claim.meta.ns &&
         (volume.claim_uid.empty() || volume.claim_uid == claim.meta.uid);
}

std::string_view mode_of(const auto& object) {
  return object.volume_mode.empty() ? std::string_view("Filesystem") : object.volume_mode;
}

bool satisfies(const PersistentVolume& volume, const PersistentVolumeClaim& claim) {
  return volume.claim_name.empty() && !volume.meta.deletion &&
         volume.storage_class == claim.storage_class.value_or("") &&
         mode_of(volume) == mode_of(claim) && volume.capacity >= claim.storage_request &&
         std::ranges::all_of(claim.access_modes,
                             [&](const std::string& mode) {
                               return std::ranges::find(volume.access_modes, mode) !=
                                      volume.access_modes.end();
                             }) &&
         (!claim.selector || expr::matches(*claim.selector, volume.meta.labels));
}

// Where a volume made for a pod on this node can be reached from: the node's segment in the
// driver's topology, or what the class allows.
std::optional<std::vector<model::NodeSelectorTerm>> reach(const store::Store& store,
                                                          const StorageClass& cls,
                                                          const std::string& node_name) {
  const auto node = store.find<model::Node>({}, node_name);
  const auto csi = store.find<model::CsiNode>({}, node_name);
  model::NodeSelectorTerm segment;
  for (const auto& driver : csi ? csi->drivers : std::vector<model::CsiNodeDriver>{}) {
    if (driver.name != cls.provisioner || !node) continue;
    for (const auto& key : driver.topology_keys) {
      const auto* value = model::find(node->meta.labels, key);
      if (value) segment.match_expressions.push_back({.key = key, .values = {*value}});
    }
  }
  if (!segment.match_expressions.empty()) return std::vector{segment};
  if (!cls.allowed_topologies.empty()) return cls.allowed_topologies;
  return std::nullopt;
}

void put_annotation(model::ObjectMeta& meta, std::string_view key, std::string value) {
  auto& annotations = meta.annotations.edit();
  const auto at = std::ranges::lower_bound(
      annotations, key, {}, [](const auto& entry) { return std::string_view(entry.first); });
  annotations.emplace(at, std::string(key), std::move(value));
}

}  // namespace

void VolumeBinder::observe(const store::WatchEvent& event) {
  switch (event.object().kind) {
    case Kind::persistent_volume_claim:
      observe_claim(event);
      break;
    case Kind::persistent_volume:
      observe_volume(event);
      break;
    case Kind::storage_class:
      all_dirty_ = true;
      break;
    default:
      break;
  }
}

void VolumeBinder::observe_claim(const store::WatchEvent& event) {
  const auto key = model::key_of(event.object());
  if (!event.after) {
    open_.erase(key);
    release(model::as<Claim>(*event.before));
    return;
  }
  if (model::as<Claim>(*event.after).phase == "Bound") {
    open_.erase(key);
  } else {
    open_.insert(key);
    dirty_.insert(key);
  }
}

void VolumeBinder::observe_volume(const store::WatchEvent& event) {
  const auto claim_of = [](const model::ObjectPtr& object) -> ObjectKey {
    if (!object) return {};
    const auto& volume = model::as<Volume>(*object);
    return {Kind::persistent_volume_claim, volume.claim_namespace, volume.claim_name, {}};
  };
  const auto before = claim_of(event.before);
  const auto after = claim_of(event.after);
  if (!before.name.empty()) volume_for_.erase(before);
  if (!after.name.empty()) {
    volume_for_[after] = event.after->meta.name;
    dirty_.insert(after);
  } else if (event.after) {
    all_dirty_ = true;
  }
}

void VolumeBinder::settle() {
  auto due = std::exchange(dirty_, {});
  if (std::exchange(all_dirty_, false)) due = open_;
  for (const auto& key : due) {
    const auto claim = plane_.store.find<Claim>(key.ns, key.name);
    if (claim && claim->phase != "Bound" && !claim->meta.deletion) try_claim(*claim);
  }
}

void VolumeBinder::try_claim(const Claim& claim) {
  if (const auto volume = reserved_for(claim)) return pair(claim, *volume);
  if (!claim.volume_name.empty()) return;  // waits for that volume and no other
  const auto cls = plane_.store.find<StorageClass>({}, claim.storage_class.value_or(""));
  const auto* selected = model::find(claim.meta.annotations, kSelectedNode);
  if (cls && cls->wait_for_first_consumer && !selected) return;
  if (!cls || !cls->wait_for_first_consumer) {
    if (const auto volume = smallest_match(claim)) return pair(claim, *volume);
  }
  if (!cls || cls->provisioner.empty() || cls->provisioner == kNoProvisioner) return;
  if (const auto made = provision(claim, *cls, selected ? *selected : "")) pair(claim, *made);
}

// The volume that the claim names or that names the claim.
std::shared_ptr<const PersistentVolume> VolumeBinder::reserved_for(const Claim& claim) const {
  if (!claim.volume_name.empty()) {
    auto named = plane_.store.find<Volume>({}, claim.volume_name);
    return named && (named->claim_name.empty() || claimed_by(*named, claim)) ? named : nullptr;
  }
  const auto naming = volume_for_.find(model::key_of(claim));
  if (naming == volume_for_.end()) return nullptr;
  auto volume = plane_.store.find<Volume>({}, naming->second);
  return volume && claimed_by(*volume, claim) ? volume : nullptr;
}

std::shared_ptr<const PersistentVolume> VolumeBinder::smallest_match(const Claim& claim) const {
  std::shared_ptr<const Volume> best;
  for (const auto& object : plane_.store.objects(Kind::persistent_volume)) {
    const auto& volume = model::as<Volume>(*object);
    if (satisfies(volume, claim) && (!best || volume.capacity < best->capacity)) {
      best = std::static_pointer_cast<const Volume>(object);
    }
  }
  return best;
}

std::shared_ptr<const PersistentVolume> VolumeBinder::provision(const Claim& claim,
                                                                const StorageClass& cls,
                                                                const std::string& node) {
  Volume volume;
  volume.api_version = "v1";
  volume.meta.name = "pvc-" + claim.meta.uid;
  put_annotation(volume.meta, kProvisionedBy, cls.provisioner);
  volume.capacity = claim.storage_request;
  volume.access_modes = claim.access_modes;
  volume.storage_class = cls.meta.name;
  volume.volume_mode = claim.volume_mode;
  volume.node_affinity = reach(plane_.store, cls, node);
  volume.csi_driver = cls.provisioner;
  volume.csi_handle = volume.meta.name;
  const auto made = plane_.store.create(volume, plane_.write());
  return made.ok() ? std::static_pointer_cast<const Volume>(*made) : nullptr;
}

void VolumeBinder::pair(const Claim& claim, const Volume& volume) {
  const auto write = plane_.write();
  must(plane_.store.patch(
      model::key_of(volume),
      [&](model::Object& object) {
        auto& next = static_cast<Volume&>(object);
        next.claim_namespace = claim.meta.ns;
        next.claim_name = claim.meta.name;
        next.claim_uid = claim.meta.uid;
        next.phase = "Bound";
      },
      write));
  must(plane_.store.patch(
      model::key_of(claim),
      [&](model::Object& object) {
        auto& next = static_cast<Claim&>(object);
        next.volume_name = volume.meta.name;
        next.phase = "Bound";
      },
      write));
}

void VolumeBinder::release(const Claim& claim) {
  const auto volume = plane_.store.find<Volume>({}, claim.volume_name);
  if (!volume || !claimed_by(*volume, claim)) return;
  const auto key = model::key_of(*volume);
  if (model::find(volume->meta.annotations, kProvisionedBy)) {
    must(plane_.store.remove(key, plane_.write()));
    return;
  }
  must(plane_.store.patch(
      key, [](model::Object& object) { static_cast<Volume&>(object).phase = "Released"; },
      plane_.write()));
}

}  // namespace tutti::sim
