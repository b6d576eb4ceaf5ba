// Readers of the parts that several kinds share. Each fills `out` from the field it is given and
// reports what is wrong there.
#pragma once

#include "base/std.h"
#include "model/group.h"
#include "model/node.h"
#include "model/object.h"
#include "model/pod.h"
#include "model/selector.h"
#include "wire/decode/field_reader.h"

namespace tutti::wire {

void read(const Field& at, model::ObjectMeta& out);
void read(const Field& at, model::Condition& out);
void read(const Field& at, model::Requirement& out);
void read(const Field& at, model::LabelSelector& out);
void read(const Field& at, model::NodeSelectorTerm& out);
void read(const Field& at, model::ClaimReference& out);
void read(const Field& at, model::ClaimStatus& out);
void read(const Field& at, model::Taint& out);
void read(const Field& at, model::Toleration& out);
// The form of a pod's spec in the document, with the API server's defaults filled in. What lives on
// Pod (node name, priority, preemption policy) is not read here.
void read(const Field& at, model::PodSpec& out);

inline constexpr EnumTable<model::PreemptionPolicy, 2> kPreemptionPolicies = {{
    {"PreemptLowerPriority", model::PreemptionPolicy::preempt_lower_priority},
    {"Never", model::PreemptionPolicy::never},
}};

}  // namespace tutti::wire
