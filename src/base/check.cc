#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace tutti {

void check_failed(std::string_view condition, std::string_view file, int line,
                  std::string_view message) {
  std::fprintf(stderr, "tutti: internal error at %.*s:%d: expected %.*s%s%.*s\n",
               static_cast<int>(file.size()), file.data(), line, static_cast<int>(condition.size()),
               condition.data(), message.empty() ? "" : ": ", static_cast<int>(message.size()),
               message.data());
  std::abort();
}

}  // namespace tutti
