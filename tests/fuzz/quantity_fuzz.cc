// Any bytes as a quantity: what is accepted is written in a form that reads back equal (a binary
// amount that is no multiple of 1024 comes back as a decimal one), and behaves like a number.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "base/quantity.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using tutti::Quantity;
  const auto parsed = Quantity::parse(std::string_view(reinterpret_cast<const char*>(data), size));
  if (!parsed.ok()) {
    TUTTI_CHECK(!parsed.error().message.empty());
    return 0;
  }
  const std::string text = parsed->text();
  const auto again = Quantity::parse(text);
  TUTTI_CHECK(again.ok(), text);
  TUTTI_CHECK(*again == *parsed, text);
  TUTTI_CHECK(*parsed + Quantity{} == *parsed, text);
  TUTTI_CHECK(parsed->negative() == (parsed->units() < 0), text);
  TUTTI_CHECK(parsed->zero() == (parsed->milli() == 0), text);
  return 0;
}
