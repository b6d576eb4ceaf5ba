#include "explain/ruling.h"

#include <algorithm>
#include <numeric>
#include <utility>
#include <vector>

#include "explain/device_need.h"
#include "explain/kept_room.h"

namespace tutti::explain {
namespace {

template <typename Nodes>
bool short_in_total(const core::Cluster& cluster, const Demand& demand, const Nodes& nodes,
                    Room room) {
  return std::ranges::any_of(balances(cluster, demand, nodes, room),
                             [](const Balance& balance) { return balance.short_in_total(); });
}

// Whether resources alone would let the missing members fit on these nodes, as far as counting
// tells.
template <typename Nodes>
bool enough(const core::Cluster& cluster, const Demand& demand, const Nodes& nodes, Room room) {
  return members_fitting(cluster, demand, nodes, room) >= demand.missing &&
         !short_in_total(cluster, demand, nodes, room);
}

bool about_resources(const core::Attempt& attempt, const Demand& demand) {
  const auto surveyed = [](const MemberClass& members) {
    return members.survey->rejects_for(Blocker::capacity);
  };
  const auto reported = [](const core::ReasonCount& reason) {
    return blocker_of(reason.plugin) == Blocker::capacity;
  };
  return std::ranges::any_of(demand.classes, surveyed) ||
         std::ranges::any_of(attempt.classes, [&](const core::ClassReport& report) {
           return std::ranges::any_of(report.diagnosis.reasons, reported);
         });
}

bool fits_somewhere(const core::Cluster& cluster, core::PodId pod) {
  const core::PodShape& shape = cluster.shape(cluster.pod(pod).shape);
  bool fits = false;
  cluster.live_nodes().for_each_set([&](std::size_t node) {
    fits = fits || fitting(cluster, shape, {static_cast<std::uint32_t>(node)}, Room::empty) > 0;
  });
  return fits;
}

// The resource in which the pod exceeds the largest node the most; none when only the combination
// does.
std::optional<Balance> beyond_the_largest(const core::Cluster& cluster, core::PodId pod) {
  std::optional<Balance> worst;
  for (const auto& request : cluster.shape(cluster.pod(pod).shape).requests) {
    const auto column = cluster.allocatable(request.resource);
    const Balance balance{request.resource, request.amount,
                          column.empty() ? 0 : std::ranges::max(column)};
    if (balance.short_in_total() && (!worst || shorter(balance, *worst))) worst = balance;
  }
  return worst;
}

// A member larger than every node, without which too few are left.
std::optional<Ruling> rule_size(const core::Cluster& cluster, const Demand& demand) {
  std::size_t left = 0;
  std::optional<core::PodId> culprit;
  for (const auto& members : demand.classes) {
    if (fits_somewhere(cluster, members.sample)) {
      left += members.count;
    } else if (!culprit) {
      culprit = members.sample;
    }
  }
  if (!culprit || left >= demand.missing) return std::nullopt;
  Ruling ruling{State::impossible, Blocker::bad_request};
  ruling.balance = beyond_the_largest(cluster, *culprit);
  ruling.culprit = *culprit;
  ruling.too_large = true;
  ruling.room = Room::empty;
  return ruling;
}

// The total decides between too much and the wrong shape.
std::optional<Ruling> rule_out(const core::Attempt& attempt, const core::Cluster& cluster,
                               const Demand& demand) {
  const Bitset& all = cluster.live_nodes();
  if (all.none() || !about_resources(attempt, demand)) return std::nullopt;
  if (auto ruling = rule_size(cluster, demand)) return ruling;
  const Demand everyone = whole(cluster, demand);
  if (enough(cluster, everyone, all, Room::empty)) return std::nullopt;
  Ruling ruling{State::impossible, Blocker::fragmentation};
  ruling.balance = dominating(cluster, everyone, all, Room::empty);
  ruling.room = Room::empty;
  if (ruling.balance->short_in_total()) ruling.blocker = Blocker::bad_request;
  return ruling;
}

bool some_domain_could(const core::Cluster& cluster, const Demand& demand) {
  const auto& column = cluster.domains(demand.topology_key);
  // The nodes one domain after another: those of domain d end at ends[d].
  std::vector<std::uint32_t> nodes(cluster.node_count());
  std::vector<std::size_t> ends(column.values.size() + 1, 0);
  const auto each = [&](const auto& fn) {
    cluster.live_nodes().for_each_set([&](std::size_t node) {
      if (column.domain_of[node] != core::DomainColumn::kNone) fn(node, column.domain_of[node]);
    });
  };
  each([&](std::size_t, std::uint32_t domain) { ++ends[domain + 1]; });
  std::partial_sum(ends.begin(), ends.end(), ends.begin());
  each([&](std::size_t node, std::uint32_t domain) {
    nodes[ends[domain]++] = static_cast<std::uint32_t>(node);
  });
  std::size_t begin = 0;
  for (std::size_t domain = 0; domain < column.values.size(); ++domain) {
    const NodeList here = std::span(nodes).subspan(begin, ends[domain] - begin);
    if (enough(cluster, demand, here, Room::empty)) return true;
    begin = ends[domain];
  }
  return false;
}

std::optional<Ruling> rule_topology(const core::Cluster& cluster, const Demand& demand) {
  if (demand.topology_key.empty() && !demand.keys_below) return std::nullopt;
  if (demand.topology_key.empty()) {
    if (!enough(cluster, demand, usable_nodes(cluster, demand), Room::free)) return std::nullopt;
    return Ruling{State::waiting, Blocker::topology};
  }
  const auto* labelled = cluster.nodes_with_key(demand.topology_key);
  const bool known = labelled != nullptr && labelled->any();
  if (known && !some_domain_could(cluster, whole(cluster, demand))) {
    return Ruling{State::impossible, Blocker::topology};
  }
  if (!enough(cluster, demand, usable_nodes(cluster, demand), Room::free)) return std::nullopt;
  return Ruling{State::waiting, Blocker::topology};
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

// A pod that no node takes as things are is judged by the survey; one that finds nodes until other
// members have taken them, by what the nodes said then.
std::vector<Rejection> evidence(const core::Attempt& attempt, const core::Cluster& cluster,
                                const MemberClass& culprit) {
  const Survey& survey = *culprit.survey;
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

Ruling rule_resources(const core::Cluster& cluster, const Demand& demand, Rejection rejection) {
  const Bitset usable = usable_nodes(cluster, demand);
  Ruling ruling{State::waiting, Blocker::fragmentation, std::move(rejection)};
  ruling.balance = dominating(cluster, demand, usable, Room::free);
  if (ruling.balance->short_in_total()) ruling.blocker = Blocker::capacity;
  return ruling;
}

Ruling rule_error(const core::Attempt& attempt) {
  if (attempt.message.starts_with(kBindingFailed)) return {.blocker = Blocker::incomplete};
  const Blocker blocker =
      attempt.refused_by.empty() ? Blocker::bad_request : blocker_of(attempt.refused_by);
  return {.state = State::invalid, .blocker = blocker};
}

Ruling rule(const core::Attempt& attempt, const core::Cluster& cluster, const Demand& demand,
            const MemberClass& culprit) {
  if (attempt.code == core::Code::error) return rule_error(attempt);
  if (attempt.search == core::Search::exhausted) return {State::waiting, Blocker::budget};
  if (cluster.node_count() == 0) return rule_resources(cluster, demand, {});
  if (auto ruling = rule_out(attempt, cluster, demand)) return *ruling;
  if (auto ruling = rule_topology(cluster, demand)) return *ruling;
  if (!attempt.refused_by.empty()) return {State::waiting, blocker_of(attempt.refused_by)};
  auto said = evidence(attempt, cluster, culprit);
  if (beside_resources(cluster, demand)) {
    std::erase_if(said, [](const Rejection& rejection) {
      return blocker_of(rejection.plugin) == Blocker::capacity;
    });
    if (said.empty()) said = evidence(attempt, cluster, culprit);
  }
  const Rejection* first = dominant(said);
  if (first == nullptr) return {};
  Blocker blocker = blocker_of(first->plugin);
  if (blocker == Blocker::devices) {
    if (const auto* report = report_on(attempt, cluster, culprit.sample)) {
      blocker = device_blocker(report->diagnosis);
    }
  }
  if (blocker == Blocker::capacity) return rule_resources(cluster, demand, *first);
  return {State::waiting, blocker, *first};
}

bool about_room(const Ruling& ruling) {
  return ruling.state == State::waiting &&
         (ruling.blocker == Blocker::capacity || ruling.blocker == Blocker::fragmentation ||
          ruling.blocker == Blocker::topology);
}

// Its own room may be among what is kept; then it is not behind anybody.
bool keeps_room(const core::Cluster& cluster, const Demand& demand) {
  return std::ranges::any_of(demand.classes, [&](const MemberClass& members) {
    return !cluster.pod(members.sample).object->status.nominated_node.empty();
  });
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

Ruling classify(const core::Attempt& attempt, const core::Cluster& cluster, const Demand& demand) {
  TUTTI_CHECK(!demand.classes.empty(), "nobody waits");
  const MemberClass& culprit = stopped(attempt, cluster, demand);
  Ruling ruling = rule(attempt, cluster, demand, culprit);
  if (!ruling.culprit.valid()) ruling.culprit = culprit.sample;
  if (about_room(ruling) && !keeps_room(cluster, demand) && only_kept_away(cluster, demand)) {
    ruling.blocker = Blocker::priority;
    ruling.balance = dominating(cluster, demand, usable_nodes(cluster, demand), Room::free);
  }
  return ruling;
}

}  // namespace tutti::explain
