#include "explain/findings/unit.h"

#include <algorithm>
#include <set>
#include <string>

#include "explain/findings/demand.h"

namespace tutti::explain {
namespace {

using core::GroupId;
using core::GroupTable;

// The child of `above` on the way down to `group`; invalid when that is not below it.
GroupId next_towards(const GroupTable& groups, GroupId above, GroupId group) {
  for (int level = 0; level < GroupTable::kMaxDepth && group.valid(); ++level) {
    if (groups[group].parent == above) return group;
    group = groups[group].parent;
  }
  return {};
}

// Higher goes first.
int claim_to_speak(const GroupTable& groups, GroupId child) {
  if (pending_pods(groups, child).empty()) return 0;
  if (groups.satisfied(child)) return 1;
  return groups.has_quorum(child) ? 3 : 2;
}

GroupId first_that_waits(const GroupTable& groups, GroupId composite) {
  const auto& children = groups[composite].children;
  const auto first = std::ranges::max_element(
      children, {}, [&](GroupId child) { return claim_to_speak(groups, child); });
  return first == children.end() || claim_to_speak(groups, *first) == 0 ? GroupId{} : *first;
}

std::size_t least_of(const core::Group& group) {
  return static_cast<std::size_t>(std::max(1, group.spec().policy.minimum));
}

Strength strength_below(const GroupTable& groups, GroupId id, int levels) {
  const core::Group& group = groups[id];
  if (!group.seen() || levels <= 0) return {1, 1};
  if (!group.composite) {
    const std::size_t least = least_of(group);
    return {least, least - std::min(least, group.scheduled_count())};
  }
  std::vector<Strength> children;
  for (const GroupId child : group.children) {
    children.push_back(strength_below(groups, child, levels - 1));
  }
  std::ranges::sort(children, {},
                    [](const Strength& child) { return std::pair(child.missing, child.required); });
  children.resize(std::min(least_of(group), children.size()));
  Strength all;
  for (const Strength& child : children) {
    all.required += child.required;
    all.missing += child.missing;
  }
  return all.required == 0 ? Strength{1, 1} : all;
}

std::size_t had_below(const GroupTable& groups, GroupId id, const core::Attempt& attempt,
                      int levels) {
  const core::Group& group = groups[id];
  if (!group.seen() || levels <= 0) return 0;
  if (!group.composite) {
    const auto tried = std::ranges::find(attempt.leaves, id, &core::LeafReport::leaf);
    const std::size_t placed = tried == attempt.leaves.end() ? 0 : tried->placed;
    return std::min(least_of(group), group.scheduled_count() + placed);
  }
  std::vector<std::size_t> children;
  for (const GroupId child : group.children) {
    children.push_back(had_below(groups, child, attempt, levels - 1));
  }
  std::ranges::sort(children, std::ranges::greater{});
  children.resize(std::min(least_of(group), children.size()));
  std::size_t had = 0;
  for (const std::size_t child : children) had += child;
  return had;
}

}  // namespace

GroupId waiting_unit(const GroupTable& groups, GroupId group) {
  const auto root = groups.root_of(group);
  if (!root) return group;
  GroupId unit = *root;
  while (groups[unit].composite && groups.satisfied(unit)) {
    GroupId next = next_towards(groups, unit, group);
    if (!next.valid()) next = first_that_waits(groups, unit);
    if (!next.valid()) break;
    unit = next;
  }
  return unit;
}

Strength strength_of(const GroupTable& groups, GroupId unit) {
  return strength_below(groups, unit, GroupTable::kMaxDepth);
}

namespace {

// The figures of the leaves alone; what was said of the whole tree stays where they say nothing.
core::Attempt of_leaves(const core::Attempt& attempt, const std::set<GroupId>& leaves) {
  core::Attempt part = attempt;
  part.minimum = part.running = part.tried = 0;
  part.search = core::Search::not_needed;
  part.classes.clear();
  part.leaves.clear();
  for (const core::LeafReport& leaf : attempt.leaves) {
    if (!leaves.contains(leaf.leaf)) continue;
    if (part.leaves.empty() && !leaf.message.empty()) part.message = leaf.message;
    part.minimum += leaf.minimum;
    part.running += leaf.running;
    part.tried += leaf.tried;
    part.search = std::max(part.search, leaf.search);
    part.classes.insert(part.classes.end(), leaf.classes.begin(), leaf.classes.end());
    part.leaves.push_back(leaf);
  }
  return part;
}

// Domains of a key above the unit hold what runs beside it as well.
void leave_out_others(const GroupTable& groups, GroupId root, GroupId unit, core::Attempt& part) {
  const std::size_t others = scheduled_pods(groups, root) - scheduled_pods(groups, unit);
  for (core::PlacementReport& domain : part.placements) {
    domain.fit -= std::min(domain.fit, others);
    domain.needed = part.minimum;
  }
}

}  // namespace

core::Attempt part_of_attempt(const core::Attempt& attempt, const GroupTable& groups,
                              GroupId unit) {
  const GroupId root = groups.root_of(unit).value_or(unit);
  core::Attempt part = attempt;
  if (unit != root) {
    const auto below = leaves_of(groups, unit);
    part = of_leaves(attempt, {below.begin(), below.end()});
    leave_out_others(groups, root, unit, part);
    const bool one = part.leaves.size() == 1;
    if (one && !part.leaves.front().placements.empty()) {
      part.placements = part.leaves.front().placements;
    }
  }
  const Strength strength = strength_of(groups, unit);
  const std::size_t had = had_below(groups, unit, attempt, GroupTable::kMaxDepth);
  const std::size_t running = strength.required - strength.missing;
  part.placed = had - std::min(had, running);
  return part;
}

std::size_t standing_children(const GroupTable& groups, GroupId composite) {
  return static_cast<std::size_t>(std::ranges::count_if(
      groups[composite].children, [&](GroupId child) { return groups.satisfied(child); }));
}

const std::string& topology_key_of(const GroupTable& groups, GroupId unit) {
  static const std::string kNone;
  for (int level = 0; level < GroupTable::kMaxDepth && unit.valid(); ++level) {
    const core::Group& group = groups[unit];
    if (group.seen() && !group.spec().topology_key.empty()) return group.spec().topology_key;
    unit = group.parent;
  }
  return kNone;
}

}  // namespace tutti::explain
