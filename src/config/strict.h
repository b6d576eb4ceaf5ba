// Checks that the readers of this folder share.
#pragma once

#include <initializer_list>
#include <limits>

#include "base/std.h"
#include "wire/decode/field_reader.h"

namespace tutti::config {

// Reports each member of the object whose name is not among `known`.
void only_members(const wire::Field& at, std::initializer_list<std::string_view> known);

inline constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();

// Reads a whole number within [least, most] and reports one outside.
void read_within(const wire::Field& at, std::string_view name, std::int32_t least,
                 std::int32_t most, std::int32_t& out);

}  // namespace tutti::config
