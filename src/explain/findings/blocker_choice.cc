#include "explain/findings/blocker_choice.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "explain/findings/only_node.h"
#include "explain/findings/reserved_capacity.h"
#include "explain/findings/slices.h"

namespace tutti::explain {
namespace {

bool about_resources(const core::Attempt& attempt, const Demand& demand) {
  const auto surveyed = [](const MemberClass& members) {
    return members.survey->rejects_for(Blocker::capacity);
  };
  const auto reported = [](const core::ReasonCount& reason) {
    return reason.concern == core::Concern::resources;
  };
  return std::ranges::any_of(demand.classes, surveyed) ||
         std::ranges::any_of(attempt.classes, [&](const core::ClassReport& report) {
           return std::ranges::any_of(report.diagnosis.reasons, reported);
         });
}

// The node that the pod is for, if it is there.
std::optional<core::NodeId> sole_node(const core::Cluster& cluster, core::PodId pod) {
  const std::string_view name = only_node_of(*cluster.pod(pod).object->spec);
  return name.empty() ? std::nullopt : cluster.nodes().find(name);
}

// All nodes, or the one that the pod is for.
Bitset nodes_for(const core::Cluster& cluster, core::PodId pod) {
  const auto only = sole_node(cluster, pod);
  if (!only) return cluster.nodes().live();
  Bitset one(cluster.nodes().slots());
  one.set(only->index);
  return one;
}

// The resource in which the pod exceeds the largest node the most; none when only the combination
// does.
std::optional<Balance> beyond_the_largest(const core::Cluster& cluster, core::PodId pod) {
  std::optional<Balance> worst;
  const Bitset nodes = nodes_for(cluster, pod);
  for (const auto& request : cluster.shape(cluster.pod(pod).shape).requests) {
    const auto column = cluster.resources().allocatable(request.resource);
    std::int64_t most = 0;
    nodes.for_each_set([&](std::size_t node) { most = std::max(most, column[node]); });
    const Balance balance{request.resource, request.amount, most};
    if (balance.short_in_total() && (!worst || shorter(balance, *worst))) worst = balance;
  }
  return worst;
}

// A member larger than every node, without which too few are left.
std::optional<BlockerChoice> rule_size(const core::Cluster& cluster, const Demand& demand,
                                       Room room) {
  std::size_t left = 0;
  std::optional<core::PodId> culprit;
  for (const auto& members : demand.classes) {
    if (fits_somewhere(cluster, members.sample, nodes_for(cluster, members.sample), room)) {
      left += members.count;
    } else if (!culprit) {
      culprit = members.sample;
    }
  }
  if (!culprit || left >= demand.missing) return std::nullopt;
  BlockerChoice ruling{State::impossible, Blocker::bad_request};
  ruling.balance = beyond_the_largest(cluster, *culprit);
  ruling.culprit = *culprit;
  ruling.too_large = true;
  ruling.room = room;
  return ruling;
}

// The total decides between too much and the wrong shape.
std::optional<BlockerChoice> rule_nodes(const core::Cluster& cluster, const Demand& demand,
                                        Room room) {
  const Bitset& all = cluster.nodes().live();
  if (auto ruling = rule_size(cluster, demand, room)) return ruling;
  const Demand everyone = whole(cluster, demand);
  if (enough(cluster, everyone, all, room)) return std::nullopt;
  BlockerChoice ruling{State::impossible, Blocker::fragmentation};
  ruling.balance = dominating(cluster, everyone, all, room);
  ruling.room = room;
  if (ruling.balance->short_in_total()) ruling.blocker = Blocker::bad_request;
  return ruling;
}

// Nodes do not grow, but devices that a node has and cannot offer are repaired.
std::optional<BlockerChoice> rule_out(const core::Attempt& attempt, const core::Cluster& cluster,
                                      const Demand& demand) {
  if (cluster.nodes().live().none() || !about_resources(attempt, demand)) return std::nullopt;
  auto ruling = rule_nodes(cluster, demand, Room::empty);
  if (!ruling || rule_nodes(cluster, demand, Room::repaired)) return ruling;
  ruling->state = State::waiting;
  ruling->blocker = Blocker::device_health;
  return ruling;
}

std::optional<BlockerChoice> rule_device_limit(const core::Cluster& cluster, const Demand& demand) {
  auto limit = device_limit(cluster, demand);
  if (!limit) return std::nullopt;
  BlockerChoice ruling{State::impossible, Blocker::bad_request};
  if (limit->reach == DeviceLimit::Reach::shape) ruling.blocker = Blocker::fragmentation;
  if (limit->reach == DeviceLimit::Reach::domain) ruling.blocker = Blocker::topology;
  ruling.culprit = limit->pod;
  ruling.device_limit = std::move(limit);
  return ruling;
}

std::optional<BlockerChoice> rule_slices(const core::Cluster& cluster, const Demand& demand) {
  if (demand.slice_size == 0 || !slices_too_large(cluster, whole(cluster, demand))) {
    return std::nullopt;
  }
  BlockerChoice ruling{State::impossible, Blocker::topology};
  ruling.slices_too_large = true;
  return ruling;
}

std::optional<BlockerChoice> rule_topology(const core::Cluster& cluster, const Demand& demand) {
  const bool unlimited =
      demand.topology_key.empty() && !demand.keys_below && demand.slice_size == 0;
  if (unlimited) return std::nullopt;
  if (demand.topology_key.empty()) {
    if (auto ruling = rule_slices(cluster, demand)) return ruling;
    if (!demand.keys_below) return std::nullopt;
    if (!enough(cluster, demand, usable_nodes(cluster, demand), Room::free)) return std::nullopt;
    return BlockerChoice{State::waiting, Blocker::topology};
  }
  const bool known = cluster.group_domains(demand.topology_key).any();
  if (known && !enough_in_a_domain(cluster, whole(cluster, demand), Room::repaired)) {
    return BlockerChoice{State::impossible, Blocker::topology};
  }
  if (auto ruling = rule_slices(cluster, demand)) return ruling;
  if (!enough(cluster, demand, usable_nodes(cluster, demand), Room::free)) return std::nullopt;
  return BlockerChoice{State::waiting, Blocker::topology};
}

// A domain that the pod asks to have without pods of another value of a label than its own, as
// JobSet and LeaderWorkerSet ask for their exclusive topologies.
struct OwnDomain {
  std::string_view key;
  std::string_view whom;  // it is to be without
};
std::optional<OwnDomain> own_domain(const model::Pod& pod) {
  using Operator = model::Requirement::Operator;
  for (const auto& term : pod.spec->anti_affinity.required) {
    if (!term.selector) continue;
    for (const auto& other : term.selector->match_expressions) {
      const std::string* own = model::find(pod.meta.labels, other.key);
      if (other.op != Operator::not_in || own == nullptr || other.values != std::vector{*own}) {
        continue;
      }
      const bool jobs = other.key == "jobset.sigs.k8s.io/job-key";
      const bool replicas = other.key.starts_with("leaderworkerset.sigs.k8s.io/");
      return OwnDomain{term.topology_key, jobs       ? "exclusive Jobs"
                                          : replicas ? "exclusive replicas"
                                                     : "pods that it excludes"};
    }
  }
  return std::nullopt;
}

std::optional<BlockerChoice> rule_exclusive(const core::Cluster& cluster,
                                            const MemberClass& culprit) {
  const auto asked = own_domain(*cluster.pod(culprit.sample).object);
  if (!asked) return std::nullopt;
  const auto& filters = culprit.survey->filters;
  const auto filter =
      std::ranges::find(filters, core::Concern::pod_affinity, &FilterSurvey::Filter::concern);
  if (filter == filters.end()) return std::nullopt;
  Bitset left = cluster.nodes().live();
  left.and_not(filter->rejected);
  const core::DomainColumn& domains = cluster.labels().domains(asked->key);
  bool free = false;
  left.for_each_set([&](std::size_t node) {
    free = free || !domains.domains_at(core::NodeId{static_cast<std::uint32_t>(node)}).empty();
  });
  if (free || !domains.any()) return std::nullopt;
  BlockerChoice ruling{State::waiting, Blocker::topology};
  ruling.exclusive_of = asked->whom;
  ruling.exclusive_key = asked->key;
  return ruling;
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
      demand.classes, [](const MemberClass& members) { return members.survey->accepted().none(); });
  return nowhere == demand.classes.end() ? demand.classes.front() : *nowhere;
}

// What the filters say of one node.
std::vector<Rejection> evidence_at(const FilterSurvey& survey, core::NodeId node) {
  std::vector<Rejection> said;
  for (const FilterSurvey::Filter& filter : survey.filters) {
    if (!filter.rejected.test(node.index)) continue;
    const bool curable = filter.prospects().curable.test(node.index);
    said.push_back({filter.plugin, curable ? core::Code::unschedulable : core::Code::unresolvable,
                    1, filter.concern});
  }
  return said;
}

// A pod that no node takes as things are is judged by the survey; one that finds nodes until other
// members have taken them, by what the nodes said then.
std::vector<Rejection> evidence(const core::Attempt& attempt, const core::Cluster& cluster,
                                const MemberClass& culprit) {
  const FilterSurvey& survey = *culprit.survey;
  if (const auto only = sole_node(cluster, culprit.sample)) {
    auto said = evidence_at(survey, *only);
    if (!said.empty()) return said;
  }
  // Where resources alone are in the way it makes no difference which nodes come nearest.
  if (survey.filters.size() == 1 && survey.accepted().none()) {
    const FilterSurvey::Filter& only = survey.filters.front();
    if (only.concern == core::Concern::resources) {
      return {{only.plugin, core::Code::unschedulable, only.rejected.count(), only.concern}};
    }
  }
  if (!survey.filters.empty() && survey.accepted().none()) return survey.nearest();
  const core::ClassReport* report = report_on(attempt, cluster, culprit.sample);
  return report == nullptr ? survey.nearest() : rejections(report->diagnosis);
}

// Whether counting shows that the nodes' resources would do: members alike that may not go where
// there is room, such as spread ones, fill the other nodes, which then complain of that.
bool beside_resources(const core::Cluster& cluster, const Demand& demand) {
  return !demand.lone && demand.classes.size() == 1 &&
         enough(cluster, demand, usable_nodes(cluster, demand), Room::free);
}

// Members of different kinds may use different nodes: what is free on all of them together is then
// more than any one kind can have.
bool rule_a_kind(const core::Cluster& cluster, const Demand& demand, BlockerChoice& ruling) {
  for (const MemberClass& members : demand.classes) {
    const std::size_t pods = indispensable(demand, members);
    if (pods == 0) continue;
    Demand part = part_of(demand, members, pods);
    const Balance balance = dominating(cluster, part, usable_nodes(cluster, part), Room::free);
    if (!balance.short_in_total()) continue;
    ruling.balance = balance;
    ruling.culprit = members.sample;
    ruling.part = std::move(part);
    return true;
  }
  return false;
}

BlockerChoice rule_resources(const core::Cluster& cluster, const Demand& demand,
                             Rejection rejection) {
  const Bitset usable = usable_nodes(cluster, demand);
  BlockerChoice ruling{State::waiting, Blocker::fragmentation, std::move(rejection)};
  ruling.balance = dominating(cluster, demand, usable, Room::free);
  const bool several = demand.classes.size() > 1;
  if (ruling.balance->short_in_total() || (several && rule_a_kind(cluster, demand, ruling))) {
    ruling.blocker = Blocker::capacity;
  }
  return ruling;
}

BlockerChoice rule_devices(const core::Attempt& attempt, const core::Cluster& cluster,
                           const Demand& demand, const MemberClass& culprit, Rejection rejection) {
  BlockerChoice ruling{State::waiting, Blocker::devices, std::move(rejection)};
  const core::ClassReport* report = report_on(attempt, cluster, culprit.sample);
  ruling.devices = device_need(cluster, demand, culprit.sample);
  ruling.blocker = device_blocker(report == nullptr ? nullptr : &report->diagnosis, ruling.devices);
  return ruling;
}

BlockerChoice rule_error(const core::Attempt& attempt) {
  if (attempt.cause == core::Attempt::Cause::binding) return {.blocker = Blocker::incomplete};
  const Blocker blocker =
      attempt.refused_by ? blocker_of(*attempt.refused_by) : Blocker::bad_request;
  return {.state = State::invalid, .blocker = blocker};
}

BlockerChoice rule(const core::Attempt& attempt, const core::Cluster& cluster, const Demand& demand,
                   const MemberClass& culprit) {
  if (attempt.code == core::Code::error) return rule_error(attempt);
  // Counting may prove what the search had no time for.
  if (auto ruling = rule_out(attempt, cluster, demand)) return *ruling;
  if (auto ruling = rule_device_limit(cluster, demand)) return *ruling;
  if (auto company = company_too_large(cluster, demand)) {
    BlockerChoice ruling{State::impossible, Blocker::affinity};
    ruling.culprit = company->pods.front();
    ruling.balance = company->balance;
    ruling.room = Room::empty;
    ruling.company = std::move(company);
    return ruling;
  }
  if (attempt.search == core::Search::exhausted) return {State::waiting, Blocker::budget};
  if (cluster.nodes().count() == 0) return rule_resources(cluster, demand, {});
  if (auto ruling = rule_exclusive(cluster, culprit)) return *ruling;
  if (auto ruling = rule_topology(cluster, demand)) return *ruling;
  if (attempt.refused_by) return {State::waiting, blocker_of(*attempt.refused_by)};
  auto said = evidence(attempt, cluster, culprit);
  if (beside_resources(cluster, demand)) {
    std::erase_if(said, [](const Rejection& rejection) {
      return rejection.concern == core::Concern::resources;
    });
    if (said.empty()) said = evidence(attempt, cluster, culprit);
  }
  const Rejection* first = dominant(said);
  if (first == nullptr) return {};
  const Blocker blocker = blocker_of(first->concern);
  if (blocker == Blocker::devices) return rule_devices(attempt, cluster, demand, culprit, *first);
  if (blocker == Blocker::capacity) return rule_resources(cluster, demand, *first);
  return {State::waiting, blocker, *first};
}

bool about_room(const BlockerChoice& ruling) {
  return ruling.state == State::waiting && !ruling.devices &&
         (ruling.blocker == Blocker::capacity || ruling.blocker == Blocker::fragmentation ||
          ruling.blocker == Blocker::topology);
}

// Its own room may be among what is kept; then it is not behind anybody.
bool keeps_room(const core::Cluster& cluster, const Demand& demand) {
  return std::ranges::any_of(demand.classes, [&](const MemberClass& members) {
    return !cluster.pod(members.sample).object->status.nominated_node.empty();
  });
}

// Each is judged by itself; one that can never come does not speak for those that can.
BlockerChoice rule_one_by_one(const core::Attempt& attempt, const core::Cluster& cluster,
                              const Demand& demand, const MemberClass& culprit) {
  const auto rule_next = [&](const MemberClass& members) {
    Demand next = part_of(demand, members, 1);
    BlockerChoice ruling = classify(attempt, cluster, next);
    ruling.part = std::move(next);
    return ruling;
  };
  BlockerChoice first = rule_next(culprit);
  if (first.state != State::impossible) return first;
  for (const MemberClass& members : demand.classes) {
    BlockerChoice ruling = rule_next(members);
    if (ruling.state != State::impossible) return ruling;
  }
  return first;
}

}  // namespace

