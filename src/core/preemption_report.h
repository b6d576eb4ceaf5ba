// PreemptionReport: what a search for victims came to, for people. Kept with the attempt.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "core/harm.h"

namespace tutti::core {

struct PreemptionReport {
  enum class Outcome : std::uint8_t {
    not_allowed,  // policy: the preemptor may not evict anyone
    nobody,       // nobody of lower priority is on a node, or all such are protected
    useless,      // it would not fit even if everyone who may be evicted was gone
    no_need,      // it fits as soon as those that are leaving already have left
    evicting,     // the victims are being evicted, or are on their way out
  };
  struct Unit {
    std::string name;  // "PodGroup t/v"
    std::int32_t priority = 0;
    std::int64_t cost = 0;
    std::vector<std::string> pods;  // "t/v-0"
  };
  struct Refused {
    std::string name;
    std::string why;
  };

  Outcome outcome = Outcome::nobody;
  std::string why;               // of not_allowed
  std::vector<Unit> victims;     // most harmful first
  Harm harm;                     // of all of them together
  bool least = true;             // proven: no other choice does less harm
  std::size_t candidates = 0;    // units that could have been evicted
  std::size_t not_lower = 0;     // pods of equal or higher priority
  std::vector<Refused> refused;  // of lower priority, but protected
};

}  // namespace tutti::core
