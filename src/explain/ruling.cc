#include "explain/ruling.h"

#include <algorithm>
#include <utility>

namespace tutti::explain {
namespace {

bool short_in_total(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                    Room room) {
  return std::ranges::any_of(balances(cluster, demand, nodes, room),
                             [](const Balance& balance) { return balance.short_in_total(); });
}

// Whether resources alone would let the missing members fit on these nodes, as far as counting
// tells.
bool enough(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes, Room room) {
  return members_fitting(cluster, demand, nodes, room) >= demand.missing &&
         !short_in_total(cluster, demand, nodes, room);
}

bool about_resources(const core::Attempt& attempt, const Demand& demand) {
  const auto surveyed = [](const MemberClass& members) {
    return members.survey.rejects_for(Blocker::capacity);
  };
  const auto reported = [](const core::ReasonCount& reason) {
    return blocker_of(reason.plugin) == Blocker::capacity;
  };
  return std::ranges::any_of(demand.classes, surveyed) ||
         std::ranges::any_of(attempt.classes, [&](const core::ClassReport& report) {
           return std::ranges::any_of(report.diagnosis.reasons, reported);
         });
}

// No member fits any node, or not even one that must take part does: the request is too large. Else
// the total decides between too much and the wrong shape.
std::optional<Ruling> rule_out(const core::Attempt& attempt, const core::Cluster& cluster,
                               const Demand& demand) {
  const Bitset& all = cluster.live_nodes();
  if (all.none() || !about_resources(attempt, demand)) return std::nullopt;
  if (enough(cluster, demand, all, Room::empty)) return std::nullopt;
  Ruling ruling{State::impossible, Blocker::bad_request, {}, std::nullopt, Room::empty};
  ruling.balance = dominating(cluster, demand, all, Room::empty);
  const bool some_fit = members_fitting(cluster, demand, all, Room::empty) > 0;
  if (some_fit && !ruling.balance->short_in_total()) ruling.blocker = Blocker::fragmentation;
  return ruling;
}

bool some_domain_could(const core::Cluster& cluster, const Demand& demand) {
  const auto& column = cluster.domains(demand.topology_key);
  for (std::uint32_t domain = 0; domain < column.values.size(); ++domain) {
    Bitset nodes(cluster.live_nodes().size());
    cluster.live_nodes().for_each_set([&](std::size_t node) {
      if (column.domain_of[node] == domain) nodes.set(node);
    });
    if (enough(cluster, demand, nodes, Room::empty)) return true;
  }
  return false;
}

std::optional<Ruling> rule_topology(const core::Cluster& cluster, const Demand& demand) {
  if (demand.topology_key.empty()) return std::nullopt;
  if (!enough(cluster, demand, usable_nodes(cluster, demand), Room::free)) return std::nullopt;
  const auto* labelled = cluster.nodes_with_key(demand.topology_key);
  const bool could = labelled == nullptr || labelled->none() || some_domain_could(cluster, demand);
  return Ruling{could ? State::waiting : State::impossible, Blocker::topology, {}, {}, Room::free};
}

// The class that stopped the attempt, or the first that has no node to go to.
const MemberClass& stopped(const core::Attempt& attempt, const core::Cluster& cluster,
                           const Demand& demand) {
  for (const auto& report : attempt.classes) {
    const auto same = std::ranges::find_if(demand.classes, [&](const MemberClass& members) {
      return cluster.pod(members.sample).shape == cluster.pod(report.sample).shape;
    });
    if (same != demand.classes.end()) return *same;
  }
  const auto nowhere = std::ranges::find_if(
      demand.classes, [](const MemberClass& members) { return members.survey.accepted().none(); });
  return nowhere == demand.classes.end() ? demand.classes.front() : *nowhere;
}

// A pod that no node takes as things are is judged by the survey; one that finds nodes until other
// members have taken them, by what the nodes said then.
std::vector<Rejection> evidence(const core::Attempt& attempt, const core::Cluster& cluster,
                                const Demand& demand) {
  const Survey& survey = stopped(attempt, cluster, demand).survey;
  if (!survey.filters.empty() && survey.accepted().none()) return survey.nearest();
  for (const auto& report : attempt.classes) {
    auto said = rejections(report.diagnosis);
    if (!said.empty()) return said;
  }
  return survey.nearest();
}

Ruling rule_resources(const core::Cluster& cluster, const Demand& demand, Rejection rejection) {
  const Bitset usable = usable_nodes(cluster, demand);
  Ruling ruling{State::waiting, Blocker::fragmentation, std::move(rejection), {}, Room::free};
  ruling.balance = dominating(cluster, demand, usable, Room::free);
  if (ruling.balance->short_in_total()) ruling.blocker = Blocker::capacity;
  return ruling;
}

Ruling rule_error(const core::Attempt& attempt) {
  if (attempt.message.starts_with(kBindingFailed)) return {.blocker = Blocker::incomplete};
  return {.state = State::invalid, .blocker = Blocker::bad_request};
}

}  // namespace

Ruling classify(const core::Attempt& attempt, const core::Cluster& cluster, const Demand& demand) {
  TUTTI_CHECK(!demand.classes.empty(), "nobody waits");
  if (attempt.code == core::Code::error) return rule_error(attempt);
  if (attempt.search == core::Search::exhausted) {
    return {State::waiting, Blocker::budget, {}, {}, Room::free};
  }
  if (cluster.node_count() == 0) return rule_resources(cluster, demand, {});
  if (auto ruling = rule_out(attempt, cluster, demand)) return *ruling;
  if (auto ruling = rule_topology(cluster, demand)) return *ruling;
  const auto said = evidence(attempt, cluster, demand);
  const Rejection* first = dominant(said);
  if (first == nullptr) return {};
  if (blocker_of(first->plugin) == Blocker::capacity)
    return rule_resources(cluster, demand, *first);
  return {State::waiting, blocker_of(first->plugin), *first, {}, Room::free};
}

}  // namespace tutti::explain
