// Ways that change the cluster: a cordon lifted, a device repaired.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "model/device.h"
#include "model/node.h"
#include "whatif/change_target.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using explain::Datum;

// More candidates than this are not tried one by one.
constexpr std::size_t kTried = 64;
constexpr std::string_view kUnschedulableTaint = "node.kubernetes.io/unschedulable";

// --- cordons -------------------------------------------------------------------------------------

// Lists cordoned nodes whose room could be what is missing beside that of open nodes.
std::vector<const model::Node*> cordoned(const core::Cluster& cluster, const Headroom& headroom) {
  const auto domain_of = headroom.domains(headroom.key());
  std::vector<std::int64_t> open(headroom.rooms().begin(), headroom.rooms().end());
  cluster.nodes().unschedulable().for_each_set([&](std::size_t index) { open[index] = 0; });
  const auto rooms = headroom.by_domain(headroom.key(), open);
  std::vector<const model::Node*> nodes;
  cluster.nodes().unschedulable().for_each_set([&](std::size_t index) {
    const std::uint32_t domain = domain_of[index];
    if (domain == core::kNoIndex) return;
    if (rooms[domain] + headroom.rooms()[index] < headroom.needed()) return;
    nodes.push_back(&cluster.node({static_cast<std::uint32_t>(index)}));
  });
  std::ranges::sort(nodes, {}, [](const model::Node* node) { return node->meta.name; });
  if (nodes.size() > kTried) nodes.resize(kTried);
  return nodes;
}

bool is_cordon(const model::Taint& taint) { return taint.key == kUnschedulableTaint; }

// The field, and the taint that a controller puts beside it.
explain::ObjectChange uncordon(const model::Node& node) {
  explain::ObjectChange change{{{"Node", "", node.meta.name}}};
  if (node.unschedulable) change.patch.push_back({"remove", "/spec/unschedulable"});
  for (std::size_t i = node.taints.size(); i-- > 0;) {
    if (!is_cordon(node.taints[i])) continue;
    change.patch.push_back({"remove", fmt::format("/spec/taints/{}", i)});
  }
  return change;
}

std::shared_ptr<const model::Node> uncordoned(const model::Node& node) {
  auto copy = std::make_shared<model::Node>(node);
  copy->unschedulable = false;
  std::erase_if(copy->taints, is_cordon);
  return copy;
}

// --- devices -------------------------------------------------------------------------------------

bool forbids(const model::DeviceTaint& taint) {
  return taint.effect == "NoSchedule" || taint.effect == "NoExecute";
}

struct SickDevice {
  std::shared_ptr<const model::ResourceSlice> slice;
  std::size_t index = 0;
};

const model::Device& device_of(const SickDevice& sick) { return sick.slice->devices[sick.index]; }

// By pool, so that several of one place can be repaired together.
std::map<std::string, std::vector<SickDevice>> sick_devices(const core::Cluster& cluster) {
  std::map<std::string, std::vector<SickDevice>> by_pool;
  for (const auto& [key, object] : cluster.objects(model::Kind::resource_slice)) {
    const auto slice = std::static_pointer_cast<const model::ResourceSlice>(object);
    for (std::size_t i = 0; i < slice->devices.size(); ++i) {
      if (std::ranges::none_of(slice->devices[i].taints, forbids)) continue;
      by_pool[slice->driver + "/" + slice->pool].push_back({slice, i});
    }
  }
  return by_pool;
}

Rehearsal::Outcome with_repaired(Rehearsal& rehearsal, const std::vector<SickDevice>& sick) {
  std::map<std::string, std::shared_ptr<model::ResourceSlice>> slices;
  for (const SickDevice& one : sick) {
    auto& copy = slices[one.slice->meta.name];
    if (copy == nullptr) copy = std::make_shared<model::ResourceSlice>(*one.slice);
    std::erase_if(copy->devices[one.index].taints, forbids);
  }
  return rehearsal.around([&](core::WhatIf& what_if) {
    for (const auto& [name, slice] : slices) what_if.set_object(slice);
  });
}

