#include "core/preemption/preemption.h"

#include <algorithm>
#include <map>
#include <utility>

#include "core/preemption/eviction_search.h"
#include "core/victims/harm.h"
#include "core/victims/victims.h"

namespace tutti::core {
namespace {

using Outcome = PreemptionReport::Outcome;

// Names the victims, those of a gang that falls whole as one.
class Described {
 public:
  Described(const Cluster& cluster, const GroupTable& groups, const VictimTable& victims,
            const Preemption::Circumstances& around, std::span<const std::uint32_t> units)
      : cluster_(cluster),
        groups_(groups),
        victims_(victims),
        around_(around),
        goes_(victims.units.size(), false) {
    for (const std::uint32_t unit : units) goes_[unit] = true;
    for (const std::uint32_t unit : units) add(unit);
  }
  std::vector<PreemptionReport::Unit> take() { return std::move(made_); }

 private:
  // The highest gang that falls whole with the unit; kNoIndex: none.
  std::uint32_t gang_of(const VictimUnit& unit) const {
    std::uint32_t top = kNoIndex;
    for (std::uint32_t at = unit.bond; at != kNoIndex; at = victims_.bonds[at].parent) {
      const Bond& bond = victims_.bonds[at];
      const auto going = [&](std::uint32_t member) { return goes_[member]; };
      if (bond.whole && std::ranges::all_of(bond.units, going)) top = at;
    }
    return top;
  }

  void add(std::uint32_t index) {
    const VictimUnit& unit = victims_.units[index];
    const std::uint32_t gang = gang_of(unit);
    const GroupId group = gang != kNoIndex ? victims_.bonds[gang].group : unit.group;
    const auto [at, fresh] = gang != kNoIndex ? by_gang_.try_emplace(gang, made_.size())
                                              : std::pair(by_gang_.end(), true);
    if (fresh) {
      made_.push_back({unit_name(cluster_, groups_, group, victims_.pods[unit.first_pod]),
                       unit.priority,
                       0,
                       {}});
    }
    PreemptionReport::Unit& described = fresh ? made_.back() : made_[at->second];
    described.priority = std::max(described.priority, unit.priority);
    described.cost += unit.cost;
    for (const PodId pod : victims_.pods_of(unit)) {
      const PodEntry& entry = cluster_.pod(pod);
      described.pods.push_back(entry.object->meta.ns + "/" + entry.object->meta.name);
      const GroupId leaf = around_.group_of(pod);
      const model::Object* object = leaf.valid() ? groups_[leaf].pod_group.get() : nullptr;
      described.lost += lost_work_of(cluster_, entry, object, around_.now);
    }
  }

