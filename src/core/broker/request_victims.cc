#include "core/broker/request_victims.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "base/check.h"
#include "core/broker/resizing.h"
#include "core/framework/transaction.h"
#include "core/requests/elastic.h"
#include "quota/candidates.h"

namespace tutti::core {
namespace {

// Looks at opportunistic work one by one, to see who can stay, per request that asks.
constexpr std::size_t kSparesMax = 64;

constexpr std::string_view kOpportunisticCause = "Opportunistic";

std::vector<quota::FlavorResourceId> needed_of(const quota::Tree& tree, const QuotaQueue& queue,
                                               std::span<const quota::Charge> charges) {
  std::vector<quota::FlavorResourceId> missing, all;
  for (const quota::Charge& charge : charges) {
    if (charge.amount == 0) continue;
    all.push_back(charge.of);
    if (charge.amount > tree.available(queue.node, charge.of)) missing.push_back(charge.of);
  }
  // Where quota would do and places are missing, whatever it needs may be taken from others.
  return missing.empty() ? all : missing;
}

std::string_view ground_text(quota::Reason reason) {
  switch (reason) {
    case quota::Reason::in_cluster_queue:
      return "prioritization in the ClusterQueue";
    case quota::Reason::in_cohort_reclamation:
      return "reclamation within the cohort";
    case quota::Reason::in_cohort_reclaim_while_borrowing:
      return "reclamation within the cohort while borrowing";
    case quota::Reason::in_cohort_fair_sharing:
      return "Fair Sharing within the cohort";
  }
  return {};
}

// Pods of requests taken out of the picture to see what would fit without them.
class LiftedPods {
 public:
  explicit LiftedPods(Cluster& cluster) : cluster_(cluster) {}
  LiftedPods(const LiftedPods&) = delete;
  LiftedPods& operator=(const LiftedPods&) = delete;
  ~LiftedPods() {
    for (; !lifted_.empty(); lifted_.pop_back()) {
      cluster_.put_back(lifted_.back().pod, lifted_.back().node);
    }
  }

  void lift(PodId pod) {
    const NodeId node = cluster_.pod(pod).node;
    if (!node.valid()) return;
    lifted_.push_back({pod, node});
    cluster_.lift(pod);
  }

