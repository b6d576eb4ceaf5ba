// Writing status conditions by the API's custom: one per type, and the transition time moves only
// when the status flips.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "base/time.h"
#include "model/object.h"

namespace tutti::sim {

inline model::Condition condition(std::string type, std::string status, std::string reason = {},
                                  std::string message = {}) {
  return {std::move(type), std::move(status), std::move(reason), std::move(message), {}, 0};
}

// Puts the condition in place of the one of its type. A transition time of its own is kept, else it
// is `now` or, if the status stays, the former one. False when nothing changed.
bool set_condition(std::vector<model::Condition>& conditions, model::Condition condition,
                   Instant now);

}  // namespace tutti::sim
