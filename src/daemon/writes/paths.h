// Where objects live in the API.
#pragma once

#include "base/std.h"

namespace tutti::daemon {

// "/api/v1" or "/apis/apps/v1".
std::string api_root(std::string_view group_version);

// "/api/v1/namespaces/NS/pods/NAME/SUB"; an empty namespace, name or subresource is left out.
// Requires names as the API allows them: nothing needs escaping.
std::string object_path(std::string_view group_version, std::string_view plural,
                        std::string_view ns, std::string_view name = {},
                        std::string_view subresource = {});

}  // namespace tutti::daemon
