// Attempt: what one try at placing a pod or a group came to, in figures that explain/ can turn into
// sentences. Kept for everything that waits.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/framework/concern.h"
#include "core/framework/plugin_status.h"
#include "core/shapes/ids.h"

namespace tutti::core {

struct ReasonCount {
  std::string plugin;
  std::string reason;
  Code code = Code::unschedulable;
  std::size_t nodes = 0;  // how many nodes said so; 0 for a reason that holds for every node
  Concern concern = Concern::nodes;  // the plugin's
  bool operator==(const ReasonCount&) const = default;
};

// Says that `nodes` nodes gave this status.
inline ReasonCount reason_of(const PluginStatus& status, std::size_t nodes) {
  return {std::string(status.plugin), status.reason, status.code, nodes, status.concern};
}

// Why pods of one class found no node.
struct Diagnosis {
  std::size_t nodes = 0;             // live nodes looked at
  std::vector<ReasonCount> reasons;  // most nodes first, then by text
};

// One class of identical members that did not all fit.
struct ClassReport {
  PodId sample;
  std::size_t pods = 0;    // members of this class in the attempt
  std::size_t placed = 0;  // of them, placed before the attempt stopped
  Diagnosis diagnosis;     // of the first that did not fit, with the others in place
  // How many pods of this class the empty room would hold at the start of the attempt, on nodes
  // that accept them one by one; an upper bound on `placed` when members do not depend on each
  // other.
  std::size_t room = 0;
};

// One candidate domain of a group with a topology constraint.
struct PlacementReport {
  std::string key;
  std::string value;
  std::size_t fit = 0;  // members that fitted, those already running there included
  std::size_t needed = 0;
  std::vector<ReasonCount> reasons;
};

// How far the answer "no" goes when trying members one after another failed.
enum class Search : std::uint8_t {
  not_needed,  // members do not depend on each other: counting is exact
  found,       // the exact search found a placement the simple order missed
  impossible,  // the exact search looked at everything
  exhausted,   // the budget ended first
};

// Members that together may use too few nodes, whatever else is placed where: the proof that a gang
// of members pinned to nodes does not fit.
struct Competition {
  PodId sample;             // one of them
  std::size_t members = 0;  // 0: no such set was found
  std::size_t nodes = 0;    // that one of them may use and that have room
  std::size_t places = 0;   // what these hold of such members
};

// What became of one PodGroup of a tree that was tried.
struct LeafReport {
  GroupId leaf;
  std::string message;
  std::size_t minimum = 0;
  std::size_t running = 0;
  std::size_t tried = 0;
  std::size_t placed = 0;
  Search search = Search::not_needed;
  std::vector<ClassReport> classes;
  std::vector<PlacementReport> placements;  // of its own topology constraint
};

struct PreemptionReport;

struct Attempt {
  // What decided it.
  enum class Cause : std::uint8_t {
    placement,  // where there is room, and what plugins say of nodes
    request,    // what is asked for: it contradicts itself, or a plugin could not read it
    binding     // the placement was decided and could not be written
  };

  Instant at;
  Code code = Code::success;  // success, unschedulable or error
  Cause cause = Cause::placement;
  std::string message;      // one sentence, also written to conditions and events
  std::size_t minimum = 0;  // members the group needs; 1 for a lone pod
  std::size_t running = 0;  // already scheduled before the attempt
  std::size_t tried = 0;    // members in the attempt
  std::size_t placed = 0;   // members given a node by it
  Search search = Search::not_needed;
  Competition competition;
  std::string binding_failure;  // why the placement could not be written; empty unless it could not
  // The concern of the plugin that refused the group as such, whatever is free.
  std::optional<Concern> refused_by;
  std::vector<ClassReport> classes;
  std::vector<PlacementReport> placements;
  // In a tree of several groups each of those that took part. The figures above add them up.
  std::vector<LeafReport> leaves;
  std::string placement;  // "key=value" of the chosen domain, or empty
  // What evicting others would do for it; null when that was not asked. See preemption_report.h.
  std::shared_ptr<const PreemptionReport> preemption;
};

}  // namespace tutti::core
