#include "base/names.h"

#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace tutti {
namespace {

using Rule = NameProblem (*)(std::string_view);

void expect_good(Rule rule, const std::vector<std::string>& texts) {
  for (const auto& text : texts) {
    SCOPED_TRACE("text '" + text + "'");
    EXPECT_EQ(rule(text), std::nullopt);
  }
}

struct Bad {
  std::string text;
  std::string part_of_problem;
};

void expect_bad(Rule rule, const std::vector<Bad>& cases) {
  for (const auto& [text, part] : cases) {
    SCOPED_TRACE("text '" + text + "'");
    const auto problem = rule(text);
    ASSERT_TRUE(problem.has_value());
    EXPECT_NE(problem->find(part), std::string::npos) << *problem;
  }
}

const std::string k63(63, 'a');
const std::string k64(64, 'a');

TEST(DnsLabel, isLowerCaseAndAtMost63Long) {
  expect_good(dns_label_problem, {"a", "0", "web-0", "a--b", "123", k63});
  expect_bad(dns_label_problem, {{"", "empty"},
                                 {k64, "at most 63"},
                                 {"Web", "lower case"},
                                 {"-a", "start and end"},
                                 {"a-", "start and end"},
                                 {"a.b", "lower case"},
                                 {"a_b", "lower case"},
                                 {"a b", "lower case"},
                                 {"\u00e9", "lower case"}});
}

TEST(DnsSubdomain, isLabelsJoinedByDots) {
  expect_good(dns_subdomain_problem, {"a", "web-0", "node-1.example.com", "1.2.3.4", k64,
                                      k64 + "." + k64, std::string(253, 'a')});
  expect_bad(dns_subdomain_problem, {{"", "empty"},
                                     {std::string(254, 'a'), "at most 253"},
                                     {".", "between dots"},
                                     {".a", "between dots"},
                                     {"a.", "between dots"},
                                     {"a..b", "between dots"},
                                     {"a.-b", "between dots"},
                                     {"a-.b", "between dots"},
                                     {"A.b", "lower case"},
                                     {"a/b", "lower case"}});
}

TEST(LabelKey, isANameWithAnOptionalPrefix) {
  expect_good(label_key_problem, {"a", "App", "app.kubernetes.io/name", "nvidia.com/gpu", "a_b-c.d",
                                  "1/1", k63, std::string(253, 'p') + "/" + k63});
  expect_bad(label_key_problem, {{"", "name part must not be empty"},
                                 {"a/", "name part must not be empty"},
                                 {"/a", "prefix part must not be empty"},
                                 {"a/b/c", "at most one '/'"},
                                 {k64, "name part must be at most 63"},
                                 {"x/" + k64, "name part must be at most 63"},
                                 {std::string(254, 'p') + "/a", "prefix part must be at most 253"},
                                 {"Example.com/a", "prefix part must be lower case"},
                                 {"-a", "name part must be letters"},
                                 {"a.", "name part must be letters"},
                                 {"a b", "name part must be letters"},
                                 {"a=b", "name part must be letters"}});
}

TEST(LabelValue, mayBeEmpty) {
  expect_good(label_value_problem, {"", "a", "A_b-c.1", "0", k63});
  expect_bad(label_value_problem, {{k64, "at most 63"},
                                   {"-a", "start and end"},
                                   {"a_", "start and end"},
                                   {".", "start and end"},
                                   {"a/b", "must be letters"},
                                   {" a", "must be letters"}});
}

}  // namespace
}  // namespace tutti
