// Decisions about claims: granting, choosing anew, taking back.
#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "base/digest.h"
#include "devices/allocation/result.h"
#include "devices/device_state.h"

namespace tutti::devices {
namespace {

// How many devices are looked at for one pod alone, and for several claims chosen together.
constexpr std::size_t kStepsAlone = 20'000;
constexpr std::size_t kStepsTogether = 50'000;
// More claims than this are not chosen anew together.
constexpr std::size_t kTogetherMax = 64;
// Of one request.
constexpr std::int64_t kAlternativesMax = 8;

// Of what the choice of devices for it depends on.
std::uint64_t digest_of(const Holder& holder) {
  Digest digest;
  digest.add(std::uint64_t{holder.node});
  digest.add(std::uint64_t{holder.confinement.index});
  return digest.value();
}

// Nothing where one of them is a share, or for looking on only.
std::vector<DeviceState::Prospect::Choice> choices_of(const std::vector<Grant>& grants) {
  std::vector<DeviceState::Prospect::Choice> choices;
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

void DeviceState::take(const Grant& grant) {
  for (const Pick& pick : grant) {
    if (!pick.admin) ledger_.take(pick.hold);
  }
}

void DeviceState::give_back(const Grant& grant) {
  for (const Pick& pick : grant) {
    if (!pick.admin) ledger_.give_back(pick.hold);
  }
}

void DeviceState::lift(std::span<const ClaimId> claims) {
  for (const ClaimId id : claims) give_back(claims_[id.index].grant);
}

void DeviceState::put_back(std::span<const ClaimId> claims) {
  for (const ClaimId id : claims) take(claims_[id.index].grant);
}

// Whether the devices of a granted claim can be used from the node, too.
bool DeviceState::usable(const Claim& claim, NodeIndex node, ConfinementId confinement) const {
  if (confinement.valid() && !stays_within(claim, bounds_at(confinement, node))) return false;
  return std::ranges::all_of(claim.grant, [&](const Pick& pick) {
    const DeviceEntry& entry = inventory_.device(pick.hold.device);
    if (entry.device == nullptr) return false;
    if (entry.device->binds_to_node) {
      return std::ranges::all_of(claim.holders,
                                 [&](const Holder& holder) { return holder.node == node; });
    }
    return inventory_.is_wide(entry.reach) ? places_.reaches(entry.reach, node)
                                           : places_.own(node) == entry.reach;
  });
}

bool DeviceState::wants(const WishPlan& wish, DeviceId device) {
  const DeviceEntry& entry = inventory_.device(device);
  return std::ranges::all_of(wish.selectors, [&](SelectorId selector) {
    return selectors_.answer(selector, device, inventory_.pool(entry.pool).driver, *entry.device) ==
           SelectorTable::Answer::yes;
  });
}

bool DeviceState::may_go_wide(const ClaimPlan& plan) {
  for (const PoolId pool : inventory_.wide_pools()) {
    for (const DeviceId device : inventory_.pool(pool).devices) {
      for (const auto& request : plan.requests) {
        for (const auto& wish : request.wishes) {
          if (wants(wish, device)) return true;
        }
      }
    }
  }
  return false;
}

bool DeviceState::could_reach(const Claim& claim, NodeIndex node) {
  const auto from_all = [&](DeviceId device) {
    const ReachId reach = inventory_.device(device).reach;
    return inventory_.is_wide(reach) &&
           std::ranges::all_of(claim.holders, [&](const Holder& holder) {
             return places_.reaches(reach, holder.node);
           });
  };
  if (std::ranges::all_of(claim.holders, [&](const Holder& each) { return each.node == node; })) {
    return true;
  }
  std::vector<DeviceId> shared;
  for (const DeviceId device : devices_at(inventory_, places_, node)) {
    if (from_all(device)) shared.push_back(device);
  }
  return std::ranges::all_of(plans_.plan(claim.plan).requests, [&](const RequestPlan& request) {
    return std::ranges::any_of(request.wishes, [&](const WishPlan& wish) {
      const auto enough =
          std::ranges::count_if(shared, [&](DeviceId device) { return wants(wish, device); });
      return static_cast<std::size_t>(enough) >= (wish.all ? 1 : wish.count);
    });
  });
}

std::vector<ReachId> DeviceState::reaches_of(ClaimId id) {
  std::vector<ReachId> found;
  const auto& requests = plans_.plan(claims_[id.index].plan).requests;
  if (requests.empty()) return found;
  std::vector<PoolId> pools;
  for (std::uint32_t i = 0; i < inventory_.pool_count(); ++i) pools.push_back({i});
  std::ranges::sort(pools, [&](PoolId a, PoolId b) { return inventory_.before(a, b); });
  std::set<ReachId> seen;
  for (const PoolId pool : pools) {
    for (const DeviceId device : inventory_.pool(pool).devices) {
      const ReachId reach = inventory_.device(device).reach;
      const auto takes = [&](const WishPlan& wish) { return wants(wish, device); };
      if (seen.contains(reach) || !std::ranges::any_of(requests.front().wishes, takes)) continue;
      seen.insert(reach);
      found.push_back(reach);
    }
  }
  return found;
}

void DeviceState::add_flexible_at(NodeIndex node, std::vector<ClaimId>& claims) const {
  const auto here = flexible_at_.find(node);
  if (here == flexible_at_.end()) return;
  for (const ClaimId id : here->second) {
    if (std::ranges::find(claims, id) == claims.end()) claims.push_back(id);
  }
}

void DeviceState::add_holder(ClaimId id, Holder holder) {
  Claim& claim = claims_[id.index];
  claim.holders_state += digest_of(holder);
  if (flexible(claim)) join(holder.node, id);
  claim.holders.push_back(std::move(holder));
}

void DeviceState::make_flexible(ClaimId id) {
  TUTTI_CHECK(!claims_[id.index].granted, "its devices are decided already");
  flexible_.push_back(id);
  for (const Holder& holder : claims_[id.index].holders) join(holder.node, id);
}

void DeviceState::fix(ClaimId id) {
  if (std::erase(flexible_, id) == 0) return;
  for (const Holder& holder : claims_[id.index].holders) leave(holder.node, id);
}

void DeviceState::join(NodeIndex node, ClaimId flexible) {
  auto& here = flexible_at_[node];
  if (std::ranges::find(here, flexible) == here.end()) here.push_back(flexible);
}

void DeviceState::leave(NodeIndex node, ClaimId flexible) {
  const auto here = flexible_at_.find(node);
  if (here == flexible_at_.end()) return;
  std::erase(here->second, flexible);
  if (here->second.empty()) flexible_at_.erase(here);
}

void DeviceState::written(ClaimId id) {
  claims_[id.index].fixed = true;
  fix(id);
  touch(claims_[id.index].grant);  // somebody may have counted on its moving
}

bool DeviceState::gather_joint(NodeIndex node, std::vector<ClaimId>& claims, bool wide) {
  add_flexible_at(node, claims);
  const std::size_t at_node = claims.size();
  for (std::size_t i = 0; i < claims.size() && !wide; ++i) {
    wide = may_go_wide(plans_.plan(claims_[claims[i].index].plan));
  }
  if (!wide) return true;
  for (const ClaimId id : flexible_) {
    if (std::ranges::find(claims, id) != claims.end()) continue;
    if (may_go_wide(plans_.plan(claims_[id.index].plan))) claims.push_back(id);
  }
  // Neighbours of those that may move, and theirs.
  for (std::size_t i = 0; i < claims.size() && claims.size() <= kTogetherMax; ++i) {
    for (const Holder& holder : claims_[claims[i].index].holders) {
      add_flexible_at(holder.node, claims);
    }
  }
  if (claims.size() <= kTogetherMax) return true;
  claims.resize(at_node);
  return false;
}

Problem DeviceState::problem_of(const Wanted& wanted, NodeIndex node) const {
  return {&plans_.plan(wanted.plan), {node}, bounds_at(wanted.confinement, node)};
}

// Whoever holds it keeps it where it must be.
Problem DeviceState::problem_of(ClaimId id, const Wanted* wanted, NodeIndex node) const {
  const Claim& claim = claims_[id.index];
  Problem problem{&plans_.plan(claim.plan), {}};
  const auto add = [&](NodeIndex at, ConfinementId confinement) {
    if (std::ranges::find(problem.nodes, at) == problem.nodes.end()) problem.nodes.push_back(at);
    std::ranges::copy(bounds_at(confinement, at), std::back_inserter(problem.bounds));
  };
  if (wanted != nullptr) add(node, wanted->confinement);
  for (const Holder& holder : claim.holders) add(holder.node, holder.confinement);
  return problem;
}

// Chooses devices for what is wanted together with every grant that may still move. Found: the
// grants are taken, the wanted ones' first, then those of `moved`. Without any of those there is
// nothing to add to the answer for what is wanted alone.
Solution DeviceState::solve_jointly(NodeIndex node, std::span<const Wanted> wanted,
                                    std::vector<ClaimId>& moved, Allocator::Order order,
                                    std::span<const AttributeId> domains) {
  bool wide = false;
  moved.clear();
  for (const Wanted& want : wanted) {
    if (want.claim.valid() && flexible(claims_[want.claim.index])) moved.push_back(want.claim);
    wide = wide || may_go_wide(plans_.plan(want.plan));
  }
  const bool whole = gather_joint(node, moved, wide);
  std::vector<Problem> problems;
  for (const Wanted& want : wanted) {
    const bool granted = want.claim.valid() && claims_[want.claim.index].granted;
    if (!granted) problems.push_back(problem_of(want, node));
  }
  if (moved.empty()) return {};
  for (const ClaimId id : moved) {
    const auto asked = std::ranges::find(wanted, id, &Wanted::claim);
    problems.push_back(problem_of(id, asked != wanted.end() ? &*asked : nullptr, node));
  }
  lift(moved);
  Solution solution = allocator_.solve(ledger_, problems, order, kStepsTogether, domains);
  if (!solution.found()) put_back(moved);
  if (!whole && solution.outcome == Solution::Outcome::impossible) {
    solution.outcome = Solution::Outcome::exhausted;
  }
  return solution;
}

Solution::Outcome DeviceState::fits(NodeIndex node, std::span<const Wanted> wanted,
                                    std::string* fault) {
  const std::vector<Wanted> here = wanted_at(node, wanted);
  std::vector<Problem> problems;
  bool within_reach = true;
  for (const Wanted& want : here) {
    if (const auto& problem = plans_.plan(want.plan).problem; !problem.empty()) {
      if (fault != nullptr) *fault = problem;
      return Solution::Outcome::fault;
    }
    const Claim* claim = want.claim.valid() ? &claims_[want.claim.index] : nullptr;
    if (claim == nullptr || !claim->granted) {
      problems.push_back(problem_of(want, node));
    } else if (!usable(*claim, node, want.confinement)) {
      within_reach = false;
      if (!flexible(*claim) || !could_reach(*claim, node)) return Solution::Outcome::impossible;
    }
  }
  Solution solution;
  if (within_reach) {
    solution = allocator_.solve(ledger_, problems, Allocator::Order::published, kStepsAlone);
    if (solution.found()) {
      for (const Grant& grant : solution.grants) give_back(grant);
      return solution.outcome;
    }
  }
  const auto alone = solution.outcome;
  if (alone != Solution::Outcome::fault && !flexible_.empty()) {
    std::vector<ClaimId> moved;
    Solution together = solve_jointly(node, here, moved, Allocator::Order::published, {});
    if (together.found()) {
      for (const Grant& grant : together.grants) give_back(grant);
      put_back(moved);
    }
    if (!moved.empty()) solution = std::move(together);
  }
  unproven_ += solution.outcome == Solution::Outcome::exhausted;
  if (fault != nullptr) *fault = solution.fault;
  return solution.outcome;
}

std::int64_t DeviceState::best_preference(std::span<const Wanted> wanted) const {
  std::int64_t best = 0;
  for (const Wanted& want : wanted) {
    if (want.extended.valid()) continue;  // has no alternatives
    for (const RequestPlan& request : plans_.plan(want.plan).requests) {
      if (request.wishes.size() > 1) best += kAlternativesMax;
    }
  }
  return best;
}

DeviceState::Prospect DeviceState::prospect(NodeIndex node, std::span<const Wanted> wanted,
                                            std::span<const std::string> domains) {
  std::vector<Problem> problems;
  for (const Wanted& want : wanted_at(node, wanted)) {
    if (want.claim.valid() && claims_[want.claim.index].granted) continue;
    problems.push_back(problem_of(want, node));
  }
  const auto levels = attributes_.ids(domains);
  const Solution solution =
      allocator_.solve(ledger_, problems, Allocator::Order::packed, kStepsAlone, levels);
  Prospect prospect;
  prospect.found = solution.found();
  if (!prospect.found) return prospect;
  for (std::size_t i = 0; i < solution.grants.size(); ++i) {
    std::int64_t last = -1;
    for (const Pick& pick : solution.grants[i]) {
      if (pick.request == last) continue;
      last = pick.request;
      if (problems[i].plan->requests[pick.request].wishes.size() > 1) {
        prospect.preference += kAlternativesMax - std::int64_t{pick.wish};
      }
    }
    give_back(solution.grants[i]);
  }
  prospect.choices = choices_of(solution.grants);
  LossMeter meter(inventory_, selectors_, attributes_, spans_, levels,
                  devices_at(inventory_, places_, node));
  prospect.loss = meter.measure(ledger_, problems, solution.grants);
  return prospect;
}

// Nobody else sees the claim until it is made, so its name may be one that no claim can have.
ClaimId DeviceState::open_extended(const model::Pod& pod, NodeIndex node) {
  const ExtendedId needs = extended_.find(pod.spec);
  if (!needs.valid()) return {};
  const Wanted wanted{{}, {}, needs};
  const auto here = wanted_at(node, {&wanted, 1});
  if (here.empty()) return {};
  const ClaimId id = claim_id(pod.meta.ns, "<extended-resources> " + pod.meta.uid);
  claims_[id.index].pod_uid = pod.meta.uid;
  claims_[id.index].needs = needs;
  claims_[id.index].plan = here.front().plan;
  extended_claims_[pod.meta.uid] = id;
  return id;
}

// Takes the devices that were found before.
Solution DeviceState::as_chosen(const Prospect& known, std::size_t claims) {
  Solution solution;
  solution.outcome = Solution::Outcome::found;
  solution.grants.resize(claims);
  for (const Prospect::Choice& each : known.choices) {
    TUTTI_CHECK(each.claim < claims, "what is known is of other claims");
    solution.grants[each.claim].push_back(
        {each.request, each.wish, false, {each.device, false, {}}});
  }
  for (const Grant& grant : solution.grants) {
    TUTTI_CHECK(can_take(grant), "a device is granted twice");
    take(grant);
  }
  return solution;
}

Solution DeviceState::reserve(PodIndex pod, NodeIndex node, const model::Pod& object,
                              std::span<const std::string> domains, const Prospect* known) {
  PodClaims claims = claims_of(object);
  const ClaimId made = claims.extended.valid() ? open_extended(object, node) : ClaimId{};
  if (made.valid()) claims.claims.push_back(made);
  Solution solution = reserve(pod, node, claims.claims, domains, claims.confinement, known);
  if (made.valid() && !solution.found()) release_slot(made);
  if (solution.found()) name_users(pod, object);
  return solution;
}

void DeviceState::name_users(PodIndex pod, const model::Pod& object) {
  for (const auto& entry : object.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, object.status.claim_statuses);
    const ClaimId id = name == nullptr ? ClaimId{} : find_claim(object.meta.ns, *name);
    if (!id.valid()) continue;
    Claim& claim = claims_[id.index];
    const auto at = std::ranges::find(claim.holders, pod, &Holder::pod);
    if (at == claim.holders.end()) continue;
    at->user = consumer_of(object, entry).uid;
    count_users(claim);
  }
}

Solution DeviceState::reserve(PodIndex pod, NodeIndex node, std::span<const ClaimId> claims,
                              std::span<const std::string> domains, ConfinementId confinement,
                              const Prospect* known) {
  std::vector<Wanted> wanted;
  std::vector<ClaimId> fresh;
  std::vector<Problem> problems;
  bool within_reach = true;
  for (const ClaimId id : claims) {
    const Claim& claim = claims_[id.index];
    if (claim.allocated()) continue;
    wanted.push_back({claim.plan, id, {}, confinement});
    if (!claim.granted) {
      fresh.push_back(id);
      problems.push_back(problem_of(wanted.back(), node));
    } else {
      within_reach = within_reach && usable(claim, node, confinement);
    }
  }
  Solution solution;
  std::vector<ClaimId> moved;
  using Order = Allocator::Order;
  const auto levels = attributes_.ids(domains);
  if (within_reach && known != nullptr && !known->choices.empty()) {
    solution = as_chosen(*known, problems.size());
  }
  for (const Order order : {Order::packed, Order::published}) {
    if (solution.found()) break;
    if (within_reach) solution = allocator_.solve(ledger_, problems, order, kStepsAlone, levels);
    if (solution.found()) break;
    if (solution.outcome == Solution::Outcome::fault) return solution;
    if (flexible_.empty()) continue;
    Solution together = solve_jointly(node, wanted, moved, order, levels);
    if (!moved.empty()) solution = std::move(together);
    if (solution.found()) break;
  }
  unproven_ += solution.outcome == Solution::Outcome::exhausted;
  if (!solution.found()) return solution;

  Entry entry{pod, {}};
  std::vector<ClaimId> changed = fresh;
  if (solution.grants.size() > fresh.size())
    changed.insert(changed.end(), moved.begin(), moved.end());
  TUTTI_CHECK(solution.grants.size() == changed.size(), "a grant for every claim that changes");
  for (std::size_t i = 0; i < changed.size(); ++i) {
    Claim& claim = claims_[changed[i].index];
    entry.before.push_back({changed[i], claim.granted, claim.grant});
    touch(claim.grant);
    if (!claim.granted) make_flexible(changed[i]);
    claim.granted = true;
    claim.fixed = false;
    claim.grant = solution.grants[i];
    ++claim.grants;
    touch(claim.grant);
  }
  for (const ClaimId id : claims) add_holder(id, {pod, node, {}, confinement});
  held_by_[pod].assign(claims.begin(), claims.end());
  journal_.push_back(std::move(entry));
  return solution;
}

bool DeviceState::can_take(const Grant& grant) const {
  return std::ranges::all_of(grant, [&](const Pick& pick) {
    return pick.admin || (pick.hold.share ? !ledger_.dedicated(pick.hold.device)
                                          : !ledger_.held(pick.hold.device));
  });
}

// Everything that the decision chose anew goes back to what it was, where that is still ours to
// say.
void DeviceState::restore(const Entry& entry) {
  std::vector<const Change*> changes;
  for (const Change& change : entry.before) {
    if (change.granted && flexible(claims_[change.claim.index])) changes.push_back(&change);
  }
  for (const Change* change : changes) {
    touch(claims_[change->claim.index].grant);
    give_back(claims_[change->claim.index].grant);
  }
  for (const Change* change : changes) {
    Claim& claim = claims_[change->claim.index];
    if (can_take(change->grant)) claim.grant = change->grant;
    ++claim.grants;
    take(claim.grant);
    touch(claim.grant);
  }
}

void DeviceState::drop_holder(ClaimId id, PodIndex pod) {
  Claim& claim = claims_[id.index];
  const auto at = std::ranges::find(claim.holders, pod, &Holder::pod);
  if (at == claim.holders.end()) return;
  const Holder gone = std::move(*at);
  claim.holders.erase(at);
  claim.holders_state -= digest_of(gone);
  if (std::ranges::find(claim.holders, gone.node, &Holder::node) == claim.holders.end()) {
    leave(gone.node, id);
  }
  count_users(claim);
  if (!claim.holders.empty()) return;
  if (!claim.granted) return release_slot(id);
  give_back(claim.grant);
  touch(claim.grant);
  claim.grant.clear();
  claim.granted = false;
  ++claim.grants;
  fix(id);
  release_slot(id);
}

void DeviceState::unreserve(PodIndex pod, const model::Pod& object) {
  const auto held = held_by_.extract(pod);
  if (held.empty()) return;
  for (const ClaimId id : held.mapped()) note_release(id, object);
  for (const ClaimId id : held.mapped()) drop_holder(id, pod);
  const bool last = !journal_.empty() && journal_.back().pod == pod;
  if (last) restore(journal_.back());
  settle(pod);
}

std::vector<DeviceState::Release> DeviceState::written_for(ClaimId id,
                                                           const model::Pod& pod) const {
  const Claim& claim = claims_[id.index];
  std::vector<Release> written;
  if (claim.object == nullptr || !claim.fixed) return written;
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr || *name != claim.object->meta.name) continue;
    written.push_back({id, consumer_of(pod, entry).uid});
  }
  return written;
}

