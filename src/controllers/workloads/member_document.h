// The document of a planned member: its template, with a name, its labels and its group.
#pragma once

#include "base/std.h"
#include "controllers/workloads/plan.h"
#include "wire/arena.h"
#include "wire/value.h"

namespace tutti::controllers {

wire::Value member_document(const PlannedMember& member, const std::string& ns, wire::Arena& arena);

// The priority class of the member's pods; empty: none.
std::string priority_class_of(const PlannedMember& member);

}  // namespace tutti::controllers
