#include "plugins/volumes/volume_restrictions.h"

#include <algorithm>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "plugins/volumes/claims.h"

namespace tutti::plugins {
namespace {

using model::Volume;
using Volumes = std::vector<Volume>;

bool is_disk(const Volume& volume) {
  using enum Volume::Source;
  return volume.source == gce_disk || volume.source == aws_disk || volume.source == iscsi ||
         volume.source == rbd;
}

bool share_a_monitor(const Volume& a, const Volume& b) {
  return std::ranges::any_of(a.monitors, [&](const std::string& monitor) {
    return std::ranges::find(b.monitors, monitor) != b.monitors.end();
  });
}

// An iSCSI volume is "target:iqn"; the iqn alone says which it is.
std::string_view iqn_of(const Volume& volume) {
  const auto at = volume.id.find("iqn.");
  return at == std::string::npos ? std::string_view(volume.id)
                                 : std::string_view(volume.id).substr(at);
}

bool conflict(const Volume& a, const Volume& b) {
  if (a.source != b.source) return false;
  const bool both_read = a.read_only && b.read_only;
  switch (a.source) {
    case Volume::Source::gce_disk:
      return a.id == b.id && !both_read;
    case Volume::Source::aws_disk:
      return a.id == b.id;
    case Volume::Source::iscsi:
      return iqn_of(a) == iqn_of(b) && !both_read;
    case Volume::Source::rbd:
      return share_a_monitor(a, b) && a.pool == b.pool && a.id == b.id && !both_read;
    default:
      return false;
  }
}

bool any_conflict(const Volumes& a, const Volumes& b) {
  return std::ranges::any_of(a, [&](const Volume& mine) {
    return std::ranges::any_of(b, [&](const Volume& other) { return conflict(mine, other); });
  });
}

bool uses_claim(const Volumes& volumes, std::string_view claim) {
  return std::ranges::any_of(volumes, [&](const Volume& volume) {
    return volume.source == Volume::Source::claim && volume.id == claim;
  });
}

class Restrictions final : public core::FilterEvaluator {
 public:
  Restrictions(const core::Cluster& cluster, std::string ns, Volumes disks,
               std::vector<std::string> exclusive_claims)
      : cluster_(cluster),
        ns_(std::move(ns)),
        disks_(std::move(disks)),
        exclusive_claims_(std::move(exclusive_claims)),
        conflicting_(cluster.nodes().slots()) {
    if (!disks_.empty()) {
      cluster.nodes().live().for_each_set(
          [&](std::size_t node) { look_at({static_cast<std::uint32_t>(node)}); });
    }
    claims_taken_ = count_taken_claims();
  }

  bool accepts(core::NodeId node) const override {
    return !claims_taken_ && !conflicting_.test(node.index);
  }
  void filter(Bitset& nodes) const override {
    if (claims_taken_) return nodes.clear();
    nodes.and_not(conflicting_);
  }
  std::vector<core::PluginStatus> explain(core::NodeId node) const override {
    const auto verdict = [](const char* reason) {
      return core::PluginStatus{core::Code::unschedulable, VolumeRestrictions::kName, reason};
    };
    if (conflicting_.test(node.index)) return {verdict("node(s) had no available disk")};
    return {
        verdict("node(s) unavailable due to PersistentVolumeClaim with ReadWriteOncePod access "
                "mode already in-use by another pod")};
  }
  core::Effect changed(const core::Change& change) override {
    const core::PodShape& shape = cluster_.shape(change.shape);
    if (!shape.has_volumes) return core::Effect::none;
    if (std::exchange(claims_taken_, count_taken_claims()) != claims_taken_) {
      look_at(change.node);
      return core::Effect::everything;
    }
    const bool before = conflicting_.test(change.node.index);
    look_at(change.node);
    return before == conflicting_.test(change.node.index) ? core::Effect::none : core::Effect::node;
  }

 private:
  bool count_taken_claims() const {
    return std::ranges::any_of(exclusive_claims_, [&](const std::string& claim) {
      return cluster_.populations().claim_users(ns_, claim) > 0;
    });
  }
  void look_at(core::NodeId node) {
    if (disks_.empty()) return;
    const bool taken =
        std::ranges::any_of(cluster_.populations().special_on(node), [&](const auto& entry) {
          return any_conflict(disks_, cluster_.shape(entry.shape).spec->volumes);
        });
    taken ? conflicting_.set(node.index) : conflicting_.reset(node.index);
  }

  const core::Cluster& cluster_;
  std::string ns_;
  Volumes disks_;
  std::vector<std::string> exclusive_claims_;  // ReadWriteOncePod
  Bitset conflicting_;                         // nodes that have one of the disks
  bool claims_taken_ = false;                  // some pod uses one of the exclusive claims
};

}  // namespace

core::EventKind VolumeRestrictions::wakes_on() const {
  using core::EventKind;
  return EventKind::pod_removed | EventKind::node_added | EventKind::storage;
}

bool VolumeRestrictions::worth_retrying(const core::Cluster&, const model::Pod& rejected,
                                        const core::ClusterEvent& event) const {
  if (!core::has(event.kinds, core::EventKind::pod_removed) || event.pod == nullptr) return true;
  const Volumes& gone = event.pod->spec->volumes;
  if (any_conflict(rejected.spec->volumes, gone)) return true;
  return event.pod->meta.ns == rejected.meta.ns &&
         std::ranges::any_of(rejected.spec->volumes, [&](const Volume& volume) {
           return volume.source == Volume::Source::claim && uses_claim(gone, volume.id);
         });
}

core::Prepared<core::FilterEvaluator> VolumeRestrictions::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const model::Pod& pod = *pods.sample;
  Volumes disks;
  std::vector<std::string> exclusive;
  for (const auto& volume : pod.spec->volumes) {
    if (is_disk(volume)) disks.push_back(volume);
    if (volume.source != Volume::Source::claim) continue;
    const auto* claim = cluster.find_object<model::PersistentVolumeClaim>(pod.meta.ns, volume.id);
    if (claim == nullptr) {
      return Prepared::refuse(not_found(kName, "persistentvolumeclaim", volume.id));
    }
    if (has_access_mode(*claim, "ReadWriteOncePod")) exclusive.push_back(volume.id);
  }
  if (disks.empty() && exclusive.empty()) return Prepared::skip();
  return Prepared::ready(
      std::make_unique<Restrictions>(cluster, pod.meta.ns, std::move(disks), std::move(exclusive)));
}

}  // namespace tutti::plugins
