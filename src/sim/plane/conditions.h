// Writing status conditions by the API's custom: one per type, and the transition time moves only
// when the status flips.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "model/object.h"

namespace tutti::sim {

inline model::Condition condition(std::string type, std::string status, std::string reason = {},
                                  std::string message = {}) {
  return {std::move(type), std::move(status), std::move(reason), std::move(message), {}, 0};
}

// Puts the condition in place of the one of its type. A transition time of its own is kept, else it
// is `now` or, if the status stays, the former one. False when nothing changed.
bool set_condition(model::Conditions& conditions, model::Condition condition, Instant now);

// Objects that come to the same state one after the other share the list of its conditions.
class RecentConditions {
 public:
  void share(model::Conditions& conditions) {
    if (conditions == last_) {
      conditions = last_;
    } else {
      last_ = conditions;
    }
  }

 private:
  model::Conditions last_;
};

}  // namespace tutti::sim
