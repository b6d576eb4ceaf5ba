// The way that ends others' work: as few of them as it takes (free_search.h).
#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "devices/device_state.h"
#include "explain/findings/blocker.h"
#include "explain/findings/filter_survey.h"
#include "explain/verdict/text.h"
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
  cluster.nodes().live().for_each_set([&](std::size_t node) {
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

// What the work that ends gives back, as far as the asker has use for it.
class Freed {
 public:
  Freed(const Rehearsal& rehearsal, const Units& units, const FreeSearch::Choice& choice)
      : rehearsal_(rehearsal), cluster_(rehearsal.cluster()) {
    for (const std::uint32_t unit : choice) {
      const auto pods = units.running(unit);
      pods_.insert(pods_.end(), pods.begin(), pods.end());
    }
    for (const core::PodId pod : pods_) nodes_.insert(cluster_.pod(pod).node);
  }

  // "which frees 8 nvidia.com/gpu on nodes n1, n2"; only where, if nothing of it can be named.
  // `scarce`: what is told where the nodes do not say what they have too little of.
  std::string text(core::ResourceId scarce) const {
    std::vector<std::string> parts = devices();
    if (parts.empty()) parts = amounts(scarce);
    std::ranges::move(ports(), std::back_inserter(parts));
    std::ranges::move(volumes(), std::back_inserter(parts));
    if (parts.empty()) return "which makes room on " + where();
    return fmt::format("which frees {} on {}", fmt::join(parts, " and "), where());
  }

 private:
  const core::PodShape& shape(core::PodId pod) const {
    return cluster_.shape(cluster_.pod(pod).shape);
  }

  // Whether a filter of this kind keeps the asker off one of the nodes as things are.
  bool is_kept_off_by(explain::Blocker blocker) const {
    const core::PodId asker = rehearsal_.asker().pod;
    const auto* profile = rehearsal_.scheduler().profile_for(*cluster_.pod(asker).object);
    if (profile == nullptr) return false;
    const auto said = explain::survey(cluster_, *profile, cluster_.class_of(asker));
    return std::ranges::any_of(said.filters, [&](const explain::FilterSurvey::Filter& filter) {
      return filter.blocker() == blocker && std::ranges::any_of(nodes_, [&](core::NodeId node) {
               return filter.rejected.test(node.index);
             });
    });
  }

  std::vector<std::string> devices() const {
    std::size_t held = 0;
    for (const core::PodId pod : pods_) held += devices_of(rehearsal_, pod);
    if (held == 0) return {};
    return {explain::counted(held, "device")};
  }

  // What one of the nodes has too little of for the asker.
  std::set<core::ResourceId> missing() const {
    std::set<core::ResourceId> found;
    for (const auto& request : shape(rehearsal_.asker().pod).requests) {
      const auto all = cluster_.resources().allocatable(request.resource);
      const auto used = cluster_.resources().used(request.resource);
      for (const core::NodeId node : nodes_) {
        if (all[node.index] - used[node.index] < request.amount) found.insert(request.resource);
      }
    }
    return found;
  }

  std::vector<std::string> amounts(core::ResourceId scarce) const {
    const auto short_of = missing();
    // The first member of a gang may still find a place where the next does not.
    const bool nothing_else =
        !is_kept_off_by(explain::Blocker::ports) && !is_kept_off_by(explain::Blocker::volumes);
    core::ResourceId told = scarce;
    if (!short_of.contains(scarce)) {
      if (short_of.empty() && !nothing_else) return {};
      if (!short_of.empty()) told = *short_of.begin();
    }
    std::int64_t amount = 0;
    for (const core::PodId pod : pods_) amount += shape(pod).request(told);
    if (amount == 0) return {};
    if (told == core::kPods) return {explain::counted(pods_.size(), "pod slot")};
    const std::string name(cluster_.resources().name(told));
    return {explain::amount_text(name, amount) + " " + name};
  }

  std::vector<std::string> ports() const {
    if (!is_kept_off_by(explain::Blocker::ports)) return {};
    std::set<std::int32_t> wanted;
    for (const auto& port : shape(rehearsal_.asker().pod).host_ports) wanted.insert(port.port);
    std::set<std::int32_t> held;
    for (const core::PodId pod : pods_) {
      for (const auto& port : shape(pod).host_ports) {
        if (wanted.contains(port.port)) held.insert(port.port);
      }
    }
    if (held.empty()) return {};
    return {fmt::format("host port{} {}", held.size() == 1 ? "" : "s", fmt::join(held, ", "))};
  }

  std::vector<std::string> volumes() const {
    if (!is_kept_off_by(explain::Blocker::volumes)) return {};
    const model::Pod& asker = *cluster_.pod(rehearsal_.asker().pod).object;
    std::set<std::string> shared;
    for (const core::PodId pod : pods_) {
      const model::Pod& holder = *cluster_.pod(pod).object;
      if (holder.meta.ns != asker.meta.ns) continue;
      for (const model::Volume& volume : holder.spec->volumes) {
        const auto same = [&](const model::Volume& wanted) {
          return wanted.source == volume.source && wanted.id == volume.id;
        };
        const bool is_claim = volume.source == model::Volume::Source::claim;
        if (is_claim && std::ranges::any_of(asker.spec->volumes, same)) shared.insert(volume.id);
      }
    }
    if (shared.empty()) return {};
    return {
        fmt::format("volume claim{} {}", shared.size() == 1 ? "" : "s", fmt::join(shared, ", "))};
  }

  std::string where() const {
    std::set<std::string> names;
    for (const core::NodeId node : nodes_) names.insert(cluster_.node_name(node));
    if (names.size() > kNodesNamed) return explain::counted(names.size(), "node");
    return fmt::format("{} {}", names.size() == 1 ? "node" : "nodes", fmt::join(names, ", "));
  }

  const Rehearsal& rehearsal_;
  const core::Cluster& cluster_;
  std::vector<core::PodId> pods_;
  std::set<core::NodeId> nodes_;
};

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
                               Freed(rehearsal, units, choice).text(resource)),
                   {{std::move(end), {}, true}}};
  ways.push_back(with_evictions(std::move(way), outcome));
}

}  // namespace tutti::whatif