 private:
  Cluster& cluster_;
  std::vector<ProposedPod> lifted_;
};

bool has_closed_gate(const Request& request) {
  const auto& states = request.object->status.preemption_gates;
  return std::ranges::any_of(request.object->spec.preemption_gates, [&](const std::string& gate) {
    const auto at = std::ranges::find(states, gate, &model::PreemptionGateState::gate);
    return at == states.end() || !at->open;
  });
}

}  // namespace

std::optional<RequestVictims::Placed> RequestVictims::places_without(const Request& request,
                                                                     const FlavorChoice& choice,
                                                                     std::span<const Leaver> gone,
                                                                     Instant now) {
  PhantomGang* gang = phantoms_.shape(request, choice.forms, now);
  if (gang == nullptr) return Placed{};
  LiftedPods lifted(state_.cluster);
  for (const Leaver& each : gone) {
    for (const PodId pod : pods_beyond(*each.request, each.keeps, state_.cluster, phantoms_)) {
      lifted.lift(pod);
    }
  }
  const Entity entity = phantoms_.entity_of(request, *gang, now);
  const Subtree tree = cycle_.tree_of(entity, state_.leaf_of);
  Transaction transaction(state_.cluster);
  if (!cycle_.solve(transaction, entity, tree).success()) return std::nullopt;
  const auto placed = transaction.placed();
  return Placed(placed.begin(), placed.end());
}

std::optional<RequestVictims::Placed> RequestVictims::places(const Request& request,
                                                             const FlavorChoice& choice,
                                                             Instant now) {
  return places_without(request, choice, {}, now);
}

std::vector<RequestVictims::Leaver> RequestVictims::opportunistic_for(
    const Request& request) const {
  std::vector<Leaver> all;
  if (request.tenure == quota::Tenure::opportunistic) return all;
  for (const std::string& name : table_.opportunistic()) {
    all.push_back({.request = table_.find(name),
                   .cause = std::string(kOpportunisticCause),
                   .why = "opportunistic work making room for others"});
  }
  std::ranges::sort(all, {}, [](const Leaver& each) {
    const Request& goes = *each.request;
    return std::tuple(goes.stage != RequestStage::releasing, goes.priority,
                      -goes.reserved_at.time_since_epoch().count(), std::string_view(goes.name));
  });
  return all;
}

// One for each request, as a whole or in part.
std::vector<RequestVictims::Leaver> RequestVictims::leavers_of(
    std::span<const quota::Victim> victims, const Holders& holders) const {
  std::vector<Leaver> leavers;
  for (const quota::Victim& victim : victims) {
    TUTTI_CHECK(victim.running < holders.requests.size(), "victims are holders");
    Request* request = holders.requests[victim.running];
    const quota::Running& entry = holders.running[victim.running];
    auto at = std::ranges::find(leavers, request, &Leaver::request);
    if (at == leavers.end()) {
      at =
          leavers.insert(leavers.end(), {.request = request,
                                         .keeps = std::max<std::int64_t>(1, elastic_pods(*request)),
                                         .cause = std::string(quota::word(victim.reason)),
                                         .why = std::string(ground_text(victim.reason))});
    }
    const bool whole = entry.surplus_of == quota::Running::kWhole;
    // Nothing is taken of what leaves already.
    if (!whole && !entry.leaving && at->keeps > 1) --at->keeps;
    if (whole) at->keeps = 0;
  }
  return leavers;
}

std::optional<RequestVictims::Found> RequestVictims::idle_room(const Request& request,
                                                               const FlavorChoice& choice,
                                                               Instant now) {
  auto opportunistic = opportunistic_for(request);
  if (opportunistic.empty() || has_closed_gate(request)) return std::nullopt;
  return spare(request, choice, {}, std::move(opportunistic), now);
}

std::optional<RequestVictims::Found> RequestVictims::anyone(
    const Request& request, const QuotaQueue& queue, const FlavorChoice& choice,
    const Holders& holders, const std::function<bool()>& is_kept, Instant now) {
  if (has_closed_gate(request)) return std::nullopt;
  const quota::PreemptionPolicy policy = policy_for(queue, request);
  if (policy.within_queue == quota::PreemptionPolicy::WithinQueue::never &&
      policy.reclaim == quota::PreemptionPolicy::Reclaim::never && !table_.any_burst()) {
    return std::nullopt;
  }
  const auto opportunistic = opportunistic_for(request);
  const auto suffices = [&](std::span<const quota::Victim> victims) {
    std::vector<Leaver> gone = leavers_of(victims, holders);
    gone.insert(gone.end(), opportunistic.begin(), opportunistic.end());
    const bool placed = places_without(request, choice, gone, now).has_value();
    lacks_places_ = lacks_places_ || !placed;
    return placed;
  };
  const auto victims = quota_victims(request, queue, choice, holders, suffices);
  if (victims.empty()) return std::nullopt;
  {
    quota::Rehearsal gone(table_.objects().tree(), holders.running);
    for (const quota::Victim& victim : victims) gone.take(victim);
    if (is_kept()) return std::nullopt;
  }
  auto found = spare(request, choice, leavers_of(victims, holders), opportunistic, now);
  TUTTI_CHECK(found.has_value(), "victims that suffice make room for all");
  return found;
}

std::vector<quota::Victim> RequestVictims::quota_victims(const Request& request,
                                                         const QuotaQueue& queue,
                                                         const FlavorChoice& choice,
                                                         const Holders& holders,
                                                         const quota::Suffices& suffices) {
  quota::Tree& tree = table_.objects().tree();
  quota::Preemptor preemptor = preemptor_of(queue, request);
  preemptor.charges = choice.assignment.charges;
  preemptor.needed = needed_of(tree, queue, preemptor.charges);
  const auto policy = policy_for(queue, request);
  if (!is_judged_by_shares(table_.config(), request)) {
    return quota::classical_victims(tree, preemptor, policy, holders.running, suffices);
  }
  return quota::fair_victims(tree, preemptor, policy, holders.running,
                             fair_strategies(table_.config()), suffices);
}

// Finds out who of the opportunistic work can stay: first all on whose nodes nobody is placed, then
// one after another, the dearest first.
std::optional<RequestVictims::Found> RequestVictims::spare(const Request& request,
                                                           const FlavorChoice& choice,
                                                           std::vector<Leaver> victims,
                                                           std::vector<Leaver> opportunistic,
                                                           Instant now) {
  const auto places_of = [&](const std::vector<Leaver>& more) {
    std::vector<Leaver> gone = victims;
    gone.insert(gone.end(), more.begin(), more.end());
    return places_without(request, choice, gone, now);
  };
  auto places = places_of(opportunistic);
  if (!places) return std::nullopt;
  std::set<NodeId> used;
  for (const auto& [pod, node] : *places) used.insert(node);
  std::vector<Leaver> in_the_way = opportunistic;
  std::erase_if(in_the_way, [&](const Leaver& each) {
    const auto pods = pods_beyond(*each.request, 0, state_.cluster, phantoms_);
    return std::ranges::none_of(
        pods, [&](PodId pod) { return used.contains(state_.cluster.pod(pod).node); });
  });
  if (auto without = places_of(in_the_way)) {
    opportunistic = std::move(in_the_way);
    places = std::move(without);
  }
  std::size_t looks = 0;
  for (std::size_t i = opportunistic.size(); i-- > 0 && looks < kSparesMax; ++looks) {
    std::vector<Leaver> rest = opportunistic;
    rest.erase(rest.begin() + static_cast<std::ptrdiff_t>(i));
    auto without = places_of(rest);
    if (!without) continue;
    opportunistic = std::move(rest);
    places = std::move(without);
  }
  victims.insert(victims.end(), opportunistic.begin(), opportunistic.end());
  return Found{.leavers = std::move(victims), .places = *std::move(places)};
}

}  // namespace tutti::core
