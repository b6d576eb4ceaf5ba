// Events for people: one object per thing said about an object, with a count.
#pragma once

#include "core/framework/ports.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

// Writes the event, or counts it if the same was said of the same object before.
void record_event(Plane& plane, const core::EventRecord& record);

}  // namespace tutti::sim
