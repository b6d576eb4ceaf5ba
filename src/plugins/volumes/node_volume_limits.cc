// Volumes are counted once per node, however many pods use them. A claim without a volume yet
// counts for the driver that will provision it. Volumes that are attached but used by no pod count
// as well.
#include "plugins/volumes/node_volume_limits.h"

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "plugins/volumes/claims.h"

namespace tutti::plugins {
namespace {

// A volume as a driver knows it. `migrated_from` is the in-tree plugin that must have been replaced
// by the driver on the node for the volume to count there.
struct Attached {
  std::string driver;
  std::string handle;
  std::string migrated_from;
  auto operator<=>(const Attached&) const = default;
};
using AttachedSet = std::set<Attached>;

std::optional<Attached> in_tree(const model::Volume& volume) {
  switch (volume.source) {
    case model::Volume::Source::gce_disk:
      return Attached{"pd.csi.storage.gke.io", volume.id, "kubernetes.io/gce-pd"};
    case model::Volume::Source::aws_disk:
      return Attached{"ebs.csi.aws.com", volume.id, "kubernetes.io/aws-ebs"};
    default:
      return std::nullopt;
  }
}

std::optional<Attached> behind(const core::Cluster& cluster,
                               const model::PersistentVolumeClaim& claim) {
  if (const auto* volume = cluster.find_object<model::PersistentVolume>({}, claim.volume_name)) {
    if (volume->csi_driver.empty() || volume->csi_handle.empty()) return std::nullopt;
    return Attached{volume->csi_driver, volume->csi_handle, {}};
  }
  const auto* made_by = cluster.find_object<model::StorageClass>({}, class_name(claim));
  if (made_by == nullptr || made_by->provisioner.empty()) return std::nullopt;
  return Attached{made_by->provisioner, "claim " + claim_key(claim), {}};
}

struct Found {
  AttachedSet volumes;
  std::string missing_claim;  // the first that does not exist
};

// Ephemeral volumes have a claim per pod: without `pod` they are left out.
Found volumes_of(const core::Cluster& cluster, const model::PodSpec& spec, const std::string& ns,
                 const model::Pod* pod) {
  Found found;
  for (const auto& volume : spec.volumes) {
    if (auto disk = in_tree(volume)) found.volumes.insert(*std::move(disk));
    const bool named = volume.source == model::Volume::Source::claim;
    if (!named && (pod == nullptr || volume.source != model::Volume::Source::ephemeral)) continue;
    const std::string name = named ? volume.id : claim_name(*pod, volume);
    const auto* claim = cluster.find_object<model::PersistentVolumeClaim>(ns, name);
    if (claim == nullptr) {
      if (found.missing_claim.empty()) found.missing_claim = name;
      continue;
    }
    if (auto attached = behind(cluster, *claim)) found.volumes.insert(*std::move(attached));
  }
  return found;
}

bool has_ephemeral(const model::PodSpec& spec) {
  return std::ranges::any_of(spec.volumes, [](const model::Volume& volume) {
    return volume.source == model::Volume::Source::ephemeral;
  });
}

bool lists(std::string_view comma_separated, std::string_view word) {
  for (;;) {
    const auto comma = comma_separated.find(',');
    if (comma_separated.substr(0, comma) == word) return true;
    if (comma == std::string_view::npos) return false;
    comma_separated.remove_prefix(comma + 1);
  }
}

bool counts_on(const model::CsiNode& node, const Attached& volume) {
  if (volume.migrated_from.empty()) return true;
  const auto* migrated =
      model::find(node.meta.annotations, "storage.alpha.kubernetes.io/migrated-plugins");
  return migrated != nullptr && lists(*migrated, volume.migrated_from);
}

class Limits final : public core::FilterEvaluator {
 public:
  Limits(const core::Cluster& cluster, AttachedSet wanted)
      : cluster_(cluster),
        wanted_(std::move(wanted)),
        limited_(cluster.nodes().slots()),
        full_(cluster.nodes().slots()) {
    for (const auto& [key, object] : cluster.objects(model::Kind::csi_node)) {
      const auto& csi = model::as<model::CsiNode>(*object);
      const auto node = cluster.nodes().find(csi.meta.name);
      if (node && limits_a_wanted_driver(csi)) limited_.set(node->index);
    }
    if (limited_.any()) read_attachments();
    limited_.for_each_set([&](std::size_t node) { look_at({static_cast<std::uint32_t>(node)}); });
  }

