// World: what a scheduler knows, as plain objects, and what becomes of a request in it when
// something is changed. Each trial has a scheduler of its own, so that nothing is left of it.
#pragma once

#include <functional>

#include "base/std.h"
#include "base/time.h"
#include "core/framework/profile.h"
#include "core/requests/request.h"
#include "core/scheduler/scheduler.h"
#include "model/object.h"

namespace tutti::whatif {

struct World {
  core::SchedulerOptions options{};
  // Makes profiles of that configuration anew; none: there can be no trials.
  std::function<std::vector<core::Profile>()> profiles{};
  std::vector<model::ObjectPtr> objects{};  // everything, as it is at `now`
  Instant now{};
};

struct WorldChange {
  std::vector<model::ObjectPtr> set{};    // as they would be
  std::vector<model::ObjectKey> ended{};  // requests go with their pods
};

struct Trial {
  // The request gets its quota and places, once everybody is gone who has to leave.
  bool admitted = false;
  std::vector<std::string> evicts{};           // "Job ml/x": who has to leave
  std::vector<core::PodSetPromise> promise{};  // by pod set
};

// `request`: "ns/name" of one that the world knows.
Trial try_change(const World& world, const WorldChange& change, const std::string& request);

}  // namespace tutti::whatif
