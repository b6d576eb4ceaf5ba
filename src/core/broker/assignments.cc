#include "core/broker/assignments.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>

#include "core/requests/elastic.h"
#include "core/requests/flavor_match.h"
#include "quota/outlook.h"

namespace tutti::core {
namespace {

using quota::Tenure;

void subtract(std::vector<quota::Charge>& from, std::span<const quota::Charge> charges) {
  for (const quota::Charge& charge : charges) {
    for (quota::Charge& each : from) {
      if (each.of == charge.of) each.amount -= std::min(each.amount, charge.amount);
    }
  }
}

// Adds what of an elastic request may leave by itself; `rest` is left with what may not.
void add_parts(RequestTable& table, Request& request, quota::Running& rest, Holders& out) {
  const std::int64_t surplus = request.holds() ? surplus_of(request) : 0;
  if (rest.leaving || (surplus == 0 && !request.shrinks_by)) return;
  quota::Tree& tree = table.objects().tree();
  std::vector<quota::Running> parts;
  if (request.shrinks_by) {
    quota::Running gone = rest;
    gone.leaving = true;
    subtract(gone.charges, charges_of(tree, request, request.promise));
    subtract(rest.charges, gone.charges);
    parts.push_back(std::move(gone));
  }
  for (std::int64_t i = 0; i < surplus; ++i) {
    quota::Running part = rest;
    part.uid = fmt::format("{}#{:08}", rest.uid, i);
    part.charges = charges_of_pod(tree, request.promise[*elastic_set(*request.object)]);
    parts.push_back(std::move(part));
  }
  const std::size_t whole = out.running.size() + parts.size();
  for (quota::Running& part : parts) {
    if (!part.leaving) subtract(rest.charges, part.charges);
    part.surplus_of = whole;
    out.running.push_back(std::move(part));
    out.requests.push_back(&request);
  }
}

void add_queue(RequestTable& table, quota::QuotaNodeId node, Holders& out) {
  for (const std::string& name : table.holding(node)) {
    Request* request = table.find(name);
    if (request->stage == RequestStage::preempting || request->protected_until) continue;
    if (request->tenure == Tenure::guaranteed || request->tenure == Tenure::opportunistic) continue;
    quota::Running whole{.queue = node,
                         .charges = request->charges,
                         .priority = request->priority,
                         .timestamp = request->timestamp,
                         .reserved_at = request->reserved_at.time_since_epoch().count(),
                         .uid = request->name,
                         .leaving = request->stage == RequestStage::releasing,
                         .tenure = request->tenure};
    add_parts(table, *request, whole, out);
    out.running.push_back(std::move(whole));
    out.requests.push_back(request);
  }
}

void add_below(RequestTable& table, const quota::Tree& tree, quota::QuotaNodeId node,
               Holders& out) {
  if (tree.kind(node) == quota::Tree::Kind::queue) add_queue(table, node, out);
  for (const quota::QuotaNodeId child : tree.children(node)) add_below(table, tree, child, out);
}

const model::FlavorQuotas& flavor_at(const QuotaQueue& queue, std::size_t group,
                                     std::size_t flavor) {
  return queue.object->spec.groups[group].flavors[flavor];
}

bool may_evict_to_borrow(const RequestTable& table, const QuotaQueue& queue,
                         const Request& request) {
  if (request.tenure != Tenure::ordinary) return false;
  return table.any_burst() ||
         queue.preemption.allows_borrower(!table.config().fair_sharing.empty());
}

// Whether the best assignment is the same after others were charged and nothing was given back.
// What was turned down before stays so, unless a flavor may be chosen for the victims that it has
// now.
bool still_holds(const quota::Tree& tree, const QuotaQueue& queue,
                 const Assignments::Outlook& known) {
  using When = quota::Fungibility::When;
  const auto& groups = queue.object->spec.groups;
  const bool one_flavor =
      std::ranges::all_of(groups, [](const auto& group) { return group.flavors.size() == 1; });
  if (!known.fits || (!one_flavor && queue.fungibility.can_preempt != When::try_next_flavor) ||
      !tree.fits(queue.node, known.charges)) {
    return false;
  }
  std::uint32_t level = 0;
  for (const quota::Charge& charge : known.charges) {
    if (charge.amount == 0) continue;
    level = std::max(level, tree.reach(queue.node, charge.of, charge.amount).borrow_level);
  }
  return level == known.borrow_level;
}

}  // namespace

std::vector<quota::FairStrategy> fair_strategies(const QuotaConfig& config) {
  std::vector<quota::FairStrategy> out;
  for (const ShareRule rule : config.fair_sharing) {
    out.push_back(rule == ShareRule::at_most_final_share
                      ? quota::FairStrategy::less_than_or_equal_to_final_share
                      : quota::FairStrategy::less_than_initial_share);
  }
  return out;
}

Holders holders_of(RequestTable& table, const QuotaQueue& queue) {
  Holders out;
  const quota::Tree& tree = table.objects().tree();
  add_below(table, tree, tree.root(queue.node), out);
  return out;
}

quota::Preemptor preemptor_of(const QuotaQueue& queue, const Request& request) {
  return {.queue = queue.node,
          .charges = {},
          .priority = request.priority,
          .timestamp = request.timestamp,
          .tenure = request.tenure};
}

quota::PreemptionPolicy policy_for(const QuotaQueue& queue, const Request& request) {
  using Policy = quota::PreemptionPolicy;
  Policy policy = queue.preemption;
  const bool loose = request.tenure > Tenure::ordinary;
  if (loose) policy.within_queue = Policy::WithinQueue::never;
  if (loose || request.tenure == Tenure::guaranteed) policy.borrow_within_cohort = false;
  if (request.tenure == Tenure::opportunistic) policy.reclaim = Policy::Reclaim::never;
  if (request.tenure == Tenure::guaranteed) policy.reclaim = Policy::Reclaim::any;
  return policy;
}

bool is_judged_by_shares(const QuotaConfig& config, const Request& request) {
  return !config.fair_sharing.empty() && request.tenure != Tenure::guaranteed;
}

std::vector<std::int64_t> full_counts(const Request& request) {
  std::vector<std::int64_t> counts;
  for (const model::PodSet& set : request.object->spec.pod_sets) {
    counts.push_back(left_to_run(*request.object, set, set.count));
  }
  return counts;
}

const Assignments::Outlook& Assignments::outlook(const QuotaQueue& queue, const Request& request) {
  Outlook& known = outlooks_[request.name];
  const std::uint64_t usage = table_.usage_version(queue.node);
  if (known.usage == usage) return known;
  const std::uint64_t releases = table_.quota_version(queue.node);
  if (known.releases == releases && still_holds(table_.objects().tree(), queue, known)) {
    known.usage = usage;
    return known;
  }
  known = {.releases = releases, .usage = usage};
  AssignmentList list(table_, queue, request, full_counts(request));
  if (auto best = list.next()) {
    known.fits = best->assignment.mode == quota::Mode::fit;
    known.charges = std::move(best->assignment.charges);
    known.borrow_level = best->assignment.borrow_level;
  }
  return known;
}

// What evicting others could do, asked of the searches for victims; holders are looked up when the
// first question comes.
class AssignmentList::Victims final : public quota::VictimOutlook {
 public:
  explicit Victims(AssignmentList& list)
      : list_(list), strategies_(fair_strategies(list.table_.config())) {}

