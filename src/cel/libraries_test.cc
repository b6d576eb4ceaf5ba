// Functions that the specification's cases do not cover: Kubernetes' libraries and cel-go's
// extensions.
#include <gtest/gtest.h>

#include "support/cel.h"

namespace tutti::cel {
namespace {

struct LibraryCase {
  std::string_view expression;
  std::string_view result;
};

class LibraryFunction : public testing::TestWithParam<LibraryCase> {};

TEST_P(LibraryFunction, givesWhatItSays) {
  SCOPED_TRACE(GetParam().expression);
  EXPECT_EQ(test::cel_result(GetParam().expression, Environment()), GetParam().result);
}

INSTANTIATE_TEST_SUITE_P(
    Quantity, LibraryFunction,
    testing::Values(LibraryCase{"quantity('1.5Gi')", "quantity(1536Mi)"},
                    LibraryCase{"isQuantity('200K')", "false"},  //
                    LibraryCase{"isQuantity('1e3')", "true"},
                    LibraryCase{"quantity('-3').sign()", "-1"},
                    LibraryCase{"quantity('0').sign()", "0"},
                    LibraryCase{"quantity('50k').isInteger()", "true"},
                    LibraryCase{"quantity('1500m').isInteger()", "false"},
                    LibraryCase{"quantity('50k').asInteger()", "50000"},
                    LibraryCase{"quantity('0.5').asInteger()",
                                "error: cannot convert value to integer"},
                    LibraryCase{"quantity('1500m').asApproximateFloat()", "1.5"},
                    LibraryCase{"quantity('50k').add(quantity('20k')).sub(1)", "quantity(69999)"},
                    LibraryCase{"quantity('1k').sub(quantity('2k'))", "quantity(-1k)"},
                    LibraryCase{"quantity('200M').compareTo(quantity('0.2G'))", "0"},
                    LibraryCase{"quantity('200M') == quantity('0.2G')", "true"},
                    LibraryCase{"quantity('1').isGreaterThan(quantity('1Ki'))", "false"},
                    LibraryCase{"quantity('x')", "error: quantity 'x' has no digits"},
                    LibraryCase{"type(quantity('1')) == kubernetes.Quantity", "true"}));

INSTANTIATE_TEST_SUITE_P(
    Semver, LibraryFunction,
    testing::Values(LibraryCase{"semver('1.2.3-rc.1+b').major()", "1"},
                    LibraryCase{"semver('1.2.3').minor()", "2"},  //
                    LibraryCase{"semver('1.2.3').patch()", "3"},
                    LibraryCase{"isSemver('1.2')", "false"},  //
                    LibraryCase{"isSemver('v1.2', true)", "true"},
                    LibraryCase{"isSemver('01.2.3')", "false"},
                    LibraryCase{"semver('v01.02', true)", "semver(1.2.0)"},
                    LibraryCase{"semver('1.0.0-alpha').isLessThan(semver('1.0.0'))", "true"},
                    LibraryCase{"semver('1.10.0').isGreaterThan(semver('1.9.0'))", "true"},
                    LibraryCase{"semver('1.0.0+a') == semver('1.0.0+b')", "true"},
                    LibraryCase{"semver('1.0.0-rc.2').compareTo(semver('1.0.0-rc.10'))", "-1"},
                    LibraryCase{"semver('one')", "error: 'one' is not a semantic version"}));

INSTANTIATE_TEST_SUITE_P(
    Lists, LibraryFunction,
    testing::Values(
        LibraryCase{"[1, 2, 3, 4].slice(1, 3)", "[2, 3]"},
        LibraryCase{"[1].slice(0, 2)", "error: slice(0, 2): the list has 1 elements"},
        LibraryCase{
            "[[1, [2]], [3]].flatten()",
            "line 1, column 6: expected type 'int' but found 'list(int)': the elements of a "
            "literal must be of one type"},
        LibraryCase{"[[1], [2, 3]].flatten()", "[1, 2, 3]"},
        LibraryCase{"[[[1]], [[2]]].flatten(2)", "[1, 2]"},
        LibraryCase{"[3, 1, 3, 2, 1].distinct()", "[3, 1, 2]"},  //
        LibraryCase{"lists.range(4)", "[0, 1, 2, 3]"},
        LibraryCase{"[1, 2, 3].reverse()", "[3, 2, 1]"},  //
        LibraryCase{"['b', 'a'].sort()", "['a', 'b']"},
        LibraryCase{"[[], []].sort()", "error: sort: the elements must be comparable, of one type"},
        LibraryCase{"['ccc', 'a', 'bb'].sortBy(s, size(s))", "['a', 'bb', 'ccc']"},
        LibraryCase{"[1, 2, 2].isSorted()", "true"},                                        //
        LibraryCase{"[2, 1].isSorted()", "false"}, LibraryCase{"[1.5, 2.5].sum()", "4.0"},  //
        LibraryCase{"[1, 2].sum()", "3"},                                                   //
        LibraryCase{"[3, 1, 2].min()", "1"},                                                //
        LibraryCase{"['a', 'c'].max()", "'c'"},
        LibraryCase{"[].min()", "error: min called on empty list"},
        LibraryCase{"[9223372036854775807, 1].sum()", "error: integer overflow"},
        LibraryCase{"[1, 2, 1].indexOf(1)", "0"},  //
        LibraryCase{"[1, 2, 1].lastIndexOf(1)", "2"}, LibraryCase{"[1].indexOf(5)", "-1"}));

INSTANTIATE_TEST_SUITE_P(SetsAndRegex, LibraryFunction,
                         testing::Values(LibraryCase{"sets.contains([1, 2, 3], [3, 1])", "true"},
                                         LibraryCase{"sets.contains([], [1])", "false"},
                                         LibraryCase{"sets.equivalent([1, 1, 2], [2, 1])", "true"},
                                         LibraryCase{"sets.intersects([1, 2], [3, 2])", "true"},
                                         LibraryCase{"sets.intersects([], [])", "false"},  //
                                         LibraryCase{"'abc 123'.find('[0-9]+')", "'123'"},
                                         LibraryCase{"'abc'.find('[0-9]+')", "''"},
                                         LibraryCase{"'a1b22'.findAll('[0-9]+')", "['1', '22']"},
                                         LibraryCase{"'a1b22'.findAll('[0-9]+', 1)", "['1']"},
                                         LibraryCase{"'baab'.findAll('a*')", "['', 'aa', '']"},
                                         LibraryCase{
                                             "'x'.matches('(' + 'x')",
                                             "error: invalid regular expression: missing ): (x"}));

INSTANTIATE_TEST_SUITE_P(
    StringsAndMore, LibraryFunction,
    testing::Values(
        LibraryCase{"'tacocat'.indexOf('a', 30)", "-1"},  //
        LibraryCase{"''.split('')", "[]"},                //
        LibraryCase{"'abc'.split('')", "['a', 'b', 'c']"},
        LibraryCase{"'a,b,c'.split(',', 2)", "['a', 'b,c']"},
        LibraryCase{"'abc'.replace('', '-')", "'-a-b-c-'"},
        LibraryCase{"'aaa'.replace('a', 'b', 2)", "'bba'"},
        LibraryCase{"'%s is %d'.format(['x', 5])", "'x is 5'"},
        LibraryCase{"'%d'.format(['x'])", "error: formatting clause %d cannot be used on string"},
        LibraryCase{"string(1000000.0)", "'1e+06'"},
        LibraryCase{"{'a': 1}.transformMap(k, v, v + 1)", "{'a': 2}"},
        LibraryCase{"{'a': 'b'}.transformMapEntry(k, v, {v: k})", "{'b': 'a'}"},
        LibraryCase{"['a', 'a'].transformMapEntry(i, v, {v: i})", "error: repeated key in a map"},
        LibraryCase{"optional.of(1).optMap(x, x + 1)", "optional.of(2)"},
        LibraryCase{"optional.none().or(optional.of(1/0))", "error: division by zero"},
        LibraryCase{"optional.of(1).or(optional.of(1/0))", "optional.of(1)"},
        LibraryCase{"1 < 2.5 && 1 == 1u", "true"},
        LibraryCase{"[1, 2].map(x, x > 1, x * 10)", "[20]"},
        LibraryCase{"cel.bind(unused, 1/0, true)", "true"}));

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
