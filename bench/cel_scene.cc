// Device selectors: how many evaluations a second, on a device with 20 attributes.
#include <array>
#include <cstddef>
#include <string_view>

#include "base/check.h"
#include "cel/cel.h"
#include "harness.h"
#include "scenes.h"
#include "support/cel.h"

namespace tutti::bench {
namespace {

constexpr std::size_t kEvaluations = 2'000'000;

// What a claim for a large GPU typically asks for.
constexpr std::string_view kSelector =
    "device.driver == 'gpu.example.com' && "
    "device.attributes['gpu.example.com'].architecture == 'Hopper' && "
    "device.attributes['gpu.example.com'].driverVersion.compareTo(semver('550.0.0')) >= 0 && "
    "device.capacity['gpu.example.com'].memory.compareTo(quantity('40Gi')) >= 0";

constexpr std::string_view kRegexSelector =
    "device.driver == 'gpu.example.com' && "
    "device.attributes['gpu.example.com'].model.matches('H[12]00')";

double rate(std::string_view selector) {
  const test::CelDevice device;
  const cel::Compilation compiled = cel::compile(selector, test::CelDevice::environment());
  TUTTI_CHECK(compiled.ok(), compiled.ok() ? "" : compiled.fault().message);
  const cel::Value value = device.value();
  cel::Scratch scratch;
  std::size_t matches = 0;
  const double seconds = seconds_of([&] {
    for (std::size_t i = 0; i < kEvaluations; ++i) {
      const cel::Outcome outcome = compiled.program().evaluate({&value, 1}, scratch);
      matches += outcome.ok() && outcome.value.is_true() ? 1 : 0;
    }
  });
  TUTTI_CHECK(matches == kEvaluations, "the device must match");
  return static_cast<double>(kEvaluations) / seconds;
}

}  // namespace

void selectors() {
  print({.scene = "selectors",
         .name = "evaluations",
         .value = rate(kSelector),
         .unit = "1/s",
         .bound = Figure::Bound::at_least,
         .limit = 1'000'000});
  print({.scene = "selectors",
         .name = "evaluations_with_regex",
         .value = rate(kRegexSelector),
         .unit = "1/s",
         .bound = Figure::Bound::at_least,
         .limit = 1'000'000});
}

}  // namespace tutti::bench