  quota::Grade outlook(quota::FlavorResourceId of, quota::Amount amount) override {
    using Sharing = quota::QuotaOutlook::Sharing;
    const bool shares = is_judged_by_shares(list_.table_.config(), list_.request_);
    const auto policy = policy_for(list_.queue_, list_.request_);
    quota::QuotaOutlook outlook(
        list_.table_.objects().tree(), preemptor_of(list_.queue_, list_.request_), policy,
        list_.holders().running, shares ? Sharing::fair : Sharing::classical, strategies_);
    return outlook.outlook(of, amount);
  }

 private:
  AssignmentList& list_;
  std::vector<quota::FairStrategy> strategies_;
};

AssignmentList::AssignmentList(RequestTable& table, const QuotaQueue& queue, const Request& request,
                               std::span<const std::int64_t> counts)
    : table_(table),
      queue_(queue),
      request_(request),
      counts_(counts.begin(), counts.end()),
      topology_implied_(table.objects().is_all_topology(queue)),
      victims_(std::make_unique<Victims>(*this)) {
  find_units();
  find_undeclared();
  if (undeclared_) return;
  make_slots();
  quota::FlavorQuestion question{
      .queue = queue.node,
      .fungibility = queue.fungibility,
      .preempts_while_borrowing = may_evict_to_borrow(table, queue, request),
      .slots = options_};
  search_.emplace(table.objects().tree(), std::move(question), *victims_);
}

AssignmentList::~AssignmentList() = default;

const Holders& AssignmentList::holders() {
  if (!holders_) holders_ = holders_of(table_, queue_);
  return *holders_;
}

void AssignmentList::find_units() {
  const auto& sets = request_.object->spec.pod_sets;
  std::map<std::string, std::size_t> by_group;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    const std::string group = sets[i].topology ? sets[i].topology->group : std::string();
    const auto known = group.empty() ? by_group.end() : by_group.find(group);
    if (known != by_group.end()) {
      units_[known->second].sets.push_back(i);
      continue;
    }
    if (!group.empty()) by_group[group] = units_.size();
    units_.push_back({{i}});
  }
}

