// Selectors as users write them, on a device.
#include <gtest/gtest.h>

#include "support/cel.h"

namespace tutti::cel {
namespace {

struct SelectorCase {
  std::string_view expression;
  std::string_view result;
};

std::string on_device(std::string_view expression, const Environment& environment) {
  const test::CelDevice device;
  const Value value = device.value();
  return test::cel_result(expression, environment, {&value, 1});
}

class DeviceSelector : public testing::TestWithParam<SelectorCase> {};

TEST_P(DeviceSelector, givesWhatItSays) {
  SCOPED_TRACE(GetParam().expression);
  EXPECT_EQ(on_device(GetParam().expression, test::CelDevice::environment()), GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(
    Matching, DeviceSelector,
    testing::Values(
        SelectorCase{"true", "true"},  //
        SelectorCase{"device.driver == 'gpu.example.com'", "true"},
        SelectorCase{"device.driver == 'other'", "false"},
        SelectorCase{"device.attributes['gpu.example.com'].model == 'NVIDIA H100 80GB HBM3'",
                     "true"},
        SelectorCase{"device.attributes['gpu.example.com']['cores'] >= 100", "true"},
        SelectorCase{"device.attributes['gpu.example.com'].healthy", "true"},
        SelectorCase{"device.attributes['gpu.example.com'].model.lowerAscii().contains('h100')",
                     "true"},
        SelectorCase{"device.attributes['gpu.example.com'].model.matches('H[12]00')", "true"},
        SelectorCase{
            "device.attributes['gpu.example.com'].driverVersion.compareTo(semver('550.54.9'))",
            "1"},
        SelectorCase{
            "device.attributes['gpu.example.com'].driverVersion.isGreaterThan(semver('v550', "
            "true))",
            "true"},
        SelectorCase{
            "device.attributes['gpu.example.com'].driverVersion == semver('550.54.15+build')",
            "true"},
        SelectorCase{"device.capacity['gpu.example.com'].memory.compareTo(quantity('80Gi')) >= 0",
                     "true"},
        SelectorCase{"device.capacity['gpu.example.com'].memory.isLessThan(quantity('81Gi'))",
                     "true"},
        SelectorCase{"device.capacity['gpu.example.com'].memory == quantity('85899345920')",
                     "true"},
        SelectorCase{"device.allowMultipleAllocations == false", "true"},
        SelectorCase{"'nvlink1' in device.attributes['gpu.example.com'].links", "true"},
        SelectorCase{"device.attributes['gpu.example.com'].links.includes('nvlink0')", "true"},
        SelectorCase{"device.attributes['gpu.example.com'].model.includes('Hopper')", "false"},
        SelectorCase{"device.attributes['gpu.example.com'].links.exists(l, l.endsWith('1'))",
                     "true"},
        SelectorCase{"device.attributes.all(d, d.contains('.'))", "true"},
        SelectorCase{"device.attributes['gpu.example.com'].exists(k, k == 'cores')", "true"},
        SelectorCase{
            "cel.bind(own, device.attributes['gpu.example.com'], own.healthy && own.cores > 100)",
            "true"},
        SelectorCase{"device.attributes['resource.kubernetes.io'].root.split(':')[1]", "'00'"},
        SelectorCase{"type(device)", "type kubernetes.DRADevice"},
        SelectorCase{"device.attributes[?'gpu.example.com'].hasValue()", "true"},
        SelectorCase{"device.attributes['gpu.example.com'].?cores.orValue(0)", "132"},
        SelectorCase{"device.attributes['gpu.example.com'].?missing.orValue(7)", "7"}));

INSTANTIATE_TEST_SUITE_P(
    Missing, DeviceSelector,
    testing::Values(
        SelectorCase{"device.attributes['other.example.com'].model", "error: no such key: model"},
        SelectorCase{"device.attributes['gpu.example.com'].modle == 'x'",
                     "error: no such key: modle"},
        SelectorCase{"'other.example.com' in device.attributes", "false"},
        SelectorCase{"'gpu.example.com' in device.attributes", "true"},
        SelectorCase{"has(device.attributes['gpu.example.com'].cores)", "true"},
        SelectorCase{"has(device.attributes['other.example.com'].cores)", "false"},
        SelectorCase{"has(device.attributes['gpu.example.com'].nothing) && false", "false"},
        SelectorCase{"device.attributes['x'].y == 1 && device.driver == 'other'", "false"},
        SelectorCase{"device.attributes['x'].y == 1 || device.driver == 'gpu.example.com'", "true"},
        SelectorCase{"device.attributes['gpu.example.com'].model > 5",
                     "error: no such overload: _>_(string, int)"},
        SelectorCase{"size(device.attributes)", "2"}));

INSTANTIATE_TEST_SUITE_P(
    Wrong, DeviceSelector,
    testing::Values(
        SelectorCase{"device.attribute['x'].y",
                     "line 1, column 7: undefined field 'attribute'; did you "
                     "mean 'attributes'?"},
        SelectorCase{"devcie.driver == 'x'", "line 1, column 1: undeclared reference to 'devcie'"},
        SelectorCase{"device.driver ==",
                     "line 1, column 17: expected an expression, the expression ends"},
        SelectorCase{"device.driver == 'x' &&\n  device.driver = 'y'",
                     "line 2, column 17: unexpected '='"},
        SelectorCase{"device.driver + 1",
                     "line 1, column 15: found no matching overload for '_+_' applied "
                     "to '(string, int)'"},
        SelectorCase{"device.driver.matches('(')",
                     "line 1, column 23: invalid regular expression: missing ): ("},
        SelectorCase{"device.capacity['x'].y < quantity('1')",
                     "line 1, column 24: found no matching overload for '_<_' applied to "
                     "'(kubernetes.Quantity, kubernetes.Quantity)'"},
        SelectorCase{"[1, 'a'] == []",
                     "line 1, column 5: expected type 'int' but found 'string': the "
                     "elements of a literal must be of one type"},
        SelectorCase{"duration('soon') > duration('1s')",
                     "line 1, column 1: the text is not a duration as 1h30m"}));

TEST(DeviceSelectorTypes, macrosMayNotWalkOverAttributesOfTypeAny) {
  const Environment environment = test::CelDevice::environment(Type::any());
  EXPECT_EQ(on_device("device.attributes['gpu.example.com'].links.exists(l, true)", environment),
            "line 1, column 37: expression of type 'any' cannot be range of a comprehension (must "
            "be list, map, or dynamic)");
  EXPECT_EQ(
      on_device("device.attributes['gpu.example.com'].model.startsWith('NVIDIA')", environment),
      "true");
}

TEST(DeviceSelectorTypes, areKnownBeforeAnythingRuns) {
  const auto type = [](std::string_view expression, const Type& leaf) {
    const auto environment = test::CelDevice::environment(leaf);
    return compile(expression, environment).program().result_type();
  };
  EXPECT_EQ(type("device.driver == 'x'", Type::dyn()), Type::boolean());
  EXPECT_EQ(type("device.attributes['x'].y", Type::any()), Type::any());
  EXPECT_EQ(type("device.capacity['x'].y", Type::dyn()), Type::quantity());
  EXPECT_EQ(type("size(device.driver)", Type::dyn()), Type::integer());
}

}  // namespace
}  // namespace tutti::cel
