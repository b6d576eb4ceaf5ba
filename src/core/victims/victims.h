// Victims: who could be evicted for a preemptor, in units that fall together.
//
// A unit is a pod by itself, or everything scheduled under the highest group above it that falls
// whole: its disruptionMode is `all`, or it is a gang with no member to spare. Gangs with some to
// spare tie their units together (gang_ties.h). A unit's priority is that of the root group, or the
// pod's own where it has no group. Groups written in the v1.36 form (v1alpha2) differ: pods of mode
// Pod have their own priority, and to a lone preemptor no group has the mode `all`.
//
// A unit is a candidate when its priority is below the preemptor's, none of it is just being bound,
// and it has run for as long as tutti.dev/min-runtime asks. Pods on their way out are nobody's
// victims: they count as gone already.
#pragma once

#include <functional>
#include <limits>
#include <set>
#include <unordered_set>

#include "base/check.h"
#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/shapes/ids.h"
#include "core/victims/gang_ties.h"
#include "core/victims/group_claim_release.h"
#include "core/victims/preemption_report.h"
#include "core/victims/victim_cache.h"

namespace tutti::core {

struct VictimUnit {
  GroupId group;  // falls together as this group; invalid: a single pod
  std::int32_t priority = 0;
  std::int64_t cost = 0;
  std::uint32_t first_pod = 0;  // into VictimTable::pods
  std::uint32_t pod_count = 0;
  std::uint32_t first_budget = 0;  // into VictimTable::budget_uses
  std::uint32_t budget_count = 0;
  std::uint32_t bond = kNoIndex;  // the nearest above it: into VictimTable::bonds
  bool counts = false;            // the bond loses a member with it
};

struct VictimTable {
  // Not to be evicted now.
  struct Refused {
    PodId pod;      // one of the unit
    GroupId group;  // as in VictimUnit
    Refusal reason;
    std::string why;
  };

  std::vector<VictimUnit> units;  // in an order that depends on names only
  std::vector<PodId> pods;
  std::vector<std::uint32_t> budget_uses;  // one per pod and budget that covers it
  std::vector<std::int64_t> allowances;    // by budget
  std::vector<Bond> bonds;
  // A choice of some units was left out because their gang cannot fall whole.
  bool curtailed = false;
  std::vector<PodId> leaving;  // on nodes, and on their way out
  // Groups that give their claims back already; those of victims would. Null: whoever goes ends by
  // itself, and its group keeps what is reserved for it.
  const Vacating* vacating = nullptr;
  std::vector<Refused> refusals;
  std::size_t not_lower = 0;  // pods passed over because of their priority
  std::int32_t lowest = std::numeric_limits<std::int32_t>::max();  // priority of anyone on a node
  std::optional<Instant> reprieve_ends;  // when the first protected unit becomes a candidate
  bool binding = false;                  // some unit is no candidate only until it is bound

  std::span<const PodId> pods_of(const VictimUnit& unit) const {
    TUTTI_CHECK(unit.first_pod + unit.pod_count <= pods.size(), "a unit of another table");
    return std::span(pods).subspan(unit.first_pod, unit.pod_count);
  }
  std::span<const std::uint32_t> budgets_of(const VictimUnit& unit) const {
    TUTTI_CHECK(unit.first_budget + unit.budget_count <= budget_uses.size(),
                "a unit of another table");
    return std::span(budget_uses).subspan(unit.first_budget, unit.budget_count);
  }
};

// Whether a terminating pod should have been gone for so long that nobody waits for it any more.
bool is_stuck(const model::Pod& pod, Instant now);

struct VictimQuery {
  const Cluster& cluster;
  const GroupTable& groups;
  std::function<GroupId(PodId)> group_of;
  // Evicted by us, whether or not the cluster has said so yet.
  const std::unordered_set<PodId>& condemned;
  GroupId preemptor_root;  // invalid: a lone pod
  std::int32_t priority = 0;
  Instant now;
  // Workloads that are spared whatever their priority; see eviction_history.h.
  const std::set<std::string>& spared;
  const Vacating& vacating;
  bool cost_aware = true;
  VictimCache& memory;
  // Whether those of equal or higher priority are listed among the refusals, too.
  bool thorough = false;
  // Pods that are nobody's victims here whatever their priority; empty: there are none.
  std::function<bool(PodId)> off_limits = {};
  // Pods that are anybody's victims whatever their priority; empty: there are none.
  std::function<bool(PodId)> leaves_for_anyone = {};
};

VictimTable find_victims(const VictimQuery& query);

// "Pod t/a", "PodGroup t/v": how people know the unit.
std::string unit_name(const Cluster& cluster, const GroupTable& groups, GroupId group, PodId pod);

}  // namespace tutti::core