std::int64_t AssignmentList::amount(std::size_t set, const std::string& resource) const {
  if (resource == kPodsName) return counts_[set];
  const auto at = request_.asks[set].find(resource);
  if (at == request_.asks[set].end()) return 0;
  return quota::to_int64(quota::Amount{at->second} * counts_[set]);
}

bool AssignmentList::asks(std::size_t set, const std::string& resource) const {
  return resource == kPodsName || request_.asks[set].contains(resource);
}

void AssignmentList::find_undeclared() {
  if (table_.config().undeclared == UndeclaredResources::ignore) return;
  const auto covered = [&](const std::string& resource) {
    return std::ranges::any_of(queue_.object->spec.groups, [&](const auto& group) {
      return std::ranges::find(group.covered, resource) != group.covered.end();
    });
  };
  for (std::size_t i = 0; i < request_.asks.size(); ++i) {
    for (const auto& [resource, of_pod] : request_.asks[i]) {
      if (of_pod == 0 || covered(resource)) continue;
      undeclared_ = PendingReason{
          .reason = Waits::no_matching_flavor,
          .message = fmt::format(
              "couldn't assign flavors to pod set {}: resource {} unavailable in ClusterQueue",
              request_.object->spec.pod_sets[i].name, resource)};
      return;
    }
  }
}

bool AssignmentList::asks_for_any(const Unit& unit, const model::ResourceGroup& group) const {
  return std::ranges::any_of(group.covered, [&](const std::string& resource) {
    return std::ranges::any_of(unit.sets, [&](std::size_t set) { return asks(set, resource); });
  });
}

quota::FlavorOption AssignmentList::option_for(const Unit& unit, const model::ResourceGroup& group,
                                               std::size_t flavor, std::string& mismatch) {
  quota::FlavorOption option;
  const std::string& name = group.flavors[flavor].flavor;
  for (const std::size_t set : unit.sets) {
    if (!mismatch.empty()) break;
    mismatch = flavor_mismatch(table_.objects(), *request_.object,
                               request_.object->spec.pod_sets[set], name, topology_implied_);
  }
  option.usable = mismatch.empty();
  quota::FlavorResources& pairs = table_.objects().tree().flavor_resources();
  for (const std::string& resource : group.covered) {
    quota::Amount sum = 0;
    bool asked = false;
    for (const std::size_t set : unit.sets) {
      sum += amount(set, resource);
      asked = asked || asks(set, resource);
    }
    if (!asked) continue;
    const quota::FlavorResourceId of = pairs.intern(name, resource);
    // What leaves for anyone is charged to nobody.
    if (request_.tenure == Tenure::opportunistic) sum = 0;
    option.charges.push_back({of, quota::to_int64(sum)});
    if (request_.tenure != Tenure::guaranteed || !option.usable) continue;
    const quota::Amount left = table_.objects().tree().nominal(queue_.node, of) -
                               table_.guaranteed_beside(request_, queue_.node, of);
    if (sum <= left) continue;
    option.usable = false;
    mismatch = fmt::format("flavor {} has no more {} to guarantee", name, resource);
  }
  return option;
}

