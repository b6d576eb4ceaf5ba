#include "plugins/placement/topology_placement.h"

#include "core/topology/domains.h"

namespace tutti::plugins {
namespace {

core::PluginStatus verdict(core::Code code, std::string reason) {
  return {code, TopologyPlacementGenerator::kName, std::move(reason)};
}

}  // namespace

core::EventKind TopologyPlacementGenerator::wakes_on() const {
  using enum core::EventKind;
  return node_added | node_labels | pod_removed | group | devices;
}

// Whether the event may help: of device objects only what drivers publish says where nodes are.
bool TopologyPlacementGenerator::worth_retrying(const core::Cluster&, const model::Pod&,
                                                const core::ClusterEvent& event) const {
  return !has(event.kinds, core::EventKind::devices) ||
         (event.object != nullptr && event.object->kind == model::Kind::resource_slice);
}

core::PlacementGeneratePlugin::Generated TopologyPlacementGenerator::generate(
    const core::Cluster& cluster, const core::GroupTable& groups, core::GroupId group,
    const Bitset& within) const {
  const std::string& key = groups[group].spec().topology_key;
  if (key.empty()) return {{}, {{"", "", within}}};
  const auto pinned = core::common_domains(cluster, core::scheduled_members(groups, group), key);
  if (!pinned.ok()) return {verdict(core::Code::error, pinned.error().message), {}};
  Generated generated{{}, core::domains_within(cluster, key, within, *pinned)};
  if (generated.placements.empty()) {
    generated.verdict = verdict(core::Code::unschedulable, "no node belongs to a domain of " + key);
  }
  return generated;
}

}  // namespace tutti::plugins
