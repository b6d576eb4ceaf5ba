// The nine standard headers in which the interfaces of every module are written. A header includes
// this one in their place, so that its list of includes tells what is special about it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>