// A claim that was written for the pod, or for its group and nobody else of it, is to be released.
void DeviceState::note_release(ClaimId id, const model::Pod& pod) {
  const Claim& claim = claims_[id.index];
  if (claim.object != nullptr && claim.extended()) {
    return releases_.push_back({id, pod.meta.uid, true});
  }
  for (Release& release : written_for(id, pod)) {
    const bool last = release.consumer_uid == pod.meta.uid || claim.holders.size() == 1;
    if (last) releases_.push_back(std::move(release));
  }
}

void DeviceState::settle(PodIndex pod) {
  const auto at = std::find_if(journal_.rbegin(), journal_.rend(),
                               [&](const Entry& entry) { return entry.pod == pod; });
  if (at != journal_.rend()) journal_.erase(std::next(at).base());
}

void DeviceState::forget(PodIndex pod) {
  settle(pod);
  const auto held = held_by_.extract(pod);
  if (held.empty()) return;
  for (const ClaimId id : held.mapped()) drop_holder(id, pod);
}

std::vector<const Claim*> DeviceState::allocated_on(NodeIndex node) const {
  const ReachId own = places_.own(node);
  const auto is_here = [&](const Hold& hold) {
    return inventory_.device(hold.device).reach == own;
  };
  std::vector<const Claim*> found;
  for (const Claim& claim : claims_) {
    if (claim.allocated() && std::ranges::any_of(claim.observed, is_here)) found.push_back(&claim);
  }
  return found;
}

model::Allocation DeviceState::allocation(ClaimId id, std::string_view node) const {
  const Claim& claim = claims_[id.index];
  TUTTI_CHECK(claim.object != nullptr && claim.granted, "an allocation that nobody decided");
  return allocation_of(inventory_, plans_, plans_.plan(claim.plan), claim.grant, node,
                       claim.object->meta.uid);
}

}  // namespace tutti::devices
