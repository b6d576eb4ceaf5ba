#include "expect/expectation.h"

#include <fmt/format.h>

namespace tutti::expect {

bool Count::accepts(std::int64_t actual) const {
  switch (relation) {
    case Relation::equal:
      return actual == value;
    case Relation::at_least:
      return actual >= value;
    case Relation::at_most:
      return actual <= value;
  }
  return false;
}

std::string Count::text() const {
  switch (relation) {
    case Relation::equal:
      break;
    case Relation::at_least:
      return fmt::format("at least {}", value);
    case Relation::at_most:
      return fmt::format("at most {}", value);
  }
  return fmt::to_string(value);
}

}  // namespace tutti::expect
