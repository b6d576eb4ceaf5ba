// Functions that the specification's cases do not cover: Kubernetes' libraries and cel-go's
// extensions.
#include <gtest/gtest.h>

#include "support/cel.h"

namespace tutti::cel {
namespace {

struct Case {
  std::string_view expression;
  std::string_view result;
};

class LibraryFunction : public testing::TestWithParam<Case> {};

TEST_P(LibraryFunction, givesWhatItSays) {
  SCOPED_TRACE(GetParam().expression);
  EXPECT_EQ(test::cel_result(GetParam().expression, Environment()), GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(
    Quantity, LibraryFunction,
    testing::Values(Case{"quantity('1.5Gi')", "quantity(1536Mi)"},
                    Case{"isQuantity('200K')", "false"},  //
                    Case{"isQuantity('1e3')", "true"}, Case{"quantity('-3').sign()", "-1"},
                    Case{"quantity('0').sign()", "0"}, Case{"quantity('50k').isInteger()", "true"},
                    Case{"quantity('1500m').isInteger()", "false"},
                    Case{"quantity('50k').asInteger()", "50000"},
                    Case{"quantity('0.5').asInteger()", "error: cannot convert value to integer"},
                    Case{"quantity('1500m').asApproximateFloat()", "1.5"},
                    Case{"quantity('50k').add(quantity('20k')).sub(1)", "quantity(69999)"},
                    Case{"quantity('1k').sub(quantity('2k'))", "quantity(-1k)"},
                    Case{"quantity('200M').compareTo(quantity('0.2G'))", "0"},
                    Case{"quantity('200M') == quantity('0.2G')", "true"},
                    Case{"quantity('1').isGreaterThan(quantity('1Ki'))", "false"},
                    Case{"quantity('x')", "error: quantity 'x' has no digits"},
                    Case{"type(quantity('1')) == kubernetes.Quantity", "true"}));

INSTANTIATE_TEST_SUITE_P(
    Semver, LibraryFunction,
    testing::Values(Case{"semver('1.2.3-rc.1+b').major()", "1"},
                    Case{"semver('1.2.3').minor()", "2"},                                    //
                    Case{"semver('1.2.3').patch()", "3"}, Case{"isSemver('1.2')", "false"},  //
                    Case{"isSemver('v1.2', true)", "true"}, Case{"isSemver('01.2.3')", "false"},
                    Case{"semver('v01.02', true)", "semver(1.2.0)"},
                    Case{"semver('1.0.0-alpha').isLessThan(semver('1.0.0'))", "true"},
                    Case{"semver('1.10.0').isGreaterThan(semver('1.9.0'))", "true"},
                    Case{"semver('1.0.0+a') == semver('1.0.0+b')", "true"},
                    Case{"semver('1.0.0-rc.2').compareTo(semver('1.0.0-rc.10'))", "-1"},
                    Case{"semver('one')", "error: 'one' is not a semantic version"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, LibraryFunction,
    testing::Values(
        Case{"[1, 2, 3, 4].slice(1, 3)", "[2, 3]"},
        Case{"[1].slice(0, 2)", "error: slice(0, 2): the list has 1 elements"},
        Case{"[[1, [2]], [3]].flatten()",
             "line 1, column 6: expected type 'int' but found 'list(int)': the elements of a "
             "literal must be of one type"},
        Case{"[[1], [2, 3]].flatten()", "[1, 2, 3]"}, Case{"[[[1]], [[2]]].flatten(2)", "[1, 2]"},
        Case{"[3, 1, 3, 2, 1].distinct()", "[3, 1, 2]"},                                   //
        Case{"lists.range(4)", "[0, 1, 2, 3]"}, Case{"[1, 2, 3].reverse()", "[3, 2, 1]"},  //
        Case{"['b', 'a'].sort()", "['a', 'b']"},
        Case{"[[], []].sort()", "error: sort: the elements must be comparable, of one type"},
        Case{"['ccc', 'a', 'bb'].sortBy(s, size(s))", "['a', 'bb', 'ccc']"},
        Case{"[1, 2, 2].isSorted()", "true"},                                 //
        Case{"[2, 1].isSorted()", "false"}, Case{"[1.5, 2.5].sum()", "4.0"},  //
        Case{"[1, 2].sum()", "3"},                                            //
        Case{"[3, 1, 2].min()", "1"},                                         //
        Case{"['a', 'c'].max()", "'c'"}, Case{"[].min()", "error: min called on empty list"},
        Case{"[9223372036854775807, 1].sum()", "error: integer overflow"},
        Case{"[1, 2, 1].indexOf(1)", "0"},  //
        Case{"[1, 2, 1].lastIndexOf(1)", "2"}, Case{"[1].indexOf(5)", "-1"}));

INSTANTIATE_TEST_SUITE_P(SetsAndRegex, LibraryFunction,
                         testing::Values(Case{"sets.contains([1, 2, 3], [3, 1])", "true"},
                                         Case{"sets.contains([], [1])", "false"},
                                         Case{"sets.equivalent([1, 1, 2], [2, 1])", "true"},
                                         Case{"sets.intersects([1, 2], [3, 2])", "true"},
                                         Case{"sets.intersects([], [])", "false"},  //
                                         Case{"'abc 123'.find('[0-9]+')", "'123'"},
                                         Case{"'abc'.find('[0-9]+')", "''"},
                                         Case{"'a1b22'.findAll('[0-9]+')", "['1', '22']"},
                                         Case{"'a1b22'.findAll('[0-9]+', 1)", "['1']"},
                                         Case{"'baab'.findAll('a*')", "['', 'aa', '']"},
                                         Case{"'x'.matches('(' + 'x')",
                                              "error: invalid regular expression: missing ): (x"}));

INSTANTIATE_TEST_SUITE_P(
    StringsAndMore, LibraryFunction,
    testing::Values(
        Case{"'tacocat'.indexOf('a', 30)", "-1"},  //
        Case{"''.split('')", "[]"},                //
        Case{"'abc'.split('')", "['a', 'b', 'c']"}, Case{"'a,b,c'.split(',', 2)", "['a', 'b,c']"},
        Case{"'abc'.replace('', '-')", "'-a-b-c-'"}, Case{"'aaa'.replace('a', 'b', 2)", "'bba'"},
        Case{"'%s is %d'.format(['x', 5])", "'x is 5'"},
        Case{"'%d'.format(['x'])", "error: formatting clause %d cannot be used on string"},
        Case{"string(1000000.0)", "'1e+06'"},
        Case{"{'a': 1}.transformMap(k, v, v + 1)", "{'a': 2}"},
        Case{"{'a': 'b'}.transformMapEntry(k, v, {v: k})", "{'b': 'a'}"},
        Case{"['a', 'a'].transformMapEntry(i, v, {v: i})", "error: repeated key in a map"},
        Case{"optional.of(1).optMap(x, x + 1)", "optional.of(2)"},
        Case{"optional.none().or(optional.of(1/0))", "error: division by zero"},
        Case{"optional.of(1).or(optional.of(1/0))", "optional.of(1)"},
        Case{"1 < 2.5 && 1 == 1u", "true"}, Case{"[1, 2].map(x, x > 1, x * 10)", "[20]"},
        Case{"cel.bind(unused, 1/0, true)", "true"}));

TEST(LibrarySelection, aDisabledLibraryIsNotThere) {
  Environment environment;
  environment.libraries &= ~static_cast<std::uint32_t>(Library::semver);
  EXPECT_EQ(test::cel_result("isSemver('1.0.0')", environment),
            "line 1, column 1: undeclared reference to 'isSemver'");
  environment.libraries &= ~static_cast<std::uint32_t>(Library::optional);
  EXPECT_EQ(test::cel_result("{'a': 1}.?a", environment),
            "line 1, column 10: expected no optional syntax, found '?'");
}

}  // namespace
}  // namespace tutti::cel
