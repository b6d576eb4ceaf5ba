#include "core/preemption.h"

#include <algorithm>

#include "core/eviction_search.h"
#include "core/victims.h"

namespace tutti::core {
namespace {

using Outcome = PreemptionReport::Outcome;

// More refused candidates than this help nobody.
constexpr std::size_t kRefusedShown = 100;

PreemptionReport::Unit described(const Cluster& cluster, const GroupTable& groups,
                                 const VictimTable& victims, std::uint32_t index) {
  const VictimUnit& unit = victims.units[index];
  PreemptionReport::Unit made;
  made.name = unit_name(cluster, groups, unit.group, victims.pods[unit.first_pod]);
  made.priority = unit.priority;
  made.cost = unit.cost;
  for (const PodId pod : victims.pods_of(unit)) {
    const auto& meta = cluster.pod(pod).object->meta;
    made.pods.push_back(meta.ns + "/" + meta.name);
  }
  return made;
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
  if (report->why = objection(entity); !report->why.empty()) {
    report->outcome = Outcome::not_allowed;
    plan.report = std::move(report);
    return plan;
  }
  if (entity.priority <= lowest_) {
    plan.report = std::move(report);
    return plan;
  }
  const VictimTable victims =
      find_victims({cluster_, groups_, around.group_of, around.condemned, entity.root,
                    entity.priority, around.now, around.spared, cost_aware_, memory_});
  if (victims.lowest >= entity.priority) lowest_ = victims.lowest;
  report->candidates = victims.units.size();
  report->not_lower = victims.not_lower;
  for (const auto& refusal : victims.refusals) {
    if (report->refused.size() == kRefusedShown) break;
    report->refused.push_back(
        {unit_name(cluster_, groups_, refusal.group, refusal.pod), refusal.why});
  }
  plan.ask_again = victims.reprieve_ends;
  plan.ask_again_when_bound = victims.binding;

  std::optional<EvictionSearch::Found> found;
  if (!victims.units.empty() || !victims.leaving.empty()) {
    const Subtree tree = tree_of();
    found = EvictionSearch(cluster_, groups_, evaluations_, *entity.profile, tree, victims,
                           search_budget_)
                .run();
  }
  if (!found) {
    report->outcome = victims.units.empty() ? Outcome::nobody : Outcome::useless;
  } else if (found->units.empty()) {
    report->outcome = Outcome::no_need;
    plan.places = std::move(found->places);
    for (const PodId pod : victims.leaving) {
      const auto here = [&](const ProposedPod& member) {
        return member.node == cluster_.pod(pod).node;
      };
      if (std::ranges::any_of(plan.places, here)) plan.victims.push_back(pod);
    }
  } else {
    report->outcome = Outcome::evicting;
    report->harm = found->harm;
    report->least = found->least;
    for (const std::uint32_t unit : found->units) {
      report->victims.push_back(described(cluster_, groups_, victims, unit));
      const auto pods = victims.pods_of(victims.units[unit]);
      plan.victims.insert(plan.victims.end(), pods.begin(), pods.end());
    }
    plan.places = std::move(found->places);
  }
  plan.report = std::move(report);
  return plan;
}

}  // namespace tutti::core
