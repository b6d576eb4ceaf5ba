// EventLimit: how often an object may be told the same in events. Conditions are always current;
// events are a history, which nobody reads when every change of a number is in it.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "base/time.h"

namespace tutti::daemon {

// The text with every run of digits replaced by one '#': what stays when only numbers change.
std::string without_numbers(const std::string& text);

class EventLimit {
 public:
  // Whether to write the note now; that counts as written. A note that differs from the last one
  // in numbers only waits for five minutes; of others each object has five at once, and one more
  // every two minutes.
  bool allows(const std::string& uid, const std::string& note, Instant now);
  // Objects that have had no event for long count as new.
  void forget_old(Instant now);

  std::size_t size() const { return objects_.size(); }

 private:
  struct Record {
    std::string last;  // without numbers
    Instant at;
    int left = 0;  // of the notes it may have at once
    Instant refilled;
  };
  std::unordered_map<std::string, Record> objects_;  // by uid
};

}  // namespace tutti::daemon
