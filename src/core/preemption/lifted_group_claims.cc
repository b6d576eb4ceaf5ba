#include "core/preemption/lifted_group_claims.h"

#include <algorithm>

#include "base/check.h"
#include "devices/device_state.h"

namespace tutti::core {

GroupId LiftedGroupClaims::leaf_of(PodId pod) const {
  if (!cluster_.devices().groups().any()) return {};
  const model::Pod& object = *cluster_.pod(pod).object;
  const std::string& name = object.spec->scheduling_group;
  if (name.empty() || !cluster_.devices().groups().has(object.meta.ns, name)) return {};
  return groups_.find(object.meta.ns, name, false).value_or(GroupId{});
}

LiftedGroupClaims::Count& LiftedGroupClaims::count_of(GroupId leaf) {
  const auto [at, fresh] = counts_.try_emplace(leaf);
  const Group& group = groups_[leaf];
  if (fresh) at->second.left = group.scheduled_count() + group.leaving.size();
  return at->second;
}

// Has all nodes looked at again if claims changed that the pod itself does not use. Another look at
// the pod's node finds out about the pod's claims only; its group may have others, elsewhere.
void LiftedGroupClaims::look_again(PodId pod, std::span<const devices::ClaimId> changed) {
  if (changed.empty()) return;
  const auto own = cluster_.devices().claims_of(*cluster_.pod(pod).object).claims;
  const bool sees_all = std::ranges::all_of(
      changed, [&](devices::ClaimId id) { return std::ranges::find(own, id) != own.end(); });
  if (!sees_all) cluster_.raise_structure_version();
}

void LiftedGroupClaims::lift(PodId pod, bool evicted) {
  const GroupId leaf = leaf_of(pod);
  if (!leaf.valid()) return;
  Count& count = count_of(leaf);
  TUTTI_CHECK(count.left > 0, "more members go than there are");
  --count.left;
  if (evicted) ++count.evicted;
  if (!count.vacated()) return;
  const Group& group = groups_[leaf];
  look_again(pod, cluster_.devices().imagined_absence().begin_of_group(group.ns, group.name));
}

void LiftedGroupClaims::put_back(PodId pod, bool evicted) {
  const GroupId leaf = leaf_of(pod);
  if (!leaf.valid()) return;
  Count& count = count_of(leaf);
  const bool was_vacated = count.vacated();
  ++count.left;
  TUTTI_CHECK(!evicted || count.evicted > 0, "an evicted member comes back that never went");
  if (evicted) --count.evicted;
  if (!was_vacated) return;
  const Group& group = groups_[leaf];
  look_again(pod, cluster_.devices().imagined_absence().end_of_group(group.ns, group.name));
}

}  // namespace tutti::core
