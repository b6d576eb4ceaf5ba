#include "explain/explain.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "devices/device_state.h"
#include "devices/readiness.h"
#include "explain/findings/blocker_choice.h"
#include "explain/findings/demand.h"
#include "explain/findings/device_need.h"
#include "explain/findings/unit.h"
#include "explain/findings/verdict_cache.h"
#include "explain/held_reason.h"
#include "explain/verdict/preemption.h"
#include "explain/verdict/text.h"
#include "explain/wording/sentence.h"

namespace tutti::explain {
namespace {

using core::GroupId;
using core::PodId;

ObjectName name_of(const core::Group& group) {
  return {group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name};
}

// Most are in order already, and of every domain there is a list: sorting takes memory each time.
void sort_by_count(std::vector<CountedReason>& reasons) {
  if (std::ranges::is_sorted(reasons, std::ranges::greater{}, &CountedReason::count)) return;
  std::ranges::stable_sort(reasons, std::ranges::greater{}, &CountedReason::count);
}

std::vector<CountedReason> counted_reasons(const std::vector<core::ReasonCount>& reasons,
                                           std::size_t nodes) {
  std::vector<CountedReason> made;
  for (const auto& reason : reasons) {
    const auto same = std::ranges::find_if(made, [&](const CountedReason& known) {
      return known.plugin == reason.plugin && known.reason == reason.reason;
    });
    const std::size_t count = reason.nodes == 0 ? nodes : reason.nodes;
    if (same == made.end()) {
      made.push_back({reason.plugin, reason.reason, count});
    } else {
      same->count = std::max(same->count, count);
    }
  }
  sort_by_count(made);
  return made;
}

// Domains share no node, so that their counts add up to those of the cluster.
void add_up(std::vector<CountedReason>& nodes, const std::vector<CountedReason>& reasons) {
  for (const auto& reason : reasons) {
    const auto same = std::ranges::find_if(nodes, [&](const CountedReason& known) {
      return known.plugin == reason.plugin && known.reason == reason.reason;
    });
    if (same == nodes.end()) {
      nodes.push_back(reason);
    } else {
      same->count += reason.count;
    }
  }
  sort_by_count(nodes);
}

void add_domains(Verdict& verdict, const core::Attempt& attempt) {
  std::vector<Domain> domains;
  domains.reserve(attempt.placements.size());
  for (const auto& report : attempt.placements) {
    domains.push_back(
        {report.key, report.value, report.fit, report.needed, counted_reasons(report.reasons, 0)});
    add_up(verdict.nodes, domains.back().reasons);
  }
  verdict.domains = std::move(domains);
}

void add_reports(Verdict& verdict, const core::Attempt& attempt, const core::Cluster& cluster,
                 const BlockerChoice& ruling) {
  add_domains(verdict, attempt);
  const core::ClassReport* report = report_on(attempt, cluster, ruling.culprit);
  if (!verdict.domains.empty() || report == nullptr) return;
  verdict.nodes = counted_reasons(report->diagnosis.reasons, report->diagnosis.nodes);
}

// What can be had of "All" of a node is told by the node that comes nearest.
void add_devices(Verdict& verdict, const DeviceNeed& need) {
  if (!need.problem().empty()) return;
  const DeviceKind& kind = need.kind();
  const std::string what = "devices of class " + kind.wish->device_class;
  verdict.need.push_back({what, fmt::format("{}", kind.need)});
  verdict.have.push_back({what, fmt::format("{}", kind.usable)});
}

void add_amounts(Verdict& verdict, const core::Attempt& attempt, const core::Cluster& cluster,
                 const Demand& demand, const BlockerChoice& ruling) {
  const auto add = [&](std::string what, std::string need, std::string have) {
    verdict.need.push_back({what, std::move(need)});
    verdict.have.push_back({std::move(what), std::move(have)});
  };
  if (!demand.lone) {
    add("members", fmt::format("{}", demand.required),
        fmt::format("{}", members_had(attempt, demand)));
  }
  if (ruling.balance) {
    const auto& balance = *ruling.balance;
    const std::string resource(cluster.resources().name(balance.resource));
    add(resource, amount_text(resource, balance.need), amount_text(resource, balance.have));
  }
  if (ruling.devices) add_devices(verdict, *ruling.devices);
  if (const auto& limit = ruling.device_limit) {
    add("devices " + limit->devices, fmt::format("{}", limit->need),
        fmt::format("{}", limit->have));
  }
}

bool is_being_emptied(const core::Cluster& cluster, const std::string& name) {
  const auto node = cluster.nodes().find(name);
  if (!node) return false;
  return std::ranges::any_of(cluster.pods().on(*node), [&](PodId pod) {
    const model::Pod& object = *cluster.pod(pod).object;
    const auto* target = model::find(object.status.conditions, "DisruptionTarget");
    return object.meta.deletion || (target != nullptr && target->status == "True");
  });
}

// Where room is being made for the waiting pods: of the nodes that they are nominated to those that
// someone leaves, or all while nobody is seen to leave.
std::vector<std::string> nominations(const core::Cluster& cluster, const std::vector<PodId>& pods) {
  std::set<std::string> nodes;
  for (const PodId pod : pods) {
    const auto& nominated = cluster.pod(pod).object->status.nominated_node;
    if (!nominated.empty()) nodes.insert(nominated);
  }
  std::vector<std::string> emptied;
  std::ranges::copy_if(nodes, std::back_inserter(emptied),
                       [&](const std::string& node) { return is_being_emptied(cluster, node); });
  return emptied.empty() ? std::vector(nodes.begin(), nodes.end()) : emptied;
}

// What the attempt says of everyone who asks for the same.
Verdict conclusion(const core::Attempt& attempt, const core::Cluster& cluster,
                   const Demand& demand) {
  Verdict made;
  const BlockerChoice ruling = classify(attempt, cluster, demand);
  made.state = ruling.state;
  made.blocker = ruling.blocker;
  made.summary = sentence(attempt, cluster, demand, ruling);
  add_amounts(made, attempt, cluster, demand, ruling);
  add_reports(made, attempt, cluster, ruling);
  return made;
}

Verdict conclusion(const Sources& sources, const core::Attempt& attempt, const Demand& demand) {
  if (sources.memory == nullptr) return conclusion(attempt, sources.cluster, demand);
  if (const Verdict* known = sources.memory->conclusion(attempt, demand)) return *known;
  Verdict made = conclusion(attempt, sources.cluster, demand);
  sources.memory->keep(attempt, demand, made);
  return made;
}

void add_attempt(Verdict& verdict, const Sources& sources, const core::Attempt& attempt,
                 const Demand& demand, const std::vector<PodId>& waiting) {
  ObjectName object = std::move(verdict.object);
  verdict = conclusion(sources, attempt, demand);
  verdict.object = std::move(object);
  if (attempt.preemption) verdict.preemption = describe(*attempt.preemption);
  const auto nodes = nominations(sources.cluster, waiting);
  if (nodes.empty() || verdict.state != State::waiting) return;
  verdict.state = State::preempting;
  verdict.summary += "; room is being made on ";
  verdict.summary += nodes.size() == 1 ? "node " + nodes.front()
                                       : fmt::format("{} nodes: {}", nodes.size(), first_of(nodes));
}

void add_hold(Verdict& verdict, HeldReason hold) {
  verdict.state = hold.state;
  verdict.blocker = hold.blocker;
  verdict.summary = std::move(hold.summary);
  verdict.need = std::move(hold.need);
  verdict.have = std::move(hold.have);
}

bool lacks_template(const Sources& sources, PodId pod) {
  if (!sources.has_template) return false;
  const std::string name = missing_template(sources.cluster, pod);
  return !name.empty() && !sources.has_template(sources.cluster.pod(pod).object->meta.ns, name);
}

// Adds what plugins, or the last attempt, say of pods that are complete and ours. `unit` is
// what they are tried as; invalid for a pod by itself.
void add_wait(Verdict& verdict, const Sources& sources, const Demand& demand,
              const std::vector<PodId>& waiting, GroupId unit) {
  for (const PodId pod : waiting) {
    if (auto reason = sources.held_reason(pod); !reason.empty()) {
      const bool claim = !missing_claim(sources.cluster, pod).empty();
      const Blocker blocker = claim ? Blocker::devices : Blocker::gated;
      if (claim && lacks_template(sources, pod)) reason += ", which does not exist";
      add_hold(verdict, {State::held, blocker, std::move(reason), {}, {}});
      return;
    }
  }
  const core::Attempt* attempt = sources.last_attempt(waiting.front());
  if (attempt == nullptr || attempt->code == core::Code::success) {
    verdict.summary = "waits for its turn; it was not tried yet";
    return;
  }
  if (!unit.valid() || attempt->leaves.empty()) {
    add_attempt(verdict, sources, *attempt, demand, waiting);
  } else {
    add_attempt(verdict, sources, part_of_attempt(*attempt, sources.groups, unit), demand, waiting);
  }
}

Demand lone_demand(const Sources& sources, PodId pod, const core::Profile* profile) {
  Demand demand = demand_of_pod(sources.cluster, pod, profile, sources.memory);
  demand.groups = &sources.groups;
  return demand;
}

const core::Profile* profile_of(const Sources& sources, const std::vector<PodId>& pods) {
  return sources.profile_for(*sources.cluster.pod(pods.front()).object);
}

// Says which of several units a verdict about all of them speaks of.
void name_unit(Verdict& verdict, const core::GroupTable& groups, GroupId unit) {
  verdict.summary = fmt::format("{}: {}", groups[unit].name, verdict.summary);
}

// Why the waiting members of the group's tree wait. Requires one that does, or too few to exist.
void add_group_wait(Verdict& verdict, const Sources& sources, GroupId group) {
  if (auto hold = find_held_reason(sources.cluster, sources.groups, group, sources.absent)) {
    add_hold(verdict, std::move(*hold));
    return;
  }
  const GroupId unit = waiting_unit(sources.groups, group);
  const auto waiting = pending_pods(sources.groups, unit);
  if (waiting.empty()) {
    verdict.summary = "has no pods that wait";
    return;
  }
  const core::Profile* profile = profile_of(sources, waiting);
  add_wait(verdict, sources,
           demand_of_group(sources.cluster, sources.groups, unit, profile, sources.memory), waiting,
           unit);
}

// Adds the wait of a group of several units, one of which speaks for those that wait.
void add_wait_of_units(Verdict& verdict, const Sources& sources, GroupId group) {
  add_group_wait(verdict, sources, group);
  const core::GroupTable& groups = sources.groups;
  const GroupId unit = waiting_unit(groups, group);
  if (!groups.root_of(group) || !groups[group].composite || !groups.satisfied(group)) return;
  if (unit != group) name_unit(verdict, groups, unit);
}

Absent absent_members(const Sources& sources, GroupId group) {
  Absent total;
  if (!sources.absent) return total;
  for (const GroupId leaf : leaves_of(sources.groups, group)) {
    const Absent here = sources.absent(sources.groups[leaf]);
    total.succeeded += here.succeeded;
    total.failed += here.failed;
    total.foreign += here.foreign;
    if (total.scheduler.empty()) total.scheduler = here.scheduler;
  }
  return total;
}

// "2 Succeeded, 1 Failed".
std::string endings(const Absent& absent) {
  if (absent.failed == 0) return fmt::format("{} Succeeded", absent.succeeded);
  if (absent.succeeded == 0) return fmt::format("{} Failed", absent.failed);
  return fmt::format("{} Succeeded, {} Failed", absent.succeeded, absent.failed);
}

// Says how a group of which nobody waits has come to rest.
std::string settled(const core::GroupTable& groups, GroupId group, const Absent& absent) {
  const std::size_t placed = scheduled_pods(groups, group);
  const std::size_t ended = absent.ended();
  if (placed == 0) {
    return ended == 1 ? fmt::format("its one member has ended ({})", endings(absent))
                      : fmt::format("all {} members have ended ({})", ended, endings(absent));
  }
  auto text = fmt::format("{} on {}", counted(placed, "pod") + (placed == 1 ? " is" : " are"),
                          placed == 1 ? "a node" : "nodes");
  if (ended > 0) {
    text += fmt::format(", {} {} ended ({})", ended, ended == 1 ? "has" : "have", endings(absent));
  }
  const std::size_t needed = required_pods(groups, group);
  if (placed + ended < needed) text += fmt::format(", fewer than the {} it needs", needed);
  return text;
}

std::string left_alone(const Absent& absent) {
  if (absent.foreign == 0) return {};
  return fmt::format("; {} {} left to scheduler '{}'", counted(absent.foreign, "pod"),
                     absent.foreign == 1 ? "is" : "are", absent.scheduler);
}

// Says how many groups run where they come as they fit, some of which do.
void add_standing(Verdict& verdict, const core::GroupTable& groups, GroupId group) {
  if (!groups.root_of(group) || !groups[group].composite || !groups.satisfied(group)) return;
  const std::size_t standing = standing_children(groups, group);
  verdict.summary =
      fmt::format("{} of {} run{}; {}", standing, counted(groups[group].children.size(), "group"),
                  standing == 1 ? "s" : "", verdict.summary);
}

// Says what others wait for in a gang that has its minimum.
void add_surplus(Verdict& verdict, const Sources& sources, GroupId group) {
  const std::size_t placed = scheduled_pods(sources.groups, group);
  const std::size_t waiting = pending_pods(sources.groups, group).size();
  Verdict rest;
  add_wait_of_units(rest, sources, group);
  const std::string_view colon = rest.blocker == Blocker::none ? "" : ": ";
  verdict.summary = fmt::format("{} of {} are on nodes, which is enough; {} more wait{}: {}{}{}",
                                placed, counted(placed + waiting, "pod"), waiting,
                                waiting == 1 ? "s" : "", name(rest.blocker), colon, rest.summary);
  verdict.nodes = std::move(rest.nodes);
}

// Groups whose parents form a cycle have no root, and nothing may descend into them.
bool runs(const core::GroupTable& groups, GroupId group) {
  return groups.root_of(group) && groups.satisfied(group) && groups[group].spec().policy.gang;
}

// Members of a basic group and those beyond a gang's minimum are placed one by one, unless they
// must stay in one domain.
bool comes_alone(const core::GroupTable& groups, GroupId group) {
  if (!groups.root_of(group)) return false;
  const GroupId unit = waiting_unit(groups, group);
  if (groups[unit].composite || !topology_key_of(groups, unit).empty()) return false;
  return !groups[unit].spec().policy.gang || groups.satisfied(unit);
}

void add_member_wait(Verdict& verdict, const Sources& sources, GroupId group, PodId pod) {
  const bool held =
      find_held_reason(sources.cluster, sources.groups, group, sources.absent).has_value();
  if (held || !comes_alone(sources.groups, group)) return add_group_wait(verdict, sources, group);
  const core::Profile* profile = profile_of(sources, {pod});
  add_wait(verdict, sources, lone_demand(sources, pod, profile), {pod}, {});
}

std::optional<GroupId> group_of(const Sources& sources, PodId id) {
  const model::Pod& pod = *sources.cluster.pod(id).object;
  if (pod.spec->scheduling_group.empty()) return std::nullopt;
  const auto group = sources.groups.find(pod.meta.ns, pod.spec->scheduling_group, false);
  if (!group || !sources.groups[*group].pending.contains(id)) return std::nullopt;
  return group;
}

std::string where(const core::Cluster& cluster, const core::PodEntry& entry) {
  if (entry.node.valid()) {
    return fmt::format("{} node {}", entry.assumed ? "is being bound to" : "is on",
                       cluster.node_name(entry.node));
  }
  return fmt::format("is on node {}, which is not there", entry.object->node_name);
}

// What keeps a pod from starting on the node that it came with: a claim that nobody allocated,
// since the pod did not pass a scheduler; or empty.
std::string unallocated_claim(const core::Cluster& cluster, PodId id) {
  const core::PodEntry& entry = cluster.pod(id);
  const model::Pod& pod = *entry.object;
  if (pod.node_name.empty() || pod.status.phase != model::PodPhase::pending) return {};
  for (const auto& wanted : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(wanted, pod.status.claim_statuses);
    if (name != nullptr && name->empty()) continue;  // it needs none
    const auto claim =
        name != nullptr ? cluster.devices().find_claim(pod.meta.ns, *name) : devices::ClaimId{};
    const bool allocated = claim.valid() && cluster.devices().claim(claim).object &&
                           cluster.devices().claim(claim).object->allocation;
    if (allocated) continue;
    return fmt::format("{}, but does not start there: claim {} is not allocated",
                       where(cluster, entry), name != nullptr ? *name : wanted.name);
  }
  return {};
}

// What a pod that is being bound waits for: a device of its claims that is not ready; or empty.
std::string awaited_device(const core::Cluster& cluster, PodId id) {
  const core::PodEntry& entry = cluster.pod(id);
  if (!entry.assumed) return {};
  const auto& device_state = cluster.devices();
  for (const auto claim : device_state.claims_of(*entry.object).settled) {
    auto text = devices::readiness(*device_state.claim(claim).object).text;
    if (!text.empty()) return text;
  }
  return {};
}

std::string awaited_device(const Sources& sources, GroupId id) {
  if (!sources.groups.root_of(id)) return {};  // parents may form a cycle
  for (const GroupId leaf : sources.groups.leaves(id)) {
    for (const PodId pod : sources.groups[leaf].assumed) {
      auto text = awaited_device(sources.cluster, pod);
      if (!text.empty()) return text;
    }
  }
  return {};
}

void add_device_wait(Verdict& verdict, std::string awaited) {
  verdict.state = State::waiting;
  verdict.blocker = Blocker::devices;
  verdict.summary = std::move(awaited);
}

// Pods of a group are as important as the group; what their own class says beyond that is ignored,
// and nobody would look for that in the group, which for a Job Kubernetes makes.
void add_priority_that_does_not_count(Verdict& verdict, const Sources& sources, GroupId group) {
  if (verdict.state != State::waiting || verdict.blocker != Blocker::capacity) return;
  const core::Group& entry = sources.groups[group];
  const auto pending = pending_pods(sources.groups, group);
  if (entry.composite || !entry.seen() || pending.empty()) return;
  const model::Pod& pod = *sources.cluster.pod(pending.front()).object;
  const std::int32_t own = pod.priority.value_or(0);
  if (own <= entry.priority()) return;
  const bool of_job = std::ranges::any_of(pod.meta.owners, [](const model::OwnerReference& owner) {
    return owner.controller && owner.kind == "Job";
  });
  verdict.summary += fmt::format(
      "; its pods have priority {}, but their PodGroup, whose priority counts, has {}{}", own,
      entry.priority(), of_job ? " (a Job with spec.scheduling gives it the pods' class)" : "");
}

}  // namespace

bool finished(const Sources& sources, GroupId group) {
  const Absent absent = absent_members(sources, group);
  return absent.ended() > 0 && absent.foreign == 0 && all_pods(sources.groups, group) == 0;
}

Verdict explain_group(const Sources& sources, GroupId group) {
  Verdict verdict;
  verdict.object = name_of(sources.groups[group]);
  const Absent absent = absent_members(sources, group);
  const bool nobody_waits = pending_pods(sources.groups, group).empty();
  if (auto awaited = awaited_device(sources, group); nobody_waits && !awaited.empty()) {
    add_device_wait(verdict, std::move(awaited));
  } else if (nobody_waits && scheduled_pods(sources.groups, group) + absent.ended() > 0) {
    verdict.state = State::running;
    verdict.summary = settled(sources.groups, group, absent) + left_alone(absent);
  } else if (!nobody_waits && runs(sources.groups, group)) {
    verdict.state = State::running;
    add_surplus(verdict, sources, group);
  } else {
    add_wait_of_units(verdict, sources, group);
    add_priority_that_does_not_count(verdict, sources, group);
    add_standing(verdict, sources.groups, group);
  }
  return verdict;
}

Verdict explain_pod(const Sources& sources, PodId pod) {
  const core::PodEntry& entry = sources.cluster.pod(pod);
  Verdict verdict;
  verdict.object = {"Pod", entry.object->meta.ns, entry.object->meta.name};
  const auto group = group_of(sources, pod);
  if (auto awaited = awaited_device(sources.cluster, pod); !awaited.empty()) {
    add_device_wait(verdict, std::move(awaited));
  } else if (auto unallocated = unallocated_claim(sources.cluster, pod); !unallocated.empty()) {
    add_device_wait(verdict, std::move(unallocated));
  } else if (!entry.node.valid() && !entry.object->node_name.empty()) {
    verdict.state = State::held;
    verdict.blocker = Blocker::incomplete;
    verdict.summary = where(sources.cluster, entry);
  } else if (entry.node.valid()) {
    verdict.state = State::running;
    verdict.summary = where(sources.cluster, entry);
  } else if (group) {
    add_member_wait(verdict, sources, *group, pod);
  } else if (const core::Profile* profile = sources.profile_for(*entry.object); !profile) {
    verdict.summary = fmt::format("belongs to scheduler '{}', which Tutti leaves alone",
                                  entry.object->spec->scheduler_name);
  } else if (auto hold = find_held_reason(sources.cluster, pod)) {
    add_hold(verdict, std::move(*hold));
  } else {
    add_wait(verdict, sources, lone_demand(sources, pod, profile), {pod}, {});
  }
  return verdict;
}

}  // namespace tutti::explain
