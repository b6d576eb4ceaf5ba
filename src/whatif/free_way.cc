// The way that ends others' work: as few of them as it takes (free_search.h).
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "devices/picture.h"
#include "explain/text.h"
#include "model/device.h"
#include "whatif/free_search.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

// Nodes that a sentence names.
constexpr std::size_t kNodesNamed = 3;

// What a person would free: a device if a member wants one, else what most nodes have too little
// of.
core::ResourceId scarce(const Rehearsal& rehearsal, const Headroom& headroom) {
  const core::Cluster& cluster = rehearsal.cluster();
  const auto requests_of = [&](core::PodId pod) -> const auto& {
    return cluster.shape(cluster.pod(pod).shape).requests;
  };
  for (const core::PodId pod : rehearsal.waiting()) {
    for (const auto& request : requests_of(pod)) {
      if (request.resource > core::kPods) return request.resource;
    }
  }
  const auto& requests = requests_of(rehearsal.asker().pod);
  std::map<core::ResourceId, std::size_t> nodes;
  cluster.live_nodes().for_each_set([&](std::size_t node) {
    ++nodes[headroom.bottleneck({static_cast<std::uint32_t>(node)}).resource];
  });
  core::ResourceId chosen = requests.front().resource;
  for (const auto& request : requests) {
    if (request.resource != core::kPods && nodes[request.resource] > nodes[chosen]) {
      chosen = request.resource;
    }
  }
  return chosen;
}

// Devices that the pod holds by claims, if the asker wants such.
std::size_t devices_of(const Rehearsal& rehearsal, core::PodId pod) {
  const core::Cluster& cluster = rehearsal.cluster();
  const auto wants = [&](core::PodId member) { return cluster.wants_devices(member); };
  if (!wants(pod) || std::ranges::none_of(rehearsal.waiting(), wants)) return 0;
  const model::Pod& object = *cluster.pod(pod).object;
  std::size_t devices = 0;
  for (const auto& entry : object.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, object.status.claim_statuses);
    if (name == nullptr) continue;
    const auto claim = cluster.devices().find_claim(object.meta.ns, *name);
    if (!claim.valid()) continue;
    const auto& allocation = cluster.devices().claim(claim).object->allocation;
    if (allocation) devices += allocation->results.size();
  }
  return devices;
}

// "which frees 8 nvidia.com/gpu on nodes n1, n2"; only where, if it is not an amount that counts
std::string freed(const Rehearsal& rehearsal, const Units& units, const FreeSearch::Choice& choice,
                  core::ResourceId resource) {
  const core::Cluster& cluster = rehearsal.cluster();
  std::int64_t amount = 0;
  std::size_t devices = 0;
  std::set<std::string> nodes;
  for (const std::uint32_t unit : choice) {
    for (const core::PodId pod : units.running(unit)) {
      devices += devices_of(rehearsal, pod);
      amount += cluster.shape(cluster.pod(pod).shape).request(resource);
      nodes.insert(cluster.node_name(cluster.pod(pod).node));
    }
  }
  const std::string name(cluster.resource_name(resource));
  const std::string where =
      nodes.size() > kNodesNamed
          ? explain::counted(nodes.size(), "node")
          : fmt::format("{} {}", nodes.size() == 1 ? "node" : "nodes", fmt::join(nodes, ", "));
  if (devices > 0)
    return fmt::format("which frees {} on {}", explain::counted(devices, "device"), where);
  if (amount == 0 || resource == core::kPods) return "which makes room on " + where;
  return fmt::format("which frees {} {} on {}", explain::amount_text(name, amount), name, where);
}

// "PodGroup t/v (4 pods)"
std::string title(const Units& units, std::uint32_t unit) {
  const std::string name = units.name(unit);
  if (name.starts_with("Pod ")) return name;
  return fmt::format("{} ({})", name, explain::counted(units.running(unit).size(), "pod"));
}

}  // namespace

void add_free_way(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  const Units units(rehearsal);
  if (units.size() == 0) return;
  const core::ResourceId resource = scarce(rehearsal, headroom);
  FreeSearch search(rehearsal, headroom, units, resource);
  FreeSearch::Choice choice = search.run();
  if (choice.empty()) return;
  const auto& outcome = search.outcome_of(choice);
  std::ranges::sort(choice, {}, [&](std::uint32_t unit) { return units.name(unit); });
  std::vector<std::string> names;
  std::vector<explain::ObjectName> end;
  for (const std::uint32_t unit : choice) {
    names.push_back(title(units, unit));
    const auto objects = units.end(unit);
    end.insert(end.end(), objects.begin(), objects.end());
  }
  explain::Way way{"free",
                   fmt::format("end {}, {}", explain::first_of(names),
                               freed(rehearsal, units, choice, resource)),
                   {{std::move(end), {}, true}}};
  ways.push_back(with_evictions(std::move(way), outcome));
}

}  // namespace tutti::whatif
