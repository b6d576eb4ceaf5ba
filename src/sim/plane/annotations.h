// The annotations that script time and faults. docs/guides/scripted-time.md explains them to users.
#pragma once

#include "admission/checks/field_problem.h"
#include "base/std.h"
#include "base/time.h"
#include "model/object.h"

namespace tutti::sim {

inline constexpr std::string_view kAt = "tutti.dev/at";
inline constexpr std::string_view kDeleteAt = "tutti.dev/delete-at";
inline constexpr std::string_view kQuiet = "tutti.dev/quiet";
inline constexpr std::string_view kRunsFor = "tutti.dev/runs-for";
inline constexpr std::string_view kFailsAfter = "tutti.dev/fails-after";
inline constexpr std::string_view kBindFails = "tutti.dev/bind-fails";
inline constexpr std::string_view kBindFailsAlways = "tutti.dev/bind-fails-always";
inline constexpr std::string_view kDownAt = "tutti.dev/down-at";
inline constexpr std::string_view kUpAt = "tutti.dev/up-at";
// Read by core: how many members a basic group will have.
inline constexpr std::string_view kGroupSize = "tutti.dev/group-size";

// Everything wrong with the object's annotations of ours: names that do not exist, values that do
// not parse, and known names on kinds that do not take them.
admission::FieldProblems check_annotations(const model::Object& object);

// The value, or nothing when the annotation is absent or malformed.
std::optional<Millis> duration_annotation(const model::Object& object, std::string_view name);
std::optional<std::uint32_t> count_annotation(const model::Object& object, std::string_view name);
bool flag_annotation(const model::Object& object, std::string_view name);
// Whether a pod says itself how long it runs.
bool declares_end(const model::Object& pod);

}  // namespace tutti::sim
