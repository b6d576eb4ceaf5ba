#include "devices/decisions/device_search.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/digest.h"

namespace tutti::devices {
namespace {

// How many devices are looked at for one pod alone.
constexpr std::size_t kStepsAlone = 20'000;
// How many alternatives one request may have.
constexpr std::int64_t kAlternativesMax = 8;

// Tells them briefly; not at all where one of them is a share, or for looking on only.
std::vector<Prospect::Choice> choices_of(const std::vector<Grant>& grants) {
  std::vector<Prospect::Choice> choices;
  for (std::size_t i = 0; i < grants.size(); ++i) {
    for (const Pick& pick : grants[i]) {
      if (pick.admin || pick.hold.share) return {};
      choices.push_back({static_cast<std::uint16_t>(i), static_cast<std::uint8_t>(pick.request),
                         static_cast<std::uint8_t>(pick.wish), pick.hold.device});
    }
  }
  return choices;
}

}  // namespace

DeviceSearch::DeviceSearch(DeviceTables& tables, const ConfinedPods& confined,
                           const ClaimQuestions& questions, const MovableGrants& movable,
                           ClaimReach& reach)
    : tables_(tables),
      questions_(questions),
      movable_(movable),
      reach_(reach),
      allocator_(tables.inventory, tables.selectors, tables.attributes, tables.places),
      joint_(tables, confined, movable, reach, allocator_) {}

Solution DeviceSearch::solve_alone(std::span<const Problem> problems, Allocator::Order order,
                                   std::span<const AttributeId> domains) {
  return allocator_.solve(tables_.use.ledger(), problems, order, kStepsAlone, domains);
}

Solution::Outcome DeviceSearch::fits(NodeIndex node, std::span<const Wanted> wanted,
                                     std::string* fault) {
  const std::vector<Wanted> here = questions_.wanted_at(node, wanted);
  std::vector<Problem> problems;
  bool within_reach = true;
  for (const Wanted& want : here) {
    if (const auto& problem = tables_.plans.plan(want.plan).problem; !problem.empty()) {
      if (fault != nullptr) *fault = problem;
      return Solution::Outcome::fault;
    }
    const Claim* claim = want.claim.valid() ? &tables_.claims[want.claim] : nullptr;
    if (claim == nullptr || !claim->granted) {
      problems.push_back(joint_.problem_of(want, node));
    } else if (!reach_.usable(*claim, node, want.confinement)) {
      within_reach = false;
      const bool may_move_here = claim->movable() && reach_.could_reach(*claim, node);
      if (!may_move_here) return Solution::Outcome::impossible;
    }
  }
  Solution solution;
  if (within_reach) {
    solution = solve_alone(problems, Allocator::Order::published, {});
    if (solution.found()) {
      for (const Grant& grant : solution.grants) tables_.use.give_back(grant);
      return solution.outcome;
    }
  }
  const auto alone = solution.outcome;
  if (alone != Solution::Outcome::fault && movable_.any()) {
    std::vector<ClaimId> moved;
    Solution together = joint_.solve(node, here, moved, Allocator::Order::published, {});
    if (together.found()) {
      for (const Grant& grant : together.grants) tables_.use.give_back(grant);
      joint_.put_back(moved);
    }
    if (!moved.empty()) solution = std::move(together);
  }
  unproven_ += solution.outcome == Solution::Outcome::exhausted;
  if (fault != nullptr) *fault = solution.fault;
  return solution.outcome;
}

std::int64_t DeviceSearch::best_preference(std::span<const Wanted> wanted) const {
  std::int64_t best = 0;
  for (const Wanted& want : wanted) {
    if (want.extended.valid()) continue;  // has no alternatives
    for (const RequestPlan& request : tables_.plans.plan(want.plan).requests) {
      if (request.wishes.size() > 1) best += kAlternativesMax;
    }
  }
  return best;
}

Prospect DeviceSearch::prospect(NodeIndex node, std::span<const Wanted> wanted,
                                std::span<const std::string> domains) {
  std::vector<Problem> problems;
  for (const Wanted& want : questions_.wanted_at(node, wanted)) {
    if (want.claim.valid() && tables_.claims[want.claim].granted) continue;
    problems.push_back(joint_.problem_of(want, node));
  }
  const auto levels = tables_.attributes.ids(domains);
  const Solution solution = solve_alone(problems, Allocator::Order::packed, levels);
  Prospect prospect;
  prospect.found = solution.found();
  if (!prospect.found) return prospect;
  TUTTI_CHECK(solution.grants.size() == problems.size(), "a grant for every claim");
  for (std::size_t i = 0; i < solution.grants.size(); ++i) {
    std::int64_t last = -1;
    for (const Pick& pick : solution.grants[i]) {
      if (pick.request == last) continue;
      last = pick.request;
      if (problems[i].plan->requests[pick.request].wishes.size() > 1) {
        prospect.preference += kAlternativesMax - std::int64_t{pick.wish};
      }
    }
    tables_.use.give_back(solution.grants[i]);
  }
  prospect.choices = choices_of(solution.grants);
  LossMeter meter(tables_.inventory, tables_.selectors, tables_.attributes, tables_.use.spans(),
                  levels, devices_at(tables_.inventory, tables_.places, node));
  prospect.loss = meter.measure(tables_.use.ledger(), problems, solution.grants);
  return prospect;
}

// Takes the devices that were found before.
Solution DeviceSearch::as_chosen(const Prospect& known, std::size_t claims) {
  Solution solution;
  solution.outcome = Solution::Outcome::found;
  solution.grants.resize(claims);
  for (const Prospect::Choice& each : known.choices) {
    TUTTI_CHECK(each.claim < claims, "what is known is of other claims");
    solution.grants[each.claim].push_back(
        {each.request, each.wish, false, {each.device, false, {}}});
  }
  for (const Grant& grant : solution.grants) {
    TUTTI_CHECK(tables_.use.can_take(grant), "a device is granted twice");
    tables_.use.take(grant);
  }
  return solution;
}

Solution DeviceSearch::choose(NodeIndex node, std::span<const Wanted> wanted,
                              std::span<const std::string> domains, const Prospect* known,
                              std::vector<ClaimId>& moved) {
  std::vector<Problem> problems;
  bool within_reach = true;
  for (const Wanted& want : wanted) {
    const Claim& claim = tables_.claims[want.claim];
    if (!claim.granted) {
      problems.push_back(joint_.problem_of(want, node));
    } else {
      within_reach = within_reach && reach_.usable(claim, node, want.confinement);
    }
  }
  Solution solution;
  using Order = Allocator::Order;
  const auto levels = tables_.attributes.ids(domains);
  if (within_reach && known != nullptr && !known->choices.empty()) {
    solution = as_chosen(*known, problems.size());
  }
  for (const Order order : {Order::packed, Order::published}) {
    if (solution.found()) break;
    if (within_reach) solution = solve_alone(problems, order, levels);
    if (solution.found()) break;
    if (solution.outcome == Solution::Outcome::fault) return solution;
    if (!movable_.any()) continue;
    Solution together = joint_.solve(node, wanted, moved, order, levels);
    if (!moved.empty()) solution = std::move(together);
  }
  unproven_ += solution.outcome == Solution::Outcome::exhausted;
  if (solution.grants.size() == problems.size()) moved.clear();
  return solution;
}

Stamp DeviceSearch::common_stamp(std::span<const Wanted> wanted) const {
  Stamp stamp{0, tables_.use.wide_changes(), 0};
  for (const Wanted& want : wanted) {
    if (want.claim.valid()) stamp.claims += tables_.claims[want.claim].grants;
  }
  return stamp;
}

Stamp DeviceSearch::stamp(NodeIndex node, std::span<const Wanted> wanted) const {
  Stamp stamp = common_stamp(wanted);
  const ReachId own = tables_.places.own(node);
  if (own.valid()) stamp.own = tables_.use.ledger().state(own);
  const auto here = movable_.at(node);
  if (here.empty()) return stamp;
  Digest digest;
  digest.add(stamp.own);
  for (const ClaimId id : here) {
    digest.add(std::uint64_t{tables_.claims[id].plan.index});
    digest.add(tables_.claims[id].holders_state);
    for (const Pick& pick : tables_.claims[id].grant) digest.add(digest_of(pick.hold));
  }
  stamp.own = digest.value();
  return stamp;
}

}  // namespace tutti::devices
