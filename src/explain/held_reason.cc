#include "explain/held_reason.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "core/cluster/group_title.h"
#include "explain/findings/demand.h"
#include "explain/findings/unit.h"
#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

std::string named_by(const core::GroupTable& groups, core::GroupId id) {
  const core::Group& group = groups[id];
  if (!group.composite) {
    const std::size_t pods = group.pod_count();
    return fmt::format("{} name{} it", counted(pods, "pod"), pods == 1 ? "s" : "");
  }
  const std::size_t children = group.children.size();
  return fmt::format("{} name{} it as parent", counted(children, "group"),
                     children == 1 ? "s" : "");
}

// "; there is a PodGroup t/train", where that was meant.
std::string namesake(const core::GroupTable& groups, const core::Group& missing) {
  std::vector<std::string_view> known;
  for (std::uint32_t slot = 0; slot < groups.slots(); ++slot) {
    if (!groups.alive({slot})) continue;
    const core::Group& group = groups[{slot}];
    const bool alike =
        group.seen() && group.ns == missing.ns && group.composite == missing.composite;
    if (alike) known.push_back(group.name);
  }
  std::ranges::sort(known);
  const std::string_view meant = nearest_word(missing.name, known);
  if (meant.empty()) return {};
  return fmt::format("; there is a {} {}/{}", missing.composite ? "CompositePodGroup" : "PodGroup",
                     missing.ns, meant);
}

std::optional<HeldReason> missing_object(const core::GroupTable& groups, core::GroupId id) {
  for (int level = 0; level < core::GroupTable::kMaxDepth; ++level) {
    const core::Group& group = groups[id];
    if (!group.seen()) {
      return HeldReason{
          State::held,
          Blocker::incomplete,
          fmt::format("waits for {}, which does not exist; {}{}", core::title_of(group),
                      named_by(groups, id), namesake(groups, group)),
          {},
          {}};
    }
    if (!group.parent.valid()) return std::nullopt;
    id = group.parent;
  }
  return HeldReason{State::invalid,
                    Blocker::bad_request,
                    fmt::format("the parents of the group form a cycle or more than {} levels",
                                core::GroupTable::kMaxDepth),
                    {},
                    {}};
}

// Why there are fewer than a person may count: " (1 has ended; 1 names scheduler 'x', ...)".
std::string uncounted(const Absent& absent) {
  std::vector<std::string> parts;
  if (absent.ended() > 0) {
    parts.push_back(
        fmt::format("{} {} ended", absent.ended(), absent.ended() == 1 ? "has" : "have"));
  }
  if (absent.foreign > 0) {
    const bool one = absent.foreign == 1;
    parts.push_back(fmt::format("{} name{} scheduler '{}' and {} not counted", absent.foreign,
                                one ? "s" : "", absent.scheduler, one ? "is" : "are"));
  }
  return parts.empty() ? std::string{} : fmt::format(" ({})", fmt::join(parts, "; "));
}

HeldReason short_of_pods(const core::Group& group, const AbsentOf& absent) {
  const auto need = static_cast<std::size_t>(group.spec().policy.minimum);
  const std::size_t have = group.pod_count();
  const std::size_t more = need - have;
  const auto exist = have == 0 ? fmt::format("no member of {} exists; {}", core::title_of(group),
                                             counted(more, "pod"))
                               : fmt::format("{} of {} members of {} exist{}; {} more {}", have,
                                             need, core::title_of(group), have == 1 ? "s" : "",
                                             more, more == 1 ? "pod" : "pods");
  return {State::held,
          Blocker::incomplete,
          fmt::format("{} {} needed{}", exist, more == 1 ? "is" : "are",
                      absent ? uncounted(absent(group)) : ""),
          {{"members", fmt::format("{}", need)}},
          {{"members", fmt::format("{}", have)}}};
}

HeldReason short_of_children(const core::GroupTable& groups, core::GroupId id) {
  const core::Group& group = groups[id];
  std::size_t ready = 0;
  for (const core::GroupId child : group.children) ready += groups.has_quorum(child) ? 1 : 0;
  return {State::held,
          Blocker::incomplete,
          fmt::format("{} of {} child groups of {} {} complete; {} exist{}", ready,
                      group.spec().policy.minimum, core::title_of(group), ready == 1 ? "is" : "are",
                      group.children.size(), group.children.size() == 1 ? "s" : ""),
          {{"groups", fmt::format("{}", group.spec().policy.minimum)}},
          {{"groups", fmt::format("{}", ready)}}};
}

// The lowest group whose own members are too few explains more than the one above it.
std::optional<HeldReason> missing_members(const core::GroupTable& groups, core::GroupId id,
                                          const AbsentOf& absent) {
  if (groups.has_quorum(id)) return std::nullopt;
  const core::Group& group = groups[id];
  if (!group.seen()) return missing_object(groups, id);
  if (!group.composite) return short_of_pods(group, absent);
  if (group.children.size() == static_cast<std::size_t>(group.spec().policy.minimum)) {
    for (const core::GroupId child : group.children) {
      if (auto hold = missing_members(groups, child, absent)) return hold;
    }
  }
  return short_of_children(groups, id);
}

}  // namespace

std::optional<HeldReason> find_held_reason(const core::Cluster& cluster, core::PodId id) {
  const model::Pod& pod = *cluster.pod(id).object;
  if (pod.spec->scheduling_gates.empty()) return std::nullopt;
  return HeldReason{State::held,
                    Blocker::gated,
                    fmt::format("pod {}/{} has scheduling gate {}", pod.meta.ns, pod.meta.name,
                                fmt::join(pod.spec->scheduling_gates, ", ")),
                    {},
                    {}};
}

std::optional<HeldReason> find_held_reason(const core::Cluster& cluster,
                                           const core::GroupTable& groups, core::GroupId group,
                                           const AbsentOf& absent) {
  if (auto hold = missing_object(groups, group)) return hold;
  const core::GroupId root = groups.root_of(group).value_or(group);
  for (const core::PodId pod : pending_pods(groups, root)) {
    if (auto hold = find_held_reason(cluster, pod)) return hold;
  }
  if (auto hold = missing_members(groups, root, absent)) return hold;
  const core::GroupId unit = waiting_unit(groups, group);
  return unit == root ? std::nullopt : missing_members(groups, unit, absent);
}

}  // namespace tutti::explain