  bool limits_any() const { return limited_.any(); }
  void filter(Bitset& nodes) const override { nodes.and_not(full_); }
  bool accepts(core::NodeId node) const override { return !full_.test(node.index); }
  std::vector<core::PluginStatus> explain(core::NodeId) const override {
    return {
        {core::Code::unschedulable, NodeVolumeLimits::kName, "node(s) exceed max volume count"}};
  }
  core::Effect changed(const core::Change& change) override {
    const std::size_t node = change.node.index;
    if (!limited_.test(node) || !cluster_.shape(change.shape).has_volumes) {
      return core::Effect::none;
    }
    const bool before = full_.test(node);
    look_at(change.node);
    return full_.test(node) == before ? core::Effect::none : core::Effect::node;
  }

 private:
  bool limits_a_wanted_driver(const model::CsiNode& csi) const {
    return std::ranges::any_of(csi.drivers, [&](const model::CsiNodeDriver& driver) {
      return driver.allocatable_count && std::ranges::any_of(wanted_, [&](const Attached& volume) {
               return volume.driver == driver.name;
             });
    });
  }

  void read_attachments() {
    for (const auto& [key, object] : cluster_.objects(model::Kind::volume_attachment)) {
      const auto& attachment = model::as<model::VolumeAttachment>(*object);
      const auto* volume =
          cluster_.find_object<model::PersistentVolume>({}, attachment.volume_name);
      if (attachment.attacher.empty() || volume == nullptr || volume->csi_driver.empty()) continue;
      attachments_[attachment.node_name].insert({attachment.attacher, volume->csi_handle, {}});
    }
  }

  const AttachedSet& volumes_of_shape(core::ShapeId id) {
    const auto [at, fresh] = shape_volumes_.try_emplace(id);
    const core::PodShape& shape = cluster_.shape(id);
    if (fresh && shape.has_volumes) {
      at->second = volumes_of(cluster_, *shape.spec, shape.ns, nullptr).volumes;
    }
    return at->second;
  }

  AttachedSet in_use(core::NodeId node, const model::CsiNode& csi) {
    AttachedSet used;
    const auto add = [&](const AttachedSet& volumes) {
      for (const auto& volume : volumes) {
        if (counts_on(csi, volume)) used.insert(volume);
      }
    };
    bool ephemeral = false;
    for (const auto& [shape, count] : cluster_.populations().special_on(node)) {
      add(volumes_of_shape(shape));
      ephemeral = ephemeral || has_ephemeral(*cluster_.shape(shape).spec);
    }
    if (!ephemeral) return used;
    for (const auto id : cluster_.pods().on(node)) {
      const model::Pod& pod = *cluster_.pod(id).object;
      if (has_ephemeral(*pod.spec)) {
        add(volumes_of(cluster_, *pod.spec, pod.meta.ns, &pod).volumes);
      }
    }
    return used;
  }

  void look_at(core::NodeId node) {
    const auto& csi = *cluster_.find_object<model::CsiNode>({}, cluster_.node_name(node));
    const AttachedSet used = in_use(node, csi);
    std::map<std::string, std::int64_t> present;
    std::map<std::string, std::int64_t> added;
    for (const auto& volume : used) ++present[volume.driver];
    if (const auto at = attachments_.find(cluster_.node_name(node)); at != attachments_.end()) {
      for (const auto& volume : at->second) {
        if (!used.contains(volume)) ++present[volume.driver];
      }
    }
    for (const auto& volume : wanted_) {
      if (counts_on(csi, volume) && !used.contains(volume)) ++added[volume.driver];
    }
    const bool full = std::ranges::any_of(csi.drivers, [&](const model::CsiNodeDriver& driver) {
      return driver.allocatable_count && added.contains(driver.name) &&
             present[driver.name] + added[driver.name] > *driver.allocatable_count;
    });
    full ? full_.set(node.index) : full_.reset(node.index);
  }

  const core::Cluster& cluster_;
  AttachedSet wanted_;
  Bitset limited_;                                  // nodes that limit a driver of a wanted volume
  Bitset full_;                                     // of those, the ones without room
  std::map<std::string, AttachedSet> attachments_;  // by node name
  std::unordered_map<core::ShapeId, AttachedSet> shape_volumes_;  // looked up, never walked
};

bool looked_at(const model::Volume& volume) {
  return volume.source == model::Volume::Source::claim ||
         volume.source == model::Volume::Source::ephemeral || in_tree(volume).has_value();
}

}  // namespace

core::Prepared<core::FilterEvaluator> NodeVolumeLimits::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const model::Pod& pod = *pods.sample;
  if (std::ranges::none_of(pod.spec->volumes, looked_at)) return Prepared::skip();
  auto found = volumes_of(cluster, *pod.spec, pod.meta.ns, &pod);
  if (!found.missing_claim.empty()) {
    return Prepared::refuse(not_found(kName, "persistentvolumeclaim", found.missing_claim));
  }
  auto made = std::make_unique<Limits>(cluster, std::move(found.volumes));
  if (!made->limits_any()) return Prepared::skip();
  return Prepared::ready(std::move(made));
}

}  // namespace tutti::plugins
