// PreemptionReport: what a search for victims came to, for people. Kept with the attempt.
#pragma once

#include <array>

#include "base/std.h"
#include "core/victims/harm.h"
#include "core/victims/victim_cost.h"

namespace tutti::core {

// Why someone on a node is not evicted.
enum class Refusal : std::uint8_t {
  higher_priority,
  equal_priority,
  min_runtime,  // protected by tutti.dev/min-runtime
  displaced,    // took the preemptor's room before: the two would go on for ever
  terminating,  // on its way out for too long to be waited for
  binding,      // its binding is under way
  gang,         // its gang would fall below its minimum, and somebody of it is to stay
  not_allowed,  // the preemptor may not evict anyone
  would_not_help,
  budget,  // its disruption budget is used up, and others suffice
  not_needed,
};
inline constexpr std::size_t kRefusals = static_cast<std::size_t>(Refusal::not_needed) + 1;

// The whole report. Names stand for themselves: it outlives pods and groups that it speaks of.
struct PreemptionReport {
  enum class Outcome : std::uint8_t {
    not_allowed,  // policy: the preemptor may not evict anyone
    nobody,       // nobody of lower priority is on a node, or all such are protected
    useless,      // it would not fit even if everyone who may be evicted was gone
    no_need,      // it fits as soon as those that are leaving already have left
    evicting,     // the victims are being evicted, or are on their way out
  };
  // Who goes together: a pod, or a gang that falls as a whole.
  struct Unit {
    std::string name;  // "PodGroup t/v"
    std::int32_t priority = 0;
    std::int64_t cost = 0;          // weighed; see victim_cost.h
    std::vector<std::string> pods;  // "t/v-0"
    LostWork lost = {};
  };
  // A gang that asks for its members to fall one by one, and is left below its minimum.
  struct Stalled {
    std::string name;
    std::int64_t left = 0;
    std::int64_t minimum = 0;
  };
  // Someone on a node who is not evicted.
  struct Refused {
    std::string name;
    Refusal reason = Refusal::not_needed;
    std::string why;  // a clause: "has the same priority, 5"
  };
  // What the preemptor gets for it.
  struct Gain {
    std::size_t pods = 0;
    std::size_t nodes = 0;
    std::vector<std::pair<std::string, std::int64_t>> amounts;  // by resource
  };

  Outcome outcome = Outcome::nobody;
  std::string why;            // of not_allowed
  std::vector<Unit> victims;  // most harmful first
  std::vector<Stalled> stalled;
  Harm harm;                   // of all of them together
  LostWork lost;               // of all of them together
  Gain gain;                   // of evicting them
  bool least = true;           // proven: no other choice does less harm
  std::size_t candidates = 0;  // units that could have been evicted
  std::size_t not_lower = 0;   // pods of equal or higher priority
  // Units of lower priority that are protected; in a thorough report all that are no victims. A
  // cluster has tens of thousands of them: all are counted, the first of each reason are named.
  std::array<std::size_t, kRefusals> refused_counts{};  // by Refusal
  std::vector<Refused> refused;                         // kNamed of each reason at most

  static constexpr std::size_t kNamed = 100;
  // Counts one; whether it is to be named as well.
  bool count_refused(Refusal reason) {
    return ++refused_counts[static_cast<std::size_t>(reason)] <= kNamed;
  }
  std::size_t refused_for(Refusal reason) const {
    return refused_counts[static_cast<std::size_t>(reason)];
  }
};

}  // namespace tutti::core
