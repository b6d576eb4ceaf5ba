// Eviction marks: the DisruptionTarget condition, by which a pod says that it is evicted, why and
// by whom. A successor of this process knows the evictions of its predecessor by nothing else, so
// the condition is written and read here only.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/framework/profile_set.h"
#include "model/pod.h"

namespace tutti::core {

// A victim's mark. `preemptor_type` is what it makes room for: "pod", "podgroup" …
model::Condition preemption_mark(std::string_view scheduler, std::string_view preemptor_type,
                                 const model::Pod& victim, Instant now);
// A victim's mark after its preemptor gave up.
model::Condition withdrawn_mark(const model::Pod& victim, Instant now);
// The mark of a member that is taken back with its gang.
model::Condition incomplete_gang_mark(const std::string& message, Instant now);

// The mark of a pod that is to be evicted; null: it is not.
const model::Condition* eviction_mark(const model::Pod& pod);
// Whether some scheduler chose the pod as a victim.
bool is_victim(const model::Pod& pod);
// Whether one of these profiles chose the pod as a victim, or took it back with its gang.
bool evicted_by(const ProfileSet& profiles, const model::Pod& pod);
// The scheduler that a victim's mark names.
std::string preempting_scheduler(const model::Condition& mark);

}  // namespace tutti::core
