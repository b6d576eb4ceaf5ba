// Namespace, PriorityClass, Event, Lease.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::model {

struct Namespace : Object {
  static constexpr Kind kKind = Kind::ns;
  Namespace() : Object(kKind) {}
};

struct PriorityClass : Object {
  static constexpr Kind kKind = Kind::priority_class;
  PriorityClass() : Object(kKind) {}
  std::int32_t value = 0;
  bool global_default = false;
  PreemptionPolicy preemption_policy = PreemptionPolicy::preempt_lower_priority;
};

// v1 Event in the fields kubectl shows.
struct Event : Object {
  static constexpr Kind kKind = Kind::event;
  Event() : Object(kKind) {}
  struct {
    std::string api_version;
    std::string kind;
    std::string ns;
    std::string name;
    std::string uid;
  } involved;
  std::string type;    // Normal, Warning
  std::string reason;  // Scheduled, FailedScheduling, Preempted …
  std::string action;
  std::string message;
  std::string reporting_controller;
  std::optional<Instant> first_seen;
  std::optional<Instant> last_seen;
  std::int32_t count = 1;
};

struct Lease : Object {
  static constexpr Kind kKind = Kind::lease;
  Lease() : Object(kKind) {}
  std::string holder;
  std::optional<std::int32_t> duration_seconds;
  std::optional<Instant> acquired;
  std::optional<Instant> renewed;
  std::int32_t transitions = 0;
};

}  // namespace tutti::model
