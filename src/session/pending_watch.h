// PendingWatch: keeps account of the time that the work of a session waits.
#pragma once

#include <map>

#include "base/std.h"
#include "capacity/pending_time.h"
#include "session/session.h"

namespace tutti::session {

// To be the session's listener, and to watch its steps.
class PendingWatch {
 public:
  core::DecisionListener& listener() { return time_; }
  // Begins. `session` must outlive every step, and this every step of the session.
  void follow(Session& session);
  // To be called whenever an instant of the session came to rest.
  void come_to_rest(const Session& session);
  capacity::PendingTime& time() { return time_; }

 private:
  std::optional<capacity::PendingTime::Reason> reason_of(const Session& session,
                                                         const std::string& entity);
  void forget(Instant now);

  capacity::PendingTime time_;
  // What was found at one moment, for work that is alike: a verdict takes a look at all nodes.
  std::optional<Instant> looked_at_;
  std::map<std::string, capacity::PendingTime::Reason> reasons_;
};

}  // namespace tutti::session
