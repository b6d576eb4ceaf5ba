// Any bytes as a label selector and as a field selector: what is accepted can be asked questions,
// and a label selector reads back equal from its text.
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/check.h"
#include "expr/field_selector.h"
#include "expr/label_selector.h"
#include "expr/label_selector_text.h"
#include "model/object.h"

namespace {

void demand_label_selector(std::string_view text) {
  const auto parsed = tutti::expr::parse_label_selector(text);
  if (!parsed.ok()) return;
  const std::string canonical = tutti::expr::label_selector_text(*parsed);
  const auto again = tutti::expr::parse_label_selector(canonical);
  TUTTI_CHECK(again.ok() && *again == *parsed, canonical);
  const tutti::model::Labels none;
  const tutti::model::Labels some = {{"app", "web"}, {"n", "5"}, {"tier", "a"}};
  TUTTI_CHECK(tutti::expr::matches(*parsed, none) == tutti::expr::matches(*again, none));
  TUTTI_CHECK(tutti::expr::matches(*parsed, some) == tutti::expr::matches(*again, some));
}

void demand_field_selector(std::string_view text) {
  const auto parsed = tutti::expr::parse_field_selector(text);
  if (!parsed.ok()) return;
  const auto nothing = [](std::string_view) { return std::optional<std::string_view>(); };
  bool expected = true;
  for (const auto& term : parsed->terms) expected = expected && term.value.empty() == term.equal;
  TUTTI_CHECK(tutti::expr::matches(*parsed, nothing) == expected, text);
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view text(reinterpret_cast<const char*>(data), size);
  demand_label_selector(text);
  demand_field_selector(text);
  return 0;
}
