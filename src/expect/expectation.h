// Expectations: what a scenario's author says about the cluster at one instant.
//
// Everything optional is checked only when it was written.
#pragma once

#include <variant>

#include "base/quantity.h"
#include "base/std.h"
#include "base/time.h"
#include "model/object.h"
#include "model/selector.h"

namespace tutti::expect {

// A number or a bound: 5, ">=3", "<=2".
struct Count {
  enum class Relation : std::uint8_t { equal, at_least, at_most };
  Relation relation = Relation::equal;
  std::int64_t value = 0;

  bool accepts(std::int64_t actual) const;
  std::string text() const;  // "5", "at least 3"
  bool operator==(const Count&) const = default;
};

// A condition that must be there, in as many of its parts as were written.
struct ConditionPattern {
  std::string type;
  std::optional<std::string> status;
  std::optional<std::string> reason;
  std::optional<std::string> message;  // a part of the message
  bool operator==(const ConditionPattern&) const = default;
};

// Conditions that must be there, and types that must not.
struct ConditionPatterns {
  std::vector<ConditionPattern> present;
  std::vector<std::string> absent;  // types
};

// Namespace and name, as a scenario writes them: "ml/train".
struct ObjectName {
  std::string ns;
  std::string name;
  std::string text() const { return ns + "/" + name; }
  auto operator<=>(const ObjectName&) const = default;
};

// What `tutti explain` would say of the object.
struct VerdictPattern {
  std::optional<std::string> state;
  std::optional<std::string> blocker;
};

// What is expected of one pod.
struct PodExpectation {
  ObjectName pod;
  bool exists = true;
  std::optional<bool> bound;
  std::optional<std::string> node;
  std::optional<std::string> phase;
  VerdictPattern verdict;
  ConditionPatterns conditions;
};

// What is expected of a PodGroup or CompositePodGroup, over all that is below it.
struct GroupExpectation {
  model::Kind kind = model::Kind::pod_group;  // or composite_pod_group
  ObjectName group;
  bool exists = true;
  std::optional<Count> members;  // pods that have not ended
  std::optional<Count> bound;    // of them, with a node
  // "rack=r2": every bound member is there. "rack": they are all in one, whichever.
  std::optional<std::string> domain;
  VerdictPattern verdict;
  ConditionPatterns conditions;
};

// What is expected of a Job, or of another kind that pods are made of: Deployments, Ray's kinds …
struct WorkExpectation {
  std::string word = "job";  // as it is written, "leaderWorkerSet"
  std::string kind = "Job";
  ObjectName work;
  bool exists = true;
  // How its pods are grouped: "gang 4", "basic", or "none" for a Job without a PodGroup.
  std::optional<std::string> policy;
  std::optional<Count> members;       // pods that have not ended
  std::optional<Count> bound;         // of them, with a node
  std::optional<std::string> domain;  // as of a group
  std::optional<Count> active;        // the numbers of its status
  std::optional<Count> succeeded;
  std::optional<Count> failed;
  VerdictPattern verdict;
  ConditionPatterns conditions;
};

// Said of every pod that the selector matches.
struct PodsExpectation {
  std::string ns;  // empty: all namespaces
  model::LabelSelector selector;
  std::string selector_text;
  std::optional<Count> count;
  std::optional<Count> bound;
  std::optional<std::string> phase;
  ConditionPatterns conditions;
};

// Says that pods share a node, or that no two of them do.
struct NodesExpectation {
  bool same = true;  // all on one node; otherwise all on different ones
  std::vector<ObjectName> pods;
};

// How many events of this description there are; by default at least one.
struct EventsExpectation {
  std::optional<ObjectName> about;
  std::optional<std::string> reason;
  std::optional<std::string> type;
  std::optional<std::string> message;  // a part of the message
  Count count{Count::Relation::at_least, 1};
};

// Said of every resource claim that is selected.
struct ClaimsExpectation {
  std::string ns;                    // empty: all namespaces
  std::optional<std::string> name;   // of the claim
  std::optional<std::string> owner;  // "Pod/a", "PodGroup/g"
  std::optional<Count> count;
  std::optional<bool> allocated;
  std::optional<std::vector<std::string>> reserved_for;  // "pods/a", "podgroups/g", in any order
  std::optional<std::vector<std::string>> devices;       // "pool/device", in any order
};

// Amounts by flavor and resource, in the order in which they are written.
struct FlavorAmount {
  std::string flavor;
  std::string resource;
  Quantity amount;
};

struct QueueExpectation {
  std::string queue;  // of a LocalQueue "ns/name"
  bool exists = true;
  std::vector<FlavorAmount> used;
  std::vector<FlavorAmount> borrowed;
  std::optional<Count> admitted;
  std::optional<Count> pending;
  std::optional<std::string> head;  // "ns/name" of the Job or so that is next; empty: nobody waits
};

// An admission request: a Workload of Kueue, by its own name or that of what it was made for.
struct RequestExpectation {
  ObjectName request;
  bool exists = true;
  std::optional<std::string> state;
  std::optional<std::string> reason;
  std::optional<std::string> queue;                          // its ClusterQueue
  std::vector<std::pair<std::string, std::string>> flavors;  // by resource
  std::optional<Count> position;                             // in its ClusterQueue, from 1
};

// One side of an eviction: "team-a:100".
struct QueuePriority {
  std::string queue;
  std::int64_t priority = 0;
  std::string text() const;
};

// Reads such a text; a queue alone stands for priority 0.
std::optional<QueuePriority> parse_queue_priority(std::string_view text);

struct EvictExpectation {
  QueuePriority from;  // who would evict
  QueuePriority to;    // who would go
  std::optional<bool> allowed;
  std::optional<std::string> rule;
};

// One entry of an expectations file, with its place for messages.
struct Expectation {
  std::uint32_t file = 0;  // which of several
  std::uint32_t line = 0;
  // How messages and reports call it.
  std::string title{};       // "podGroup ml/train", "sameNode"
  std::optional<Millis> at;  // since the start; absent: at the end
  std::variant<PodExpectation, GroupExpectation, WorkExpectation, PodsExpectation, NodesExpectation,
               EventsExpectation, ClaimsExpectation, QueueExpectation, RequestExpectation,
               EvictExpectation>
      what;
};
using Expectations = std::vector<Expectation>;

}  // namespace tutti::expect
