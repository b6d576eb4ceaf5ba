// The target of a request: "/readyz?verbose" as path and query.
#pragma once

#include "base/std.h"

namespace tutti::daemon {

struct Target {
  std::string_view path;
  std::string_view query;
};

Target split(std::string_view target);

// The value of the parameter, empty if it stands alone; nothing when the query lacks it. The first
// counts. Values are taken as sent: names of the API need no escapes.
std::optional<std::string_view> parameter(std::string_view query, std::string_view name);

}  // namespace tutti::daemon
