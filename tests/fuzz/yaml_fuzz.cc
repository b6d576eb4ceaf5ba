// Any bytes as YAML: the reader refuses or accepts, and what it accepts makes the round trip.
#include <cstddef>
#include <cstdint>

#include "round_trip.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  // A refusal is as good as an acceptance here; what matters is demanded inside.
  static_cast<void>(tutti::wire::read_yaml(text, [](tutti::wire::Document&& document) {
    return tutti::fuzz::demand_round_trip(document);
  }));
  return 0;
}
