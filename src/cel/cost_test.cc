// What expressions about devices cost at worst, by the rules of an API server.
#include "cel/cost.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "cel/cel.h"

namespace tutti::cel {
namespace {

Bounds::Ptr most(std::uint64_t size) {
  auto bounds = std::make_shared<Bounds>();
  bounds->most = size;
  return bounds;
}

Bounds::Ptr by_domain(std::uint64_t leaf, bool any_field) {
  auto inner = std::make_shared<Bounds>(Bounds{32, most(32), most(leaf), any_field, {}});
  return std::make_shared<Bounds>(Bounds{32, most(63), std::move(inner), false, {}});
}

Environment devices(std::uint64_t limit) {
  const auto map = [](Type leaf) {
    return Type::map(Type::string(), Type::map(Type::string(), std::move(leaf)));
  };
  Environment environment;
  environment.declare_object("example.Device", {{"driver", Type::string()},
                                                {"attributes", map(Type::dyn())},
                                                {"capacity", map(Type::quantity())},
                                                {"shared", Type::boolean()}});
  auto bounds = std::make_shared<Bounds>();
  bounds->fields = {{"driver", most(63)},
                    {"attributes", by_domain(64, true)},
                    {"capacity", by_domain(0, false)},
                    {"shared", most(1)}};
  environment.declare("device", Type::object("example.Device"), std::move(bounds));
  environment.worst_cost_max = limit;
  return environment;
}

TEST(WorstCost, addsUpWhatEveryPieceCosts) {
  struct Case {
    std::string expression;
    std::uint64_t cost;
  };
  const Case cases[] = {
      // names, fields and keys cost one each, constants nothing
      {"true", 0},
      {"device.shared", 2},
      {"device.shared == true", 3},
      {"device.attributes['dra.example.com'].name", 4},
      {"device.attributes['dra.example.com']['name']", 4},
      {"has(device.attributes['a'].b)", 3},
      {"device.attributes['a'].?b.orValue(1) == 1", 6},
      // comparing texts costs a tenth per character of the shorter
      {"device.driver == ''", 2},
      {"device.driver == 'dra.example.com'", 4},
      {"device.attributes['dra.example.com'].name == 'fish'", 5},
      {"device.attributes['dra.example.com'].name > 0", 5},
      {"device.attributes['a'].x == device.attributes['a'].y", 15},
      // lists and maps
      {"'no-such-domain' in device.attributes", 3},
      {"1 in device.attributes['dra.example.com'].names", 68},
      {"device.driver in ['a', 'b']", 14},
      {"{'a': 1}['a'] == 1", 32},
      {"[1, 2].size() == 2", 12},
      // functions
      {"device.capacity['a'].m.isGreaterThan(quantity('1Ki'))", 6},
      {"device.capacity['a'].m == quantity('1Ki')", 6},
      {"device.capacity['a'].m.compareTo(quantity('1Ki')) >= 0", 7},
      {"'m' in device.capacity['a'] && device.capacity['a'].m.isGreaterThan(quantity('1Ki'))", 10},
      {"!('m' in device.capacity['a']) || device.capacity['a'].m.isGreaterThan(quantity('1'))", 11},
      {"device.attributes['a'].v.isGreaterThan(semver('0.0.1'))", 6},
      {"device.attributes['a'].s.split('example').size() >= 2", 19},
      {"device.attributes['a'].s.matches('[^a]?sym')", 18},
      {"device.attributes['a'].s.includes('fish')", 68},
      {"device.attributes['a'].s.startsWith('abc')", 5},
      {"device.attributes['a'].s.contains('abc')", 11},
      {"device.attributes['a'].s.lowerAscii() == 'abc'", 12},
      {"sets.contains([1, 2], [1])", 23},
      {"lists.range(3).size() == 3", 16},
      // macros cost what their body does for every element that there can be
      {"device.attributes.exists_one(x, x == 'dra.example.com')", 164},
      {"device.attributes['dra.example.com'].exists_one(x, x == 'services')", 133},
      {"device.attributes['a'].names.exists(x, x > 0)", 5 + 6 * 64},
      {"device.attributes['a'].names.all(x, x != '')", 5 + 4 * 64},
      {"device.attributes['a'].names.all(x, x.isGreaterThan(semver('0.0.1')))", 5 + 6 * 64},
      {"[1, 2, 3].map(x, x * 2).size() == 3", 10 + 11 + 3 * 14 + 2},
      {"[1, 2, 3].filter(x, x > 1).size() == 2", 10 + 11 + 3 * 15 + 2},
      {"cel.bind(dra, device.attributes['dra.example.com'], dra.name)", 15},
      // only one branch of a condition is taken
      {"device.shared ? device.driver == 'a' : true", 5},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.expression);
    const Compilation compiled = compile(each.expression, devices(1'000'000));
    ASSERT_TRUE(compiled.ok()) << compiled.fault().text();
    EXPECT_EQ(compiled.program().worst_cost(), each.cost);
  }
}

TEST(WorstCost, isNeverLessThanWhatAnEvaluationCosts) {
  for (const std::string expression :
       {"[1, 2, 3].exists(x, x == 3)", "[1, 2, 3].map(x, x + 1).all(y, y > 0)",
        "'abcdefghijklmnop'.contains('mnop')",
        "cel.bind(a, [1, 2], a.filter(x, x > 1).size() == 1)", "{'a': [1, 2]}.all(k, k == 'a')",
        "quantity('1Gi').isGreaterThan(quantity('1Mi'))", "['b', 'a'].sort() == ['a', 'b']",
        "'a,b,c'.split(',').size() == 3", "['a', 'b'].join('-') == 'a-b'"}) {
    SCOPED_TRACE(expression);
    const Compilation compiled = compile(expression, devices(1'000'000));
    ASSERT_TRUE(compiled.ok()) << compiled.fault().text();
    Scratch scratch;
    const Outcome outcome = compiled.program().evaluate({}, scratch);
    ASSERT_TRUE(outcome.ok());
    EXPECT_LE(outcome.cost, compiled.program().worst_cost());
  }
}

TEST(WorstCost, saysWhereTheCostBecomesTooMuch) {
  const std::string ten = "[1, 2, 3, 4, 5, 6, 7, 8, 9, 10].all(";
  const std::string nested = ten + "a, " + ten + "b, " + ten + "c, " + ten + "d, " + ten + "e, " +
                             ten + "f, " + ten + "g, int('1'.find('[0-9]*')) < 100)))))))";
  const Compilation compiled = compile(nested, devices(1'000'000));
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.fault().code, SourceFault::Code::limit);
  // Five loops are within the limit, the sixth from the inside is not.
  EXPECT_EQ(compiled.fault().text(),
            "line 1, column 72: too complex: estimated cost 85555551 exceeds the limit of 1000000");
}

TEST(WorstCost, isWithoutBoundWhereASizeIs) {
  const Compilation compiled = compile(
      "device.driver == 'a' && device.capacity['a'].m != quantity('1Ki')", devices(1'000'000));
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.fault().at.column, 48U);
  EXPECT_NE(compiled.fault().text().find("estimated cost"), std::string::npos);
}

// The parts that a text is split into have no size that is known beforehand.
TEST(WorstCost, isWithoutBoundForWhatIsMadeOfParts) {
  const Compilation compiled =
      compile("'a,b,c'.split(',').join('-') == 'a-b-c'", devices(1'000'000));
  ASSERT_FALSE(compiled.ok());
  EXPECT_EQ(compiled.fault().at.column, 20U);
}

TEST(WorstCost, isNotToldUnlessAskedFor) {
  Environment environment;
  const Compilation compiled = compile("lists.range(100000).all(x, x >= 0)", environment);
  ASSERT_TRUE(compiled.ok());
  EXPECT_EQ(compiled.program().worst_cost(), 0U);
}

}  // namespace
}  // namespace tutti::cel
