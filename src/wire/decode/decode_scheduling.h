// Blocks that groups, their templates and a Job's spec.scheduling share, in the form of v1alpha3
// and later.
#pragma once

#include "base/std.h"
#include "model/group.h"
#include "wire/decode/field_reader.h"

namespace tutti::wire {

// schedulingConstraints: the key of its one topology entry.
void read_topology(const Field& at, std::string& key);
// disruptionMode: {single: {}} or {all: {}}.
void read_disruption_mode(const Field& at, model::DisruptionMode& out);

}  // namespace tutti::wire
