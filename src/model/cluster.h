// Namespace, PriorityClass, Event, Lease.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::model {

// Its labels decide which pods affinity terms of other namespaces mean.
struct Namespace : Object {
  static constexpr Kind kKind = Kind::ns;
  Namespace() : Object(kKind) {}
};

// Gives pods that name it their priority, at admission; later changes do not reach them.
struct PriorityClass : Object {
  static constexpr Kind kKind = Kind::priority_class;
  PriorityClass() : Object(kKind) {}
  std::int32_t value = 0;
  // Meant for pods that name no class.
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

// Who leads among replicas. Times are the holder's own, so that only their changes are compared.
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
