// Verdict: why a pod or group is where it is, in the fields that product users rely on. A plain
// value: explain.h makes it, text.h prints it for people, walk() hands it to a JSON or YAML writer.
#pragma once

#include "base/shared_list.h"
#include "base/std.h"
#include "explain/verdict/queue_view.h"
#include "explain/verdict/way.h"

namespace tutti::explain {

enum class State : std::uint8_t {
  running,     // has its nodes (a gang: at least its minimum of members has)
  waiting,     // complete and tried, or about to be; something in the cluster must change
  held,        // not tried: its group or members are missing, or a gate is closed
  preempting,  // room is being made for it
  impossible,  // no state of these nodes could run it
  invalid,     // the objects contradict each other
};
std::string_view name(State state);

// What stands in the way. Declared in the order that breaks ties (see blocker.h).
enum class Blocker : std::uint8_t {
  none,
  incomplete,
  gated,
  bad_request,
  budget,
  capacity,
  fragmentation,
  topology,
  devices,
  device_health,
  quota,
  priority,
  ports,
  volumes,
  affinity,
  taints,
};
// The stable word: "deviceHealth"; empty for none.
std::string_view name(Blocker blocker);

// An amount as quantity text: {"cpu", "1500m"}, {"members", "4"}.
struct Amount {
  std::string what;
  std::string quantity;
  bool operator==(const Amount&) const = default;
};

// An objection of a plugin, and how many nodes it is true of.
struct CountedReason {
  std::string plugin;
  std::string reason;
  std::size_t count = 0;  // nodes that say so
};

// One candidate domain of a group with a topology constraint.
struct Domain {
  std::string key;
  std::string value;
  std::size_t fit = 0;  // members that fit in it
  std::size_t needed = 0;
  std::vector<CountedReason> reasons;
};

// Whom making room by eviction concerns.
struct Preemption {
  // Work that is thrown away.
  struct Lost {
    std::string text;  // "32 GPU hours"
    std::int64_t device_seconds = 0;
    std::int64_t core_seconds = 0;   // of pods without devices
    std::int64_t weighted_cost = 0;  // by which victims are compared; no amount of anything
  };
  // Who goes together, as PreemptionReport has it.
  struct Unit {
    std::string name;  // "PodGroup t/v"
    std::int32_t priority = 0;
    Lost lost;
    std::vector<std::string> pods;
    std::string shrinks{};  // "8→4": it goes on with four of its pods; empty: all of them leave
  };
  // Someone on a node who is not evicted.
  struct Refused {
    std::string name;
    std::string reason;  // a stable word, such as equalPriority; see docs/guides/preemption.md
    std::string why;
  };
  struct RefusedCount {
    std::string reason;
    std::size_t count = 0;
  };
  // evicting, useless, waiting, notAllowed, protected, nobody; empty: not asked
  std::string outcome;
  std::string summary;
  std::vector<Unit> victims;
  std::size_t violations = 0;                // of disruption budgets
  Lost lost;                                 // of all victims
  std::vector<Amount> gain;                  // what gets room for it: pods, nodes, resources
  bool least = false;                        // proven: no other choice does less harm
  std::vector<RefusedCount> refused_counts;  // of everyone
  std::vector<Refused> refused;              // of each reason the first hundred
};

// The whole answer. What was not found out, or does not apply, is empty.
struct Verdict {
  ObjectName object;
  State state = State::waiting;
  Blocker blocker = Blocker::none;
  std::string summary;       // one sentence with numbers
  std::vector<Amount> need;  // need[i] and have[i] speak of the same thing in the same unit
  std::vector<Amount> have;
  SharedList<Domain> domains;        // hundreds, and groups alike find the same
  std::vector<CountedReason> nodes;  // most nodes first
  std::vector<Way> ways;             // each rehearsed, cheapest for the asker first
  std::string next;                  // the event expected to help
  std::string
      ahead;  // who is tried before it: "2: Job ml/a, Pod ml/b"; empty: nobody, or not known
  Preemption preemption;
  std::optional<QueueView> queue{};  // of work that a queue decides about
};

class FieldSink;
// The fields of what is lost, into the object that is open.
void walk(const Preemption::Lost& lost, FieldSink& sink);

// Receives a tree of named values in order. A writer of JSON, YAML or anything alike implements it.
class FieldSink {
 public:
  virtual ~FieldSink() = default;
  virtual void open_object() = 0;
  virtual void close_object() = 0;
  virtual void open_list() = 0;
  virtual void close_list() = 0;
  // Inside an object: the next value belongs to this field.
  virtual void field(std::string_view name) = 0;
  virtual void text(std::string_view value) = 0;
  virtual void number(std::int64_t value) = 0;
  virtual void flag(bool value) = 0;
};

// All fields, empty ones too, under the names of the product's JSON form; `preemption` only when it
// was asked for, and those of the queue only of work that has one.
void walk(const Verdict& verdict, FieldSink& sink);

}  // namespace tutti::explain