const core::ClassReport* report_on(const core::Attempt& attempt, const core::Cluster& cluster,
                                   core::PodId pod) {
  const core::ClassReport* found = nullptr;
  for (const auto& report : attempt.classes) {
    if (report.diagnosis.reasons.empty()) continue;
    if (cluster.pod(report.sample).shape == cluster.pod(pod).shape) return &report;
    if (found == nullptr) found = &report;
  }
  return found;
}

BlockerChoice classify(const core::Attempt& attempt, const core::Cluster& cluster,
                       const Demand& demand) {
  TUTTI_CHECK(!demand.classes.empty(), "nobody waits");
  const MemberClass& culprit = stopped(attempt, cluster, demand);
  if (!demand.together && demand.classes.size() > 1) {
    return rule_one_by_one(attempt, cluster, demand, culprit);
  }
  BlockerChoice ruling = rule(attempt, cluster, demand, culprit);
  if (!ruling.culprit.valid()) ruling.culprit = culprit.sample;
  ruling.only_node = only_node_of(*cluster.pod(ruling.culprit).object->spec);
  if (about_room(ruling) && !keeps_room(cluster, demand) && only_kept_away(cluster, demand)) {
    ruling.blocker = Blocker::priority;
    ruling.balance = dominating(cluster, demand, usable_nodes(cluster, demand), Room::free);
  }
  return ruling;
}

}  // namespace tutti::explain
