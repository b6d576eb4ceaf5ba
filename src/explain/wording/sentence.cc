#include "explain/wording/sentence.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cluster/topology_columns.h"
#include "core/placement/fit_message.h"
#include "core/topology/domains.h"
#include "explain/findings/reserved_capacity.h"
#include "explain/findings/slices.h"
#include "explain/verdict/text.h"
#include "explain/wording/device_sentence.h"
#include "explain/wording/misspelling.h"
#include "explain/wording/objection.h"

namespace tutti::explain {
namespace {

// Everything the sentences are made of.
struct Scene {
  const core::Attempt& attempt;
  const core::Cluster& cluster;
  const Demand& demand;
  const BlockerChoice& ruling;

  const core::PodShape& shape() const {
    return cluster.shape(cluster.pod(demand.classes.front().sample).shape);
  }
  bool alike() const { return demand.classes.size() == 1; }
  std::size_t node_count() const { return cluster.nodes().count(); }
};

// "3 cpu", "2 nvidia.com/gpu", "1 pod slot".
std::string amount(const Scene& scene, core::ResourceId resource, std::int64_t value) {
  if (resource == core::kPods) return counted(static_cast<std::size_t>(value), "pod slot");
  const auto name = scene.cluster.resources().name(resource);
  return fmt::format("{} {}", amount_text(name, value), name);
}

// "is" of one and of what is not counted in pieces: "1 cpu is", "8Gi memory is", "4 cpu are".
std::string_view is_or_are(std::string_view amount) {
  const std::string_view number = amount.substr(0, amount.find(' '));
  const bool pieces = number.find_first_not_of("0123456789") == std::string_view::npos;
  return number != "1" && pieces ? "are" : "is";
}

std::string each(const Scene& scene, core::ResourceId resource) {
  return amount(scene, resource, scene.shape().request(resource));
}

std::int64_t most_on_one_node(const Scene& scene, const Bitset& nodes) {
  return most_on_one_node(scene.cluster, scene.demand, nodes, scene.ruling.balance->resource);
}

// What the group asks for: "needs 4 pods of 3 cpu at once".
std::string wanted(const Scene& scene, core::ResourceId resource) {
  const auto& demand = scene.demand;
  const std::size_t count = asked_pods(demand);
  const std::string_view more = demand.running > 0 ? "more " : "";
  const std::string_view at_once = demand.together && count > 1 ? " at once" : "";
  const auto pods = fmt::format("{} {}pod{}", count, more, count == 1 ? "" : "s");
  if (resource == core::kPods) return fmt::format("needs {}{}", pods, at_once);
  if (scene.alike()) return fmt::format("needs {} of {}{}", pods, each(scene, resource), at_once);
  const auto sum = amount(scene, resource, scene.ruling.balance->need);
  return fmt::format("needs {}{} ({} in all)", pods, at_once, sum);
}

std::string none_fits(const Scene& scene, core::ResourceId resource) {
  std::int64_t least = scene.shape().request(resource);
  for (const auto& members : scene.demand.classes) {
    const auto& shape = scene.cluster.shape(scene.cluster.pod(members.sample).shape);
    least = std::min(least, shape.request(resource));
  }
  const std::int64_t most = most_on_one_node(scene, usable_nodes(scene.cluster, scene.demand));
  if (most >= least) return "none fits now";
  return fmt::format("none fits now (the most that is free on one node is {})",
                     amount(scene, resource, most));
}

std::string fit_now(const Scene& scene, core::ResourceId resource) {
  const std::size_t missing = asked_pods(scene.demand);
  if (!scene.alike()) {
    const std::size_t had = members_had(scene.attempt, scene.demand) - scene.demand.running;
    if (had == 0) return none_fits(scene, resource);
    return fmt::format("{} {} now", had, had == 1 ? "fits" : "fit");
  }
  const NodeStock::FreeRoom room = free_room(scene.cluster, scene.demand);
  if (room.pods == 0) return none_fits(scene, resource);
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
  const bool of_one = !scene.demand.together && asked_pods(scene.demand) > 1;
  const auto have = amount(scene, balance.resource, balance.have);
  return fmt::format("; {} {} {} in all,{} but not in that shape", have, is_or_are(have), room,
                     of_one ? " enough for one," : "");
}

// "needs 4 cpu on node n2, which it is for; 2 cpu are free there".
std::string of_the_only_node(const Scene& scene) {
  const core::ResourceId resource = scene.ruling.balance->resource;
  const auto have =
      scene.ruling.too_large
          ? amount(scene, resource, scene.ruling.balance->have)
          : amount(scene, resource,
                   most_on_one_node(scene, usable_nodes(scene.cluster, scene.demand)));
  return fmt::format(
      "needs {} on node {}, which it is for; {}", each(scene, resource), scene.ruling.only_node,
      scene.ruling.too_large ? fmt::format("it has {}", have)
                             : fmt::format("{} {} free there", have, is_or_are(have)));
}

// "pods t/a, t/b must share one domain of rack, by their affinity, and ask for 6 cpu together".
std::string of_company(const Scene& scene) {
  const Company& company = *scene.ruling.company;
  std::vector<std::string> names;
  for (const core::PodId pod : company.pods) {
    const auto& meta = scene.cluster.pod(pod).object->meta;
    names.push_back(meta.ns + "/" + meta.name);
  }
  const auto& [resource, need, have] = company.balance;
  return fmt::format(
      "pods {} must share one domain of {}, by their affinity to each other, and ask for {} "
      "together; even when empty, {} {}",
      first_of(names, ", "), company.key, amount(scene, resource, need),
      company.domains == 1 ? std::string("the only one has")
                           : fmt::format("the largest of {} has", company.domains),
      amount(scene, resource, have));
}

std::string of_resources(const Scene& scene) {
  const core::ResourceId resource = scene.ruling.balance->resource;
  if (scene.node_count() == 0) return "the cluster has no nodes";
  if (!scene.demand.lone) {
    return fmt::format("{}; {}{}", wanted(scene, resource), fit_now(scene, resource),
                       scattered(scene));
  }
  if (!scene.ruling.only_node.empty()) return of_the_only_node(scene);
  const Bitset usable = usable_nodes(scene.cluster, scene.demand);
  return fmt::format(
      "needs {} on one node; {} could take it and the most that is free on one is {}{}",
      each(scene, resource), counted(usable.count(), "node"),
      amount(scene, resource, most_on_one_node(scene, usable)), scattered(scene));
}

// The message says by itself that the budget ended.
std::string of_the_budget(std::string message) {
  if (const auto at = message.find(core::kBudgetEnded); at != std::string::npos) {
    message.erase(at, core::kBudgetEnded.size());
  }
  if (message.ends_with('.')) message.pop_back();
  return fmt::format(
      "the search for a placement ended with its budget, neither found nor ruled out; {}", message);
}

// "needs 3 cpu on one node; there is room for it, but 4 cpu of it are kept for Pod t/a (priority
// 9)".
std::string of_those_ahead(const Scene& scene) {
  const core::ResourceId resource = scene.ruling.balance->resource;
  const auto ahead = keepers(scene.cluster, scene.demand.groups,
                             usable_nodes(scene.cluster, scene.demand), resource);
  std::int64_t kept = 0;
  std::vector<std::string> names;
  for (const Reserver& keeper : ahead) {
    kept += keeper.amount;
    names.push_back(fmt::format("{} (priority {})", keeper.name, keeper.priority));
  }
  const std::string asked = scene.demand.lone
                                ? fmt::format("needs {} on one node", each(scene, resource))
                                : wanted(scene, resource);
  const auto much = amount(scene, resource, kept);
  return fmt::format("{}; there is room for it, but {} {} kept for {} until others have left",
                     asked, much, is_or_are(much), first_of(names));
}

// "8 cpu", or all that the pod asks for when only the combination is too much.
std::string too_much(const Scene& scene, const core::PodShape& shape) {
  std::vector<std::string> amounts;
  for (const auto& request : shape.requests) {
    const bool told = scene.ruling.balance ? request.resource == scene.ruling.balance->resource
                                           : request.resource != core::kPods;
    if (!told) continue;
    amounts.push_back(amount(scene, request.resource, request.amount));
  }
  return fmt::format("{}", fmt::join(amounts, " and "));
}

// "; 2 nvidia.com/gpu are unhealthy", where that is the matter.
std::string of_the_unwell(const Scene& scene) {
  if (scene.ruling.blocker != Blocker::device_health || !scene.ruling.balance) return {};
  const core::ResourceId resource = scene.ruling.balance->resource;
  const std::int64_t unwell = unhealthy_of(scene.cluster, resource);
  return fmt::format("; {} {} unhealthy", amount(scene, resource, unwell),
                     unwell == 1 ? "is" : "are");
}

// "; did you mean nvidia.com/gpu?", where no node has the resource and there is one like it.
std::string of_the_misspelt(const Scene& scene) {
  if (!scene.ruling.balance || scene.ruling.balance->have > 0) return {};
  const std::string meant = meant_resource(scene.cluster, scene.ruling.balance->resource);
  return meant.empty() ? std::string() : fmt::format("; did you mean {}?", meant);
}

std::string of_size(const Scene& scene) {
  const auto& entry = scene.cluster.pod(scene.ruling.culprit);
  const auto pod = scene.alike()
                       ? std::string{}
                       : fmt::format("pod {}/{} ", entry.object->meta.ns, entry.object->meta.name);
  const auto much = too_much(scene, scene.cluster.shape(entry.shape));
  const auto nodes = counted(scene.node_count(), "node");
  if (!scene.ruling.balance) {
    return fmt::format("{}needs {} on one node, which none of {} has", pod, much, nodes);
  }
  if (scene.alike() && !scene.ruling.only_node.empty()) return of_the_only_node(scene);
  return fmt::format("{}needs {} on one node; the largest of {} has {}{}{}", pod, much, nodes,
                     amount(scene, scene.ruling.balance->resource, scene.ruling.balance->have),
                     of_the_unwell(scene), of_the_misspelt(scene));
}

// Requires a scene of the whole demand.
std::string of_the_impossible(const Scene& scene) {
  const core::ResourceId resource = scene.ruling.balance->resource;
  const bool one = scene.node_count() == 1;
  const auto nodes = counted(scene.node_count(), "node");
  if (scene.ruling.blocker == Blocker::fragmentation) {
    const Bitset& all = scene.cluster.nodes().live();
    return fmt::format(
        "{}; even when empty, {} hold{} {}{}", wanted(scene, resource), nodes, one ? "s" : "",
        members_fitting(scene.cluster, scene.demand, all, Room::empty), scattered(scene));
  }
  const auto in_all =
      scene.alike()
          ? fmt::format(", {} in all", amount(scene, resource, scene.ruling.balance->need))
          : "";
  return fmt::format("{}{}; even when empty, {} {} {}{}{}", wanted(scene, resource), in_all, nodes,
                     one ? "has" : "have", amount(scene, resource, scene.ruling.balance->have),
                     of_the_unwell(scene), of_the_misspelt(scene));
}

// Requires a scene of the whole demand.
std::string of_slices(const Scene& scene) {
  const Demand& demand = scene.demand;
  const std::string where =
      demand.topology_key.empty() || demand.topology_key == demand.slice_key
          ? "the nodes hold"
          : fmt::format("no domain of {} holds more than", demand.topology_key);
  return fmt::format("needs {} of {}, each in one domain of {}; even when empty, {} {}",
                     counted(slices_needed(demand), "slice"), counted(demand.slice_size, "pod"),
                     demand.slice_key, where, slices_fitting(scene.cluster, demand));
}

// "needs a domain of rack to itself; none of 2 is free of other exclusive Jobs".
std::string of_others_there(const Scene& scene) {
  const auto& counts = scene.cluster.labels().domains(scene.ruling.exclusive_key).node_count;
  const auto domains = std::ranges::count_if(counts, [](std::uint32_t nodes) { return nodes > 0; });
  return fmt::format("needs a domain of {} to itself; {} free of other {}",
                     scene.ruling.exclusive_key,
                     domains == 1 ? "the only one is not" : fmt::format("none of {} is", domains),
                     scene.ruling.exclusive_of);
}

std::string of_topology(const Scene& scene) {
  const auto& demand = scene.demand;
  const auto& domains = scene.attempt.placements;
  if (!scene.cluster.group_domains(demand.topology_key).any()) {
    const std::string why =
        core::may_name_attribute(demand.topology_key)
            ? core::nowhere_text(scene.cluster, demand.topology_key)
            : fmt::format("no node has that label (0 of {})", scene.node_count());
    return fmt::format("must stay in one domain of {}, but {}", demand.topology_key, why);
  }
  auto text = fmt::format("needs {} in one domain of {}", counted(demand.required, "pod"),
                          demand.topology_key);
  if (domains.empty() && scene.attempt.refused_by) {
    return text + "; " + scene.attempt.message;
  }
  if (domains.empty()) return text;
  const auto& best = *std::ranges::max_element(domains, {}, &core::PlacementReport::fit);
  text += fmt::format("; the best of {}, {}, holds {}", counted(domains.size(), "domain"),
                      best.value, best.fit);
  text += scene.ruling.state == State::impossible ? ", and none is large enough even when empty"
                                                  : ", though the nodes together have the room";
  return text;
}

}  // namespace

std::size_t members_had(const core::Attempt& attempt, const Demand& demand) {
  std::size_t had = demand.running + std::min(attempt.placed, attempt.tried);
  if (!attempt.placements.empty()) {
    had = std::ranges::max_element(attempt.placements, {}, &core::PlacementReport::fit)->fit;
  }
  return std::clamp(had, demand.running, demand.running + demand.missing - 1);
}

namespace {

// "pod t/a needs 3 cpu on one node; …"
std::string of_some(const core::Attempt& attempt, const core::Cluster& cluster,
                    const BlockerChoice& ruling) {
  BlockerChoice alone = ruling;
  alone.part.reset();
  const auto& meta = cluster.pod(ruling.culprit).object->meta;
  return fmt::format("{} {}/{}{} {}", ruling.part->lone ? "pod" : "pods like", meta.ns, meta.name,
                     ruling.part->lone ? "" : ":", sentence(attempt, cluster, *ruling.part, alone));
}

}  // namespace

std::string sentence(const core::Attempt& attempt, const core::Cluster& cluster,
                     const Demand& demand, const BlockerChoice& ruling) {
  if (ruling.part && cluster.nodes().count() > 0 && (ruling.balance || ruling.too_large)) {
    return of_some(attempt, cluster, ruling);
  }
  const Scene scene{attempt, cluster, demand, ruling};
  if (ruling.state == State::invalid) return attempt.message;
  if (attempt.cause == core::Attempt::Cause::binding) {
    return "its binding fails: " + attempt.binding_failure;
  }
  if (ruling.blocker == Blocker::budget) {
    return of_the_budget(attempt.message);
  }
  if (ruling.device_limit) return sentence_of(cluster, demand, *ruling.device_limit);
  if (ruling.company) return of_company(scene);
  if (ruling.too_large) return of_size(scene);
  const bool beyond_empty_nodes = ruling.balance && ruling.room == Room::empty;
  if (beyond_empty_nodes || ruling.slices_too_large) {
    const Demand everyone = whole(cluster, demand);
    const Scene all{attempt, cluster, everyone, ruling};
    return ruling.slices_too_large ? of_slices(all) : of_the_impossible(all);
  }
  if (ruling.blocker == Blocker::priority) return of_those_ahead(scene);
  if (ruling.balance) return of_resources(scene);
  if (!ruling.exclusive_of.empty()) return of_others_there(scene);
  const bool by_domain = !demand.topology_key.empty() && ruling.rejection.plugin.empty();
  if (ruling.blocker == Blocker::topology && by_domain) {
    return of_topology(scene);
  }
  const bool of_groups = ruling.blocker == Blocker::topology && ruling.rejection.plugin.empty();
  if (ruling.blocker == Blocker::none || attempt.refused_by || of_groups) {
    return attempt.message;
  }
  if (ruling.devices) return sentence_of(cluster, *ruling.devices);
  return objection(attempt, cluster, demand, ruling);
}

}  // namespace tutti::explain
