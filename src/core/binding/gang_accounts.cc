#include "core/binding/gang_accounts.h"

#include <utility>

namespace tutti::core {
namespace {

// Binder tries the same node several times; a gang moves its lost member this often before giving
// up.
constexpr int kRepairsPerGang = 2;

}  // namespace

void GangAccounts::open(GroupId leaf, PodId pod) {
  const auto root = groups_.root_of(leaf);
  if (!root || groups_.complete(*root)) return;
  completed_.erase(*root);
  if (!groups_.complete(leaf)) completed_.erase(leaf);
  answering_[leaf].insert(pod);
}

std::vector<GroupId> GangAccounts::close_completed(GroupId leaf) {
  for (GroupId group = leaf; groups_.complete(group); group = groups_[group].parent) {
    completed_.insert(group);
    if (groups_[group].parent.valid()) continue;
    std::vector<GroupId> below = groups_.leaves(group);
    for (const GroupId closed : below) {
      answering_.erase(closed);
      repairs_.erase(closed);
    }
    return below;
  }
  return {};
}

bool GangAccounts::take_off(GroupId leaf, PodId pod) {
  const auto held = answering_.find(leaf);
  return held != answering_.end() && held->second.erase(pod) > 0;
}

std::set<PodId> GangAccounts::take(GroupId leaf) {
  auto held = answering_.extract(leaf);
  return held.empty() ? std::set<PodId>() : std::move(held.mapped());
}

bool GangAccounts::may_repair(GroupId leaf) { return ++repairs_[leaf] <= kRepairsPerGang; }

void GangAccounts::forget(GroupId group) {
  completed_.erase(group);
  answering_.erase(group);
  repairs_.erase(group);
}

bool GangAccounts::needs_every_member(GroupId leaf) const {
  const auto root = groups_.root_of(leaf);
  if (!root) return false;
  const auto breaks = [&](GroupId group) {
    return !completed_.contains(group) && groups_[group].spec().policy.gang &&
           !groups_.satisfied(group, leaf);
  };
  return breaks(leaf) || breaks(*root);
}

bool GangAccounts::falls_short(GroupId group) const {
  return !completed_.contains(group) && !groups_.satisfied(group);
}

bool GangAccounts::is_lost(GroupId leaf) const {
  const auto root = groups_.root_of(leaf);
  if (!root) return false;
  const auto lost = [&](GroupId group) {
    return !completed_.contains(group) && !groups_.has_quorum(group);
  };
  return lost(leaf) || lost(*root);
}

}  // namespace tutti::core
