// Any bytes as a duration and as an RFC 3339 time: what is accepted reads back equal from its
// canonical form.
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/time.h"

namespace {

void demand_duration(std::string_view text) {
  const auto parsed = tutti::parse_duration(text);
  if (!parsed.ok()) return;
  const std::string canonical = tutti::format_duration(*parsed);
  const auto again = tutti::parse_duration(canonical);
  TUTTI_CHECK(again.ok() && *again == *parsed, canonical);
}

void demand_time(std::string_view text) {
  const auto parsed = tutti::parse_rfc3339(text);
  if (!parsed.ok()) return;
  const std::string micro = tutti::format_rfc3339_micro(*parsed);
  const auto again = tutti::parse_rfc3339(micro);
  TUTTI_CHECK(again.ok() && *again == *parsed, micro);
  const std::string seconds = tutti::format_rfc3339(*parsed);
  const auto whole = tutti::parse_rfc3339(seconds);
  TUTTI_CHECK(whole.ok() && *whole == std::chrono::floor<std::chrono::seconds>(*parsed), seconds);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  demand_duration(text);
  demand_time(text);
  return 0;
}
