#include <gtest/gtest.h>

#include "admission/validate.h"
#include "support/build.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::NodeSelectorTerm;
using model::PodSpec;
using model::Requirement;
using model::Toleration;
using model::TopologySpreadConstraint;
using test::bad_name;
using test::Lines;
using test::lines;
using test::pod;
using Op = model::Requirement::Operator;

Lines problems_of(const std::function<void(PodSpec&)>& edit) {
  return lines(validate(*pod("a").with(edit).build()));
}

TEST(NodeAffinityRules, countValuesByOperator) {
  const std::string at =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
      ".nodeSelectorTerms[0].matchExpressions[0]";
  struct Case {
    const char* sentence;
    Requirement requirement;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"In takes one", {"zone", Op::in, {"a"}}, {}},
      {"In takes many", {"zone", Op::in, {"a", "b"}}, {}},
      {"In takes at least one",
       {"zone", Op::in, {}},
       {at + ".values: must have at least one entry with operator In, has 0"}},
      {"NotIn takes at least one",
       {"zone", Op::not_in, {}},
       {at + ".values: must have at least one entry with operator NotIn, has 0"}},
      {"Exists takes none", {"zone", Op::exists, {}}, {}},
      {"Exists takes not one",
       {"zone", Op::exists, {"a"}},
       {at + ".values: must be empty with operator Exists, has 1"}},
      {"DoesNotExist takes not one",
       {"zone", Op::does_not_exist, {"a"}},
       {at + ".values: must be empty with operator DoesNotExist, has 1"}},
      {"Gt takes an integer", {"cores", Op::gt, {"-7"}}, {}},
      {"Lt takes an integer", {"cores", Op::lt, {"64"}}, {}},
      {"Gt takes one only",
       {"cores", Op::gt, {"1", "2"}},
       {at + ".values: must have exactly one entry with operator Gt, has 2"}},
      {"Lt takes not none",
       {"cores", Op::lt, {}},
       {at + ".values: must have exactly one entry with operator Lt, has 0"}},
      {"Gt takes no fraction",
       {"cores", Op::gt, {"1.5"}},
       {at + ".values[0]: must be an integer of 64 bits, is '1.5'"}},
      {"Gt takes nothing beyond 64 bits",
       {"cores", Op::gt, {"9223372036854775808"}},
       {at + ".values[0]: must be an integer of 64 bits, is '9223372036854775808'"}},
      {"values are a label's",
       {"zone", Op::in, {"a", "b c"}},
       {bad_name(at + ".values[1]", label_value_problem("b c"), "b c")}},
      {"a key is needed", {"", Op::exists, {}}, {at + ".key: is required"}},
      {"a key is a label's",
       {"a b", Op::exists, {}},
       {bad_name(at + ".key", label_key_problem("a b"), "a b")}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(given.sentence);
    EXPECT_EQ(problems_of([&](PodSpec& spec) {
                spec.node_affinity.required = {NodeSelectorTerm{{given.requirement}, {}}};
              }),
              given.problems);
  }
}

TEST(NodeAffinityRules, needATermWhenRequired) {
  EXPECT_EQ(problems_of([](PodSpec& spec) { spec.node_affinity.required.emplace(); }),
            Lines{"spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
                  ".nodeSelectorTerms: must have at least one term, has 0"});
}

TEST(NodeAffinityRules, knowOneFieldOnly) {
  const std::string at =
      "spec.affinity.nodeAffinity.requiredDuringSchedulingIgnoredDuringExecution"
      ".nodeSelectorTerms[0].matchFields[0]";
  const auto with_field = [](Requirement field) {
    return problems_of([&](PodSpec& spec) {
      spec.node_affinity.required = {NodeSelectorTerm{{}, {std::move(field)}}};
    });
  };
  EXPECT_EQ(with_field({"metadata.name", Op::in, {"n1"}}), Lines{});
  EXPECT_EQ(with_field({"metadata.name", Op::not_in, {"n1"}}), Lines{});
  EXPECT_EQ(with_field({"spec.podCIDR", Op::in, {"n1"}}),
            Lines{at + ".key: must be one of metadata.name, is 'spec.podCIDR'"});
  EXPECT_EQ(with_field({"metadata.name", Op::gt, {"n1"}}),
            Lines{at + ".operator: must be one of In, NotIn for a field, is 'Gt'"});
  EXPECT_EQ(with_field({"metadata.name", Op::in, {"n1", "n2"}}),
            Lines{at + ".values: must have exactly one entry for a field, has 2"});
}

