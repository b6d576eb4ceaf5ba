// Tenure: how firmly a request holds what it was given.
#pragma once

#include "base/std.h"

namespace tutti::quota {

// From firmest to loosest.
enum class Tenure : std::uint8_t {
  guaranteed,     // within the quota its queue owns; nobody takes it for quota
  ordinary,       // as the queues' policies say
  burst,          // leaves before ordinary work, and evicts none to come back
  opportunistic,  // in idle room, charged to nobody, and leaves for anyone
};
std::string_view word(Tenure tenure);

}  // namespace tutti::quota