  const Cluster& cluster_;
  const GroupTable& groups_;
  const VictimTable& victims_;
  const Preemption::Circumstances& around_;
  std::vector<bool> goes_;  // by unit
  std::map<std::uint32_t, std::size_t> by_gang_;
  std::vector<PreemptionReport::Unit> made_;
};

// Gangs that are left below their minimum because they ask for that.
std::vector<PreemptionReport::Stalled> stalled_by(const Cluster& cluster, const GroupTable& groups,
                                                  const VictimTable& victims,
                                                  std::span<const std::uint32_t> units) {
  std::vector<PreemptionReport::Stalled> stalled;
  HarmTally tally(victims);
  for (const std::uint32_t unit : units) tally.add(unit);
  for (std::uint32_t index = 0; index < victims.bonds.size(); ++index) {
    const Bond& bond = victims.bonds[index];
    if (!bond.stalls || tally.lost(index) <= bond.spare) continue;
    const std::int64_t minimum = groups[bond.group].spec().policy.minimum;
    const std::int64_t left = bond.spare + minimum - tally.lost(index);
    if (left > 0) stalled.push_back({unit_name(cluster, groups, bond.group, {}), left, minimum});
  }
  return stalled;
}

PreemptionReport::Gain gain_of(const Cluster& cluster, std::span<const ProposedPod> places) {
  PreemptionReport::Gain gain;
  std::set<NodeId> nodes;
  std::map<ResourceId, std::int64_t> amounts;
  for (const auto& [pod, node] : places) {
    nodes.insert(node);
    for (const auto& request : cluster.shape(cluster.pod(pod).shape).requests) {
      if (request.resource != kPods) amounts[request.resource] += request.amount;
    }
  }
  gain.pods = places.size();
  gain.nodes = nodes.size();
  for (const auto& [resource, amount] : amounts) {
    gain.amounts.emplace_back(cluster.resources().name(resource), amount);
  }
  return gain;
}

// Says why a unit that could have been evicted was not.
std::pair<Refusal, std::string> why_spared(const PreemptionReport& report, HarmTally& nobody,
                                           std::uint32_t unit) {
  if (report.outcome == Outcome::not_allowed) return {Refusal::not_allowed, report.why};
  if (report.outcome == Outcome::useless) {
    return {Refusal::would_not_help, "without all of lower priority it would not fit either"};
  }
  if (report.outcome == Outcome::no_need) {
    return {Refusal::not_needed, "those that are leaving already suffice"};
  }
  const Harm alone = nobody.with({&unit, 1});
  if (alone.violations > 0 && report.harm.violations == 0) {
    return {Refusal::budget, "its disruption budget allows no eviction, and others suffice"};
  }
  if (alone.priority > report.harm.priority) {
    return {Refusal::not_needed, "others of lower priority suffice"};
  }
  return {Refusal::not_needed, "others suffice"};
}

void settle(const Cluster& cluster, const GroupTable& groups, const VictimTable& victims,
            const Preemption::Circumstances& around, EvictionSearch::Found found,
            Preemption::Plan& plan, PreemptionReport& report) {
  plan.places = std::move(found.places);
  if (found.units.empty()) {
    report.outcome = Outcome::no_need;
    for (const PodId pod : victims.leaving) {
      const auto here = [&](const ProposedPod& member) {
        return member.node == cluster.pod(pod).node;
      };
      if (std::ranges::any_of(plan.places, here)) plan.victims.push_back(pod);
    }
    return;
  }
  report.outcome = Outcome::evicting;
  report.harm = found.harm;
  report.least = found.least;
  report.gain = gain_of(cluster, plan.places);
  report.victims = Described(cluster, groups, victims, around, found.units).take();
  for (const auto& unit : report.victims) report.lost += unit.lost;
  report.stalled = stalled_by(cluster, groups, victims, found.units);
  for (const std::uint32_t unit : found.units) {
    const auto pods = victims.pods_of(victims.units[unit]);
    plan.victims.insert(plan.victims.end(), pods.begin(), pods.end());
  }
}

// Names those that could have been evicted.
void add_candidates(const Cluster& cluster, const GroupTable& groups, const VictimTable& victims,
                    std::span<const std::uint32_t> chosen, PreemptionReport& report) {
  const std::set<std::uint32_t> going(chosen.begin(), chosen.end());
  HarmTally nobody(victims);
  for (std::uint32_t index = 0; index < victims.units.size(); ++index) {
    if (going.contains(index)) continue;
    const auto [reason, why] = why_spared(report, nobody, index);
    if (!report.count_refused(reason)) continue;
    const VictimUnit& unit = victims.units[index];
    report.refused.push_back(
        {unit_name(cluster, groups, unit.group, victims.pods[unit.first_pod]), reason, why});
  }
}

}  // namespace

std::string Preemption::objection(const Entity& entity) const {
  const Profile& profile = *entity.profile;
  if (!(entity.lone() ? profile.preempts : profile.preempts_for_groups)) {
    return "the scheduler's profile does not preempt";
  }
  constexpr auto kNever = model::PreemptionPolicy::never;
  const bool by_pods =
      entity.lone() || (groups_[entity.root].pod_group &&
                        model::members_may_differ_in_priority(*groups_[entity.root].pod_group));
  const bool never =
      by_pods ? std::ranges::any_of(entity.members,
                                    [&](const auto& member) {
                                      return cluster_.pod(member.first).object->preemption_policy ==
                                             kNever;
                                    })
              : groups_[entity.root].spec().preemption_policy == kNever;
  if (never) return "its preemptionPolicy is Never";
  if (by_pods && !entity.lone() && !groups_[entity.root].spec().topology_key.empty()) {
    return "a group of scheduling.k8s.io/v1alpha2 with a topology constraint does not preempt";
  }
  return {};
}

Preemption::Plan Preemption::plan(const Entity& entity, const std::function<Subtree()>& tree_of,
                                  const Circumstances& around) {
  auto report = std::make_shared<PreemptionReport>();
  Plan plan;
  plan.report = report;
  report->why = objection(entity);
  if (!report->why.empty()) report->outcome = Outcome::not_allowed;
  if (around.under_way != nullptr) *report = *around.under_way;
  const bool idle =
      around.under_way != nullptr || !report->why.empty() || is_lowest(entity.priority);
  if (idle && !around.thorough) return plan;
  const VictimTable victims =
      find_victims({cluster_, groups_, around.group_of, around.condemned, entity.root,
                    entity.priority, around.now, around.spared, around.vacating, cost_aware_,
                    memory_, around.thorough, around.off_limits, around.leaves_for_anyone});
  if (victims.lowest >= entity.priority && !around.rehearsed) lowest_ = victims.lowest;
  report->candidates = victims.units.size();
  report->not_lower = victims.not_lower;
  report->refused.clear();
  report->refused_counts = {};
  for (const auto& refused : victims.refusals) {
    if (!report->count_refused(refused.reason)) continue;
    report->refused.push_back(
        {unit_name(cluster_, groups_, refused.group, refused.pod), refused.reason, refused.why});
  }
  plan.ask_again = victims.reprieve_ends;
  plan.ask_again_when_bound = victims.binding;

  std::optional<EvictionSearch::Found> found;
  if (!idle && (!victims.units.empty() || !victims.leaving.empty())) {
    const Subtree tree = tree_of();
    found = EvictionSearch(cluster_, groups_, evaluations_, *entity.profile, tree, victims,
                           search_budget_)
                .run();
  }
  std::vector<std::uint32_t> chosen;
  if (found) {
    chosen = found->units;
    settle(cluster_, groups_, victims, around, *std::move(found), plan, *report);
  } else if (!idle) {
    report->outcome = victims.units.empty() ? Outcome::nobody : Outcome::useless;
  }
  if (around.thorough) add_candidates(cluster_, groups_, victims, chosen, *report);
  return plan;
}

}  // namespace tutti::core
