// Any bytes as an expectation file: refused with a message, or expectations that can be checked
// against an empty cluster.
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "base/check.h"
#include "expect/check.h"
#include "expect/reader.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto read = tutti::expect::read_expectations({reinterpret_cast<const char*>(data), size});
  if (!read.ok()) {
    TUTTI_CHECK(!read.error().message.empty());
    return 0;
  }
  const tutti::store::Store nothing;
  const tutti::expect::Scene scene{
      nothing, [](const tutti::model::ObjectKey&) { return tutti::expect::Standing{}; }};
  for (const auto& expectation : *read) {
    for (const auto& failure : tutti::expect::check(expectation, scene)) {
      TUTTI_CHECK(failure.line == expectation.line && !failure.message.empty());
    }
  }
  return 0;
}