TEST(AffinityRules, boundWeights) {
  struct Case {
    std::int32_t weight;
    bool good;
  };
  for (const Case given : {Case{0, false}, Case{1, true}, Case{100, true}, Case{101, false}}) {
    SCOPED_TRACE(given.weight);
    const std::string rule =
        ".weight: must be between 1 and 100, is " + std::to_string(given.weight);
    EXPECT_EQ(problems_of([&](PodSpec& spec) {
                spec.node_affinity.preferred = {{given.weight, {{{"zone", Op::exists, {}}}, {}}}};
              }),
              given.good ? Lines{}
                         : Lines{"spec.affinity.nodeAffinity"
                                 ".preferredDuringSchedulingIgnoredDuringExecution[0]" +
                                 rule});
    EXPECT_EQ(problems_of([&](PodSpec& spec) {
                spec.anti_affinity.preferred.resize(1);
                spec.anti_affinity.preferred[0].weight = given.weight;
                spec.anti_affinity.preferred[0].term.topology_key = "zone";
              }),
              given.good ? Lines{}
                         : Lines{"spec.affinity.podAntiAffinity"
                                 ".preferredDuringSchedulingIgnoredDuringExecution[0]" +
                                 rule});
  }
}

TEST(PodAffinityRules, checkATerm) {
  const std::string at =
      "spec.affinity.podAffinity.requiredDuringSchedulingIgnoredDuringExecution[0]";
  struct Case {
    const char* sentence;
    std::function<void(model::PodAffinityTerm&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"as the builder makes it", [](auto&) {}, {}},
      {"a domain is needed",
       [](auto& term) { term.topology_key.clear(); },
       {at + ".topologyKey: is required"}},
      {"namespaces are DNS labels",
       [](auto& term) {
         term.namespaces = {"ok", "a.b"};
       },
       {bad_name(at + ".namespaces[1]", dns_label_problem("a.b"), "a.b")}},
      {"label selectors do not compare numbers",
       [](auto& term) {
         term.selector->match_expressions = {{"app", Op::gt, {"1"}}};
       },
       {at + ".labelSelector.matchExpressions[0].operator: must be one of In, NotIn, Exists, "
             "DoesNotExist, is 'Gt'"}},
      {"label selectors count values, too",
       [](auto& term) {
         term.namespace_selector = model::LabelSelector{{}, {{"env", Op::in, {}}}};
       },
       {at + ".namespaceSelector.matchExpressions[0].values: must have at least one entry with "
             "operator In, has 0"}},
      {"keys go with a selector", [](auto& term) { term.match_label_keys = {"hash"}; }, {}},
      {"keys do not go without a selector",
       [](auto& term) {
         term.selector.reset();
         term.match_label_keys = {"hash"};
       },
       {at + ".matchLabelKeys: must be empty without a labelSelector, has 1 entries"}},
      {"a key either matches or mismatches",
       [](auto& term) { term.match_label_keys = term.mismatch_label_keys = {"hash"}; },
       {at + ".matchLabelKeys[0]: must not be in mismatchLabelKeys, too: 'hash'"}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(given.sentence);
    auto built = pod("a").affinity("zone", "app", "web");
    built.with([&](PodSpec& spec) { given.edit(spec.affinity.required[0]); });
    EXPECT_EQ(lines(validate(*built.build())), given.problems);
  }
}

TEST(TolerationRules, followTheOperator) {
  using TolerationOp = Toleration::Operator;
  const std::string at = "spec.tolerations[0]";
  struct Case {
    const char* sentence;
    Toleration toleration;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"Equal with a value", {"k", TolerationOp::equal, "v", "NoSchedule", {}}, {}},
      {"Equal without a value", {"k", TolerationOp::equal, "", "", {}}, {}},
      {"Exists of everything", {"", TolerationOp::exists, "", "", {}}, {}},
      {"Equal needs a key",
       {"", TolerationOp::equal, "v", "", {}},
       {at + ".operator: must be Exists when the key is empty"}},
      {"Exists has no value",
       {"k", TolerationOp::exists, "v", "", {}},
       {at + ".value: must be empty with operator Exists, is 'v'"}},
      {"Gt compares integers", {"k", TolerationOp::gt, "950", "NoSchedule", {}}, {}},
      {"Lt compares nothing else",
       {"k", TolerationOp::lt, "high", "NoSchedule", {}},
       {at + ".value: must be an integer of 64 bits, is 'high'"}},
      {"effects are known",
       {"k", TolerationOp::exists, "", "Never", {}},
       {at + ".effect: must be one of NoSchedule, PreferNoSchedule, NoExecute, is 'Never'"}},
      {"seconds go with NoExecute", {"k", TolerationOp::exists, "", "NoExecute", 60}, {}},
      {"seconds go with nothing else",
       {"k", TolerationOp::exists, "", "NoSchedule", 60},
       {at + ".effect: must be NoExecute when tolerationSeconds is set, is 'NoSchedule'"}},
      {"a value is a label's",
       {"k", TolerationOp::equal, "a b", "", {}},
       {bad_name(at + ".value", label_value_problem("a b"), "a b")}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(given.sentence);
    EXPECT_EQ(lines(validate(*pod("a").toleration(given.toleration).build())), given.problems);
  }
}

TopologySpreadConstraint over(std::string key, bool hard = true) {
  TopologySpreadConstraint made;
  made.topology_key = std::move(key);
  made.hard = hard;
  made.selector.emplace();
  return made;
}

TEST(SpreadRules, checkAConstraint) {
  const std::string at = "spec.topologySpreadConstraints[0]";
  struct Case {
    const char* sentence;
    std::function<void(TopologySpreadConstraint&)> edit;
    Lines problems;
  };
  const std::vector<Case> cases = {
      {"as it comes", [](auto&) {}, {}},
      {"some skew is needed",
       [](auto& one) { one.max_skew = 0; },
       {at + ".maxSkew: must be at least 1, is 0"}},
      {"a domain is needed",
       [](auto& one) { one.topology_key.clear(); },
       {at + ".topologyKey: is required"}},
      {"a minimum of domains", [](auto& one) { one.min_domains = 1; }, {}},
      {"a minimum of at least one",
       [](auto& one) { one.min_domains = 0; },
       {at + ".minDomains: must be at least 1, is 0"}},
      {"no minimum for a wish",
       [](auto& one) {
         one.hard = false;
         one.min_domains = 2;
       },
       {at + ".minDomains: must be absent unless whenUnsatisfiable is DoNotSchedule, is 2"}},
      {"keys need a selector",
       [](auto& one) {
         one.selector.reset();
         one.match_label_keys = {"hash"};
       },
       {at + ".matchLabelKeys: must be empty without a labelSelector, has 1 entries"}},
  };
  for (const Case& given : cases) {
    SCOPED_TRACE(given.sentence);
    auto constraint = over("zone");
    given.edit(constraint);
    EXPECT_EQ(problems_of([&](PodSpec& spec) { spec.spread = {constraint}; }), given.problems);
  }
}

TEST(SpreadRules, refuseASecondConstraintOfTheSameKeyAndForce) {
  EXPECT_EQ(problems_of([](PodSpec& spec) {
              spec.spread = {over("zone"), over("host")};
            }),
            Lines{});
  EXPECT_EQ(problems_of([](PodSpec& spec) {
              spec.spread = {over("zone"), over("zone", false)};
            }),
            Lines{});
  EXPECT_EQ(problems_of([](PodSpec& spec) {
              spec.spread = {over("zone"), over("zone")};
            }),
            Lines{"spec.topologySpreadConstraints[1]: must be unique, '{zone, DoNotSchedule}' "
                  "occurs more than once"});
}

TEST(NodeSelectorRules, areTheRulesOfLabels) {
  EXPECT_EQ(lines(validate(*pod("a").node_selector("example.com/rack", "r1").build())), Lines{});
  EXPECT_EQ(lines(validate(*pod("a").node_selector("rack", "r 1").build())),
            Lines{bad_name("spec.nodeSelector[rack]", label_value_problem("r 1"), "r 1")});
}

}  // namespace
}  // namespace tutti::admission
