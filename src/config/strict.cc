#include "config/strict.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>

namespace tutti::config {

void only_members(const wire::Field& at, std::initializer_list<std::string_view> known) {
  at.each_entry([&](std::string_view name, const wire::Field& field) {
    if (std::ranges::find(known, name) == known.end()) field.fail("unknown field");
  });
}

void read_within(const wire::Field& at, std::string_view name, std::int32_t least,
                 std::int32_t most, std::int32_t& out) {
  at.member(name, [&](const wire::Field& field) {
    read(field, out);
    if (out >= least && out <= most) return;
    field.fail(most == std::numeric_limits<std::int32_t>::max()
                   ? fmt::format("must be at least {}, is {}", least, out)
                   : fmt::format("must be between {} and {}, is {}", least, most, out));
  });
}

}  // namespace tutti::config
