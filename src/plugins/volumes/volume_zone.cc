#include "plugins/volumes/volume_zone.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "plugins/volumes/claims.h"

namespace tutti::plugins {
namespace {

struct TopologyLabel {
  std::string_view key;
  std::string_view today;  // the key's name since it became stable
};
constexpr std::array<TopologyLabel, 4> kTopologyLabels = {{
    {"failure-domain.beta.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"failure-domain.beta.kubernetes.io/region", "topology.kubernetes.io/region"},
    {"topology.kubernetes.io/zone", "topology.kubernetes.io/zone"},
    {"topology.kubernetes.io/region", "topology.kubernetes.io/region"},
}};

// A volume in several zones lists them as "a__b".
std::vector<std::string> zones_of(std::string_view text) {
  constexpr std::string_view kBetween = "__";
  std::vector<std::string> zones;
  for (;;) {
    const auto end = text.find(kBetween);
    zones.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) return zones;
    text.remove_prefix(end + kBetween.size());
  }
}

struct Demand {
  TopologyLabel label;
  std::vector<std::string> values;  // any of them
};

bool met(const Demand& demand, const model::Labels& labels) {
  const auto* value = model::find(labels, demand.label.key);
  if (value == nullptr) value = model::find(labels, demand.label.today);
  return value != nullptr && std::ranges::find(demand.values, *value) != demand.values.end();
}

// Clusters that know no zones are left alone.
bool has_any_topology(const model::Labels& labels) {
  return std::ranges::any_of(kTopologyLabels, [&](const TopologyLabel& label) {
    return model::find(labels, label.key) != nullptr;
  });
}

// Fixed once made: pods coming and going move no volume.
class Zones final : public core::FilterEvaluator {
 public:
  Zones(const core::Cluster& cluster, const std::vector<Demand>& demands)
      : reachable_(cluster.nodes().live()) {
    cluster.nodes().live().for_each_set([&](std::size_t node) {
      const auto& labels = cluster.node({static_cast<std::uint32_t>(node)}).meta.labels;
      const auto holds = [&](const Demand& demand) { return met(demand, labels); };
      if (has_any_topology(labels) && !std::ranges::all_of(demands, holds)) reachable_.reset(node);
    });
  }
  void filter(Bitset& nodes) const override { nodes.and_with(reachable_); }
  bool accepts(core::NodeId node) const override { return reachable_.test(node.index); }
  std::vector<core::PluginStatus> explain(core::NodeId) const override {
    return {{core::Code::unresolvable, VolumeZone::kName, "node(s) had no available volume zone"}};
  }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }

 private:
  Bitset reachable_;
};

core::PluginStatus zone_refusal(std::string reason) {
  return {core::Code::unresolvable, VolumeZone::kName, std::move(reason)};
}

// Why a claim without a volume stands in the way; nothing if its volume is yet to be chosen.
std::optional<core::PluginStatus> unbound_problem(const core::Cluster& cluster,
                                                  const model::PersistentVolumeClaim& claim) {
  const std::string name = class_name(claim);
  if (name.empty()) {
    return zone_refusal("PersistentVolumeClaim had no pv name and storageClass name");
  }
  const auto* storage_class = cluster.find_object<model::StorageClass>({}, name);
  if (storage_class == nullptr) {
    return not_found(VolumeZone::kName, "storageclass.storage.k8s.io", name);
  }
  if (storage_class->wait_for_first_consumer) return std::nullopt;
  return zone_refusal("PersistentVolume had no name");
}

std::vector<Demand> demands_of(const model::PersistentVolume& volume) {
  std::vector<Demand> demands;
  for (const auto& label : kTopologyLabels) {
    const auto* value = model::find(volume.meta.labels, label.key);
    if (value != nullptr) demands.push_back({label, zones_of(*value)});
  }
  return demands;
}

}  // namespace

core::Prepared<core::FilterEvaluator> VolumeZone::prepare_filter(const core::Cluster& cluster,
                                                                 const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const model::Pod& pod = *pods.sample;
  std::vector<Demand> demands;
  for (const auto& volume : pod.spec->volumes) {
    if (volume.source != model::Volume::Source::claim) continue;
    const auto* claim = cluster.find_object<model::PersistentVolumeClaim>(pod.meta.ns, volume.id);
    if (claim == nullptr) {
      return Prepared::refuse(not_found(kName, "persistentvolumeclaim", volume.id));
    }
    if (claim->volume_name.empty()) {
      if (auto problem = unbound_problem(cluster, *claim)) {
        return Prepared::refuse(*std::move(problem));
      }
      continue;
    }
    const auto* bound = cluster.find_object<model::PersistentVolume>({}, claim->volume_name);
    if (bound == nullptr) {
      return Prepared::refuse(not_found(kName, "persistentvolume", claim->volume_name));
    }
    std::ranges::move(demands_of(*bound), std::back_inserter(demands));
  }
  if (demands.empty()) return Prepared::skip();
  return Prepared::ready(std::make_unique<Zones>(cluster, demands));
}

}  // namespace tutti::plugins
