// Sets of completion indexes in the form of a Job's status: "0-2,5".
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>

namespace tutti::controllers {

using Indexes = std::set<std::int32_t>;

// What does not parse, or lies at or beyond `end`, is left out.
Indexes parse_indexes(std::string_view text, std::int32_t end);
std::string format_indexes(const Indexes& indexes);

}  // namespace tutti::controllers