void AssignmentList::make_slots() {
  const auto& groups = queue_.object->spec.groups;
  for (std::size_t unit = 0; unit < units_.size(); ++unit) {
    for (std::size_t group = 0; group < groups.size(); ++group) {
      if (!asks_for_any(units_[unit], groups[group])) continue;
      SlotOf slot{.unit = unit, .group = group};
      quota::Slot options;
      for (std::size_t i = 0; i < groups[group].flavors.size(); ++i) {
        options.flavors.push_back(
            option_for(units_[unit], groups[group], i, slot.mismatches.emplace_back()));
      }
      slots_.push_back(std::move(slot));
      options_.push_back(std::move(options));
    }
  }
}

std::optional<FlavorChoice> AssignmentList::next() {
  if (undeclared_) return std::nullopt;
  if (slots_.empty()) {
    if (std::exchange(empty_given_, true)) return std::nullopt;
    return choice({});
  }
  auto found = search_->next();
  if (!found) return std::nullopt;
  return choice(*std::move(found));
}

FlavorChoice AssignmentList::choice(quota::Assignment assignment) const {
  FlavorChoice out;
  const auto& sets = request_.object->spec.pod_sets;
  for (std::size_t i = 0; i < sets.size(); ++i) {
    out.promise.push_back({.count = counts_[i]});
    out.forms.push_back({.set = &sets[i], .count = counts_[i]});
  }
  for (std::size_t slot = 0; slot < slots_.size(); ++slot) {
    const auto& quotas = flavor_at(queue_, slots_[slot].group, assignment.flavors[slot]);
    const model::ResourceFlavor* flavor = table_.objects().flavor(quotas.flavor);
    const auto& covered = queue_.object->spec.groups[slots_[slot].group].covered;
    for (const std::size_t set : units_[slots_[slot].unit].sets) {
      for (const std::string& resource : covered) {
        if (!asks(set, resource)) continue;
        out.promise[set].flavors[resource] = quotas.flavor;
        const bool free = request_.tenure == Tenure::opportunistic;
        out.promise[set].usage[resource] = free ? 0 : amount(set, resource);
      }
      auto& flavors = out.forms[set].flavors;
      if (std::ranges::find(flavors, flavor) == flavors.end()) flavors.push_back(flavor);
      out.on_topology = out.on_topology || !flavor->topology.empty();
    }
  }
  out.assignment = std::move(assignment);
  if (request_.tenure == Tenure::opportunistic) out.assignment.charges.clear();
  return out;
}

std::string AssignmentList::set_names(const Unit& unit) const {
  std::vector<std::string> names;
  for (const std::size_t set : unit.sets) {
    names.push_back(request_.object->spec.pod_sets[set].name);
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

PendingReason AssignmentList::refusal() const {
  if (undeclared_) return *undeclared_;
  if (slots_.empty()) return {};
  const std::size_t slot = search_->dead_end();
  const Unit& unit = units_[slots_[slot].unit];
  const auto& outcomes = search_->dead_end_outcomes();
  PendingReason refusal{.reason = Waits::no_matching_flavor};
  std::string reasons;
  for (std::size_t i = 0; i < slots_[slot].mismatches.size(); ++i) {
    FlavorReason one{.reason = Waits::no_matching_flavor, .message = slots_[slot].mismatches[i]};
    if (one.message.empty() && i < outcomes.size() && outcomes[i]) {
      one = refusal_of(table_.objects().tree(), queue_.node, set_names(unit), *outcomes[i]);
    }
    if (one.message.empty()) continue;
    refusal.reason = std::min(refusal.reason, one.reason);
    reasons += (reasons.empty() ? "" : ", ") + one.message;
    refusal.shortages.insert(refusal.shortages.end(), one.shortages.begin(), one.shortages.end());
  }
  if (reasons.empty()) return {};
  refusal.message =
      fmt::format("couldn't assign flavors to pod set {}: {}", set_names(unit), reasons);
  return refusal;
}

}  // namespace tutti::core