// Leaves out, one after another, devices that need not be repaired.
std::vector<SickDevice> least(Rehearsal& rehearsal, std::vector<SickDevice> sick) {
  for (std::size_t i = sick.size(); i-- > 0 && sick.size() > 1;) {
    std::vector<SickDevice> fewer = sick;
    fewer.erase(fewer.begin() + static_cast<std::ptrdiff_t>(i));
    if (with_repaired(rehearsal, fewer).runs) sick = std::move(fewer);
  }
  return sick;
}

explain::Way repair_way(const std::vector<SickDevice>& sick) {
  explain::Way way{"repairDevice", {}};
  std::vector<std::string> names;
  for (const SickDevice& one : sick) {
    const model::Device& device = device_of(one);
    names.push_back(fmt::format("{}/{}/{}", one.slice->driver, one.slice->pool, device.name));
    explain::ObjectChange change{{{"ResourceSlice", "", one.slice->meta.name}}};
    const std::string basic =
        one.slice->api_version == model::kResourceV1Beta1 ? "/basic/taints" : "/taints";
    for (std::size_t i = device.taints.size(); i-- > 0;) {
      if (!forbids(device.taints[i])) continue;
      change.patch.push_back({"remove", fmt::format("/spec/devices/{}{}/{}", one.index, basic, i)});
    }
    const auto same =
        std::ranges::find(way.changes, change.objects, &explain::ObjectChange::objects);
    if (same == way.changes.end()) {
      way.changes.push_back(std::move(change));
    } else {
      same->patch.insert(same->patch.end(), change.patch.begin(), change.patch.end());
    }
  }
  way.summary =
      fmt::format("repair {} {}, so that {} no taint", names.size() == 1 ? "device" : "devices",
                  fmt::join(names, ", "), names.size() == 1 ? "it has" : "they have");
  return way;
}

bool add_rule_way(Rehearsal& rehearsal, Ways& ways) {
  const auto rules = rehearsal.cluster().objects(model::Kind::device_taint_rule);
  for (const auto& [key, rule] : rules) {
    const auto& taint = model::as<model::DeviceTaintRule>(*rule).taint;
    const auto outcome =
        rehearsal.around([&, r = rule](core::WhatIf& what_if) { what_if.remove_object(r); });
    if (!outcome.runs) continue;
    explain::Way way{"repairDevice",
                     fmt::format("delete DeviceTaintRule {} (taint {}) once its devices are well",
                                 key.name, taint.key),
                     {{{{"DeviceTaintRule", "", key.name}}, {}, true}}};
    ways.push_back(with_evictions(std::move(way), outcome));
    return true;
  }
  return false;
}

}  // namespace

void add_cordon_way(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  for (const model::Node* node : cordoned(rehearsal.cluster(), headroom)) {
    const auto open = uncordoned(*node);
    const auto change = uncordon(*node);
    // The rehearsal replaces the node's object, and with it what was pointed at.
    const auto outcome = rehearsal.around([&](core::WhatIf& what_if) { what_if.set_node(open); });
    if (!outcome.runs) continue;
    explain::Way way{"uncordon", fmt::format("uncordon node {}", open->meta.name), {change}};
    ways.push_back(with_evictions(std::move(way), outcome));
    return;
  }
}

void add_device_way(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  const bool wants = std::ranges::any_of(
      rehearsal.waiting(), [&](core::PodId pod) { return rehearsal.cluster().wants_devices(pod); });
  if (!wants || !headroom.suffices()) return;
  if (add_rule_way(rehearsal, ways)) return;
  std::size_t tried = 0;
  std::vector<SickDevice> best;
  for (const auto& [pool, sick] : sick_devices(rehearsal.cluster())) {
    if (++tried > kTried || best.size() == 1) break;
    if (!with_repaired(rehearsal, sick).runs) continue;
    auto fewest = least(rehearsal, sick);
    if (best.empty() || fewest.size() < best.size()) best = std::move(fewest);
  }
  if (best.empty()) return;
  ways.push_back(with_evictions(repair_way(best), with_repaired(rehearsal, best)));
}

}  // namespace tutti::whatif
