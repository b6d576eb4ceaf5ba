// Demand: what a pod or the missing part of a group asks for, and arithmetic of it against nodes.
//
// A gang below its minimum needs `missing` more of its waiting members at once. Which ones is open
// when more wait than are missing, so every sum counts the cheapest `missing` of them: "not enough"
// is then a proof. Members of a basic group, and those beyond a gang's minimum, come one by one:
// then one is missing, the next.
#pragma once

#include <map>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/profile.h"
#include "core/shapes/ids.h"
#include "explain/findings/filter_survey.h"
#include "explain/findings/node_stock.h"

namespace tutti::explain {

class VerdictCache;

// Waiting members alike in all that nodes and filters look at.
struct MemberClass {
  core::PodId sample;
  std::size_t count = 0;
  std::shared_ptr<const FilterSurvey> survey;  // never null
};

// Members for which room is kept while others leave, by node: it is theirs, though it counts as
// used.
using OwnRoom = std::map<core::NodeId, std::vector<core::ShapeId>>;

struct Demand {
  std::vector<MemberClass> classes;  // in order of their first pod
  std::vector<MemberClass> placed;   // of what runs; their surveys are blank
  std::size_t required = 1;          // members that must run; one by one, all there are
  std::size_t running = 0;           // of them, already placed
  std::size_t missing = 1;           // that must fit at once: at least 1, at most what waits
  bool together = false;             // whether the missing are tried as one
  std::string topology_key;          // of a group that must stay in one domain
  bool keys_below = false;           // some group below it must
  std::string slice_key;             // every slice of it must stay in one domain of this,
  std::size_t slice_size = 0;        // so many members each; 0: no slices
  bool lone = false;
  OwnRoom own_room;
  const core::GroupTable* groups = nullptr;  // in which sentences find names; null: in none
  std::shared_ptr<NodeStock>
      stock;  // of the cluster as it is now; null: everything is counted anew
};

std::size_t waiting_pods(const Demand& demand);
// What it asks for in sentences: the missing, or one by one all that wait.
std::size_t asked_pods(const Demand& demand);

// With a memory, surveys are taken from there.
Demand demand_of_pod(const core::Cluster& cluster, core::PodId pod, const core::Profile* profile,
                     VerdictCache* memory = nullptr);
// Adds up the demand of everything below a unit (unit.h).
Demand demand_of_group(const core::Cluster& cluster, const core::GroupTable& groups,
                       core::GroupId unit, const core::Profile* profile,
                       VerdictCache* memory = nullptr);

// As if the members that run waited too: what empty nodes would have to hold.
Demand whole(const core::Cluster& cluster, const Demand& demand);

// The part of it that `pods` members of one class are, as if they came alone.
Demand part_of(const Demand& demand, const MemberClass& members, std::size_t pods);
// How many of the class must be among the missing, whoever else is.
std::size_t indispensable(const Demand& demand, const MemberClass& members);

// How many pods a group needs at least: the minimum of a gang, one of a basic group, and of a
// composite the cheapest of its children that reach its own minimum.
std::size_t required_pods(const core::GroupTable& groups, core::GroupId group);
// PodGroups below a group, itself included; safe where parents form a cycle.
std::vector<core::GroupId> leaves_of(const core::GroupTable& groups, core::GroupId group);
// Members below a group, in order of leaves and ids: those that wait, those with a node; and
// counts.
std::vector<core::PodId> pending_pods(const core::GroupTable& groups, core::GroupId group);
std::vector<core::PodId> placed_pods(const core::GroupTable& groups, core::GroupId group);
std::size_t scheduled_pods(const core::GroupTable& groups, core::GroupId group);
std::size_t all_pods(const core::GroupTable& groups, core::GroupId group);

// How many waiting members the nodes' resources hold at most: exact for one class, an upper bound
// for several.
std::size_t members_fitting(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                            Room room);
// Counts the members that a few nodes, given by number, hold as if nothing ran on them.
using NodeList = std::span<const std::uint32_t>;
std::size_t members_fitting_empty(const core::Cluster& cluster, const Demand& demand,
                                  NodeList nodes);
// Whether resources alone would let the missing members fit on these nodes, as far as counting
// tells.
bool enough(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes, Room room);
// Whether they would in one of the domains of the topology key.
bool enough_in_a_domain(const core::Cluster& cluster, const Demand& demand, Room room);
// Whether some of the nodes has room for one more pod like this one.
bool fits_somewhere(const core::Cluster& cluster, core::PodId pod, const Bitset& nodes, Room room);
// For how many of the only class there is room on the nodes that would take them.
NodeStock::FreeRoom free_room(const core::Cluster& cluster, const Demand& demand);
// The most that one of the nodes has free of the resource.
std::int64_t most_on_one_node(const core::Cluster& cluster, const Demand& demand,
                              const Bitset& nodes, core::ResourceId resource);
// What the nodes have of a resource for devices beyond what is allocatable: those that are unwell.
std::int64_t unhealthy_of(const core::Cluster& cluster, core::ResourceId resource);
// Nodes that some waiting member could use but for resources.
Bitset usable_nodes(const core::Cluster& cluster, const Demand& demand);

// A resource in which the missing members ask for `need` and the nodes hold `have`.
struct Balance {
  core::ResourceId resource;
  std::int64_t need = 0;
  std::int64_t have = 0;
  bool short_in_total() const { return have < need; }
};
// a is shorter than b: needs more of what it has.
bool shorter(const Balance& a, const Balance& b);
// Every resource asked for, in order of id.
std::vector<Balance> balances(const core::Cluster& cluster, const Demand& demand,
                              const Bitset& nodes, Room room);
// The resource to speak of: the one shortest in total by need/have, or, when no total is short, the
// one whose leftovers hold the fewest members. Ties go to the smaller id. Requires a member.
Balance dominating(const core::Cluster& cluster, const Demand& demand, const Bitset& nodes,
                   Room room);

}  // namespace tutti::explain
