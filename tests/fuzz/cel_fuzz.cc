// Any bytes as an expression about a device: what compiles can be evaluated, twice with the same
// result, within its limits; what the checker promised is what comes out.
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

#include "base/check.h"
#include "cel/cel.h"
#include "support/cel.h"

namespace {

namespace cel = tutti::cel;

constexpr cel::Budget kBudget{.cost_max = 100'000, .memory_max = std::size_t{1} << 20U};

std::string text_of(const cel::Outcome& outcome) {
  return outcome.ok() ? "a value" : outcome.fault->text();
}

void demand_promised_type(const cel::Type& type, const cel::Value& value) {
  if (type == cel::Type::boolean()) TUTTI_CHECK(value.is(cel::Kind::boolean));
  if (type == cel::Type::integer()) TUTTI_CHECK(value.is(cel::Kind::integer));
  if (type.kind() == cel::Type::Kind::list) TUTTI_CHECK(value.is(cel::Kind::list));
}

void demand_evaluation(const cel::Program& program) {
  static const tutti::test::CelDevice kDevice;
  static cel::Scratch scratch;
  const cel::Value device = kDevice.value();
  const cel::Outcome outcome = program.evaluate({&device, 1}, scratch, kBudget);
  const std::string first = text_of(outcome);
  const std::uint64_t cost = outcome.cost;
  if (outcome.ok()) {
    demand_promised_type(program.result_type(), outcome.value);
  } else {
    TUTTI_CHECK(outcome.fault->at.offset <= program.source().size());
  }
  const cel::Outcome again = program.evaluate({&device, 1}, scratch, kBudget);
  TUTTI_CHECK(text_of(again) == first && again.cost == cost, program.source());
}

void demand(std::string_view source, const cel::Environment& environment) {
  const cel::Compilation compiled = cel::compile(source, environment);
  if (compiled.ok()) {
    demand_evaluation(compiled.program());
  } else {
    TUTTI_CHECK(compiled.fault().at.offset <= source.size());
    TUTTI_CHECK(!cel::marked_line(source, compiled.fault().at).empty());
  }
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view source(reinterpret_cast<const char*>(data), size);
  auto environment = tutti::test::CelDevice::environment();
  demand(source, environment);
  environment.check_types = false;
  environment.check_literals = false;
  demand(source, environment);
  return 0;
}
