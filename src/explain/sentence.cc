#include "explain/sentence.h"

#include <fmt/format.h>

#include <algorithm>

#include "explain/text.h"

namespace tutti::explain {
namespace {

// Everything the sentences are made of.
struct Scene {
  const core::Attempt& attempt;
  const core::Cluster& cluster;
  const Demand& demand;
  const Ruling& ruling;

  const model::Pod& pod() const { return *cluster.pod(demand.classes.front().sample).object; }
  const core::PodShape& shape() const {
    return cluster.shape(cluster.pod(demand.classes.front().sample).shape);
  }
  bool alike() const { return demand.classes.size() == 1; }
  std::size_t node_count() const { return cluster.node_count(); }
};

// "3 cpu", "2 nvidia.com/gpu", "1 pod slot".
std::string amount(const Scene& scene, core::ResourceId resource, std::int64_t value) {
  if (resource == core::kPods) return counted(static_cast<std::size_t>(value), "pod slot");
  const auto name = scene.cluster.resource_name(resource);
  return fmt::format("{} {}", amount_text(name, value), name);
}

std::string each(const Scene& scene, core::ResourceId resource) {
  return amount(scene, resource, scene.shape().request(resource));
}

std::int64_t most_on_one_node(const Scene& scene, const Bitset& nodes) {
  const core::ResourceId resource = scene.ruling.balance->resource;
  const auto all = scene.cluster.allocatable(resource);
  const auto used = scene.cluster.used(resource);
  std::int64_t most = 0;
  nodes.for_each_set([&](std::size_t node) {
    most = std::max(most, all[node] - (scene.ruling.room == Room::free ? used[node] : 0));
  });
  return most;
}

// What the group asks for: "needs 4 pods of 3 cpu at once".
std::string wanted(const Scene& scene, core::ResourceId resource) {
  const auto& demand = scene.demand;
  const std::string_view more = demand.running > 0 ? "more " : "";
  const std::string_view at_once = demand.missing > 1 ? " at once" : "";
  const auto pods = fmt::format("{} {}pod{}", demand.missing, more, demand.missing == 1 ? "" : "s");
  if (scene.alike()) return fmt::format("needs {} of {}{}", pods, each(scene, resource), at_once);
  return fmt::format("needs {}{} ({} in all)", pods, at_once,
                     amount(scene, resource, scene.ruling.balance->need));
}

struct RoomNow {
  std::size_t pods = 0;   // at most what is missing
  std::size_t nodes = 0;  // that have room for at least one
  bool one_each = true;
};
RoomNow room_now(const Scene& scene) {
  RoomNow room;
  const auto accepted = scene.demand.classes.front().survey.accepted_but_for(Blocker::capacity);
  accepted.for_each_set([&](std::size_t node) {
    const std::size_t here =
        fitting(scene.cluster, scene.shape(), {static_cast<std::uint32_t>(node)}, Room::free);
    if (here == 0) return;
    ++room.nodes;
    room.pods += here;
    room.one_each = room.one_each && here == 1;
  });
  return room;
}

std::string fit_now(const Scene& scene, core::ResourceId resource) {
  const std::size_t missing = scene.demand.missing;
  if (!scene.alike()) {
    const std::size_t had = members_had(scene.attempt, scene.demand) - scene.demand.running;
    return had == 0 ? "none fits now" : fmt::format("{} fit now", had);
  }
  const RoomNow room = room_now(scene);
  if (room.pods == 0) return "none fits now";
  const std::size_t fit = std::min(room.pods, missing);
  auto text = fmt::format("{} {} now ({} {} room{})", fit, fit == 1 ? "fits" : "fit",
                          counted(room.nodes, "node"), room.nodes == 1 ? "has" : "have",
                          room.one_each && room.nodes > 1 ? " for one each" : "");
  if (missing > fit) {
    text += fmt::format(", {} more {} {}{}", missing - fit, missing - fit == 1 ? "needs" : "need",
                        each(scene, resource),
                        missing - fit == 1 ? " on one node" : " each on one node");
  }
  return text;
}

std::string scattered(const Scene& scene) {
  if (scene.ruling.blocker != Blocker::fragmentation) return {};
  const auto& balance = *scene.ruling.balance;
  const std::string_view room = scene.ruling.room == Room::free ? "free" : "there";
  return fmt::format("; {} are {} in all, but not in that shape",
                     amount(scene, balance.resource, balance.have), room);
}

std::string of_resources(const Scene& scene) {
  const core::ResourceId resource = scene.ruling.balance->resource;
  if (scene.node_count() == 0) return "the cluster has no nodes";
  if (!scene.demand.lone) {
    return fmt::format("{}; {}{}", wanted(scene, resource), fit_now(scene, resource),
                       scattered(scene));
  }
  const Bitset usable = usable_nodes(scene.cluster, scene.demand);
  return fmt::format(
      "needs {} on one node; {} could take it and the most that is free on one is {}{}",
      each(scene, resource), counted(usable.count(), "node"),
      amount(scene, resource, most_on_one_node(scene, usable)), scattered(scene));
}

std::string of_the_impossible(const Scene& scene) {
  const core::ResourceId resource = scene.ruling.balance->resource;
  const Bitset& all = scene.cluster.live_nodes();
  if (members_fitting(scene.cluster, scene.demand, all, Room::empty) == 0) {
    return fmt::format("needs {} on one node; the largest of {} has {}",
                       scene.alike() ? each(scene, resource) : "more room",
                       counted(scene.node_count(), "node"),
                       amount(scene, resource, most_on_one_node(scene, all)));
  }
  if (scene.ruling.blocker == Blocker::fragmentation) {
    return fmt::format("{}; even when empty, {} hold {}{}", wanted(scene, resource),
                       counted(scene.node_count(), "node"),
                       members_fitting(scene.cluster, scene.demand, all, Room::empty),
                       scattered(scene));
  }
  return fmt::format("{}, {} in all; even when empty, {} have {}", wanted(scene, resource),
                     amount(scene, resource, scene.ruling.balance->need),
                     counted(scene.node_count(), "node"),
                     amount(scene, resource, scene.ruling.balance->have));
}

std::string of_topology(const Scene& scene) {
  const auto& demand = scene.demand;
  const auto& domains = scene.attempt.placements;
  const auto* labelled = scene.cluster.nodes_with_key(demand.topology_key);
  if (labelled == nullptr || labelled->none()) {
    return fmt::format("must stay in one domain of {}, but no node has that label (0 of {})",
                       demand.topology_key, scene.node_count());
  }
  auto text = fmt::format("needs {} in one domain of {}", counted(demand.required, "pod"),
                          demand.topology_key);
  if (domains.empty()) return text;
  const auto& best = *std::ranges::max_element(domains, {}, &core::PlacementReport::fit);
  text += fmt::format("; the best of {}, {}, holds {}", counted(domains.size(), "domain"),
                      best.value, best.fit);
  return text + (scene.ruling.state == State::impossible
                     ? ", and none is large enough even when empty"
                     : ", though the nodes together have the room");
}

// "no node has label gpu=h100 (0 of 12)", or empty if every label is on some node.
std::string missing_label(const Scene& scene) {
  for (const auto& [key, value] : scene.pod().spec->node_selector) {
    const auto* nodes = scene.cluster.nodes_with_label(key, value);
    if (nodes != nullptr && nodes->any()) continue;
    return fmt::format("no node has label {}={} (0 of {})", key, value, scene.node_count());
  }
  return {};
}

// The dominant plugin's own words.
std::string of_plugin(const Scene& scene) {
  const auto& rejection = scene.ruling.rejection;
  for (const auto& members : scene.demand.classes) {
    for (const auto& filter : members.survey.filters) {
      if (filter.plugin == rejection.plugin && !filter.refusal.empty()) return filter.refusal;
    }
  }
  for (const auto& report : scene.attempt.classes) {
    for (const auto& reason : report.diagnosis.reasons) {
      if (reason.plugin != rejection.plugin) continue;
      if (reason.nodes == 0) return reason.reason;
      return "no node takes it now; " +
             reason_text(reason.nodes, report.diagnosis.nodes, reason.reason);
    }
  }
  return fmt::format("{} of {} are kept from it by {}", rejection.nodes,
                     counted(scene.node_count(), "node"), rejection.plugin);
}

}  // namespace

std::size_t members_had(const core::Attempt& attempt, const Demand& demand) {
  std::size_t had = demand.running + std::min(attempt.placed, attempt.tried);
  if (!attempt.placements.empty()) {
    had = std::ranges::max(attempt.placements, {}, &core::PlacementReport::fit).fit;
  }
  return std::clamp(had, demand.running, demand.running + demand.missing - 1);
}

std::string sentence(const core::Attempt& attempt, const core::Cluster& cluster,
                     const Demand& demand, const Ruling& ruling) {
  const Scene scene{attempt, cluster, demand, ruling};
  if (ruling.state == State::invalid) return attempt.message;
  if (attempt.code == core::Code::error) {
    return "its binding fails: " + attempt.message.substr(kBindingFailed.size());
  }
  if (ruling.blocker == Blocker::budget) {
    return "the search for a placement ended with its budget, neither found nor ruled out; " +
           attempt.message;
  }
  if (ruling.balance) {
    return ruling.state == State::impossible ? of_the_impossible(scene) : of_resources(scene);
  }
  if (ruling.blocker == Blocker::topology && ruling.rejection.plugin.empty()) {
    return of_topology(scene);
  }
  if (ruling.blocker == Blocker::none) return attempt.message;
  if (auto label = missing_label(scene); ruling.blocker == Blocker::affinity && !label.empty()) {
    return label;
  }
  return of_plugin(scene);
}

}  // namespace tutti::explain
