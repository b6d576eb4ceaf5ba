// What the scheduler sends to the API server, as JSON.
#pragma once

#include "base/std.h"
#include "core/framework/ports.h"

namespace tutti::daemon {

// Writes a body for pods/binding. The uid makes a pod recreated under the same name refuse it.
std::string binding_body(const core::BindRequest& request);

// events.k8s.io/v1 Event. `name` must be unique in its namespace; `instance` says which process
// reports.
std::string event_body(const core::EventRecord& event, std::string_view name,
                       std::string_view instance, Instant now);

// Strategic merge patches of the status subresource. Conditions are merged by their type.
std::string pod_status_body(const core::PodStatusPatch& patch);
std::string group_status_body(const std::vector<model::Condition>& conditions);

// DeleteOptions: this very pod, with its own grace period.
std::string delete_body(std::string_view uid);

}  // namespace tutti::daemon
