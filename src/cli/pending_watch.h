// PendingWatch: keeps account of the time that the work of a session waits.
#pragma once

#include <string>

#include "capacity/pending_time.h"
#include "cli/session.h"

namespace tutti::cli {

// To be the session's listener, and to watch its steps.
class PendingWatch {
 public:
  core::DecisionListener& listener() { return time_; }
  // Begins. `session` must outlive every step, and this every step of the session.
  void follow(Session& session);
  capacity::PendingTime& time() { return time_; }

 private:
  capacity::PendingTime time_;
};

}  // namespace tutti::cli
