#include "core/cluster/node_match.h"

#include <gtest/gtest.h>

#include "support/build.h"

namespace tutti::core {
namespace {

using model::NodeSelectorTerm;
using model::Requirement;
using Op = Requirement::Operator;
using test::node;
using test::pod;

// a: zone=x cores=8   b: zone=y cores=16   c: nothing of the kind
void fill(Cluster& cluster) {
  cluster.set_node(node("a").label("zone", "x").label("cores", "8"));
  cluster.set_node(node("b").label("zone", "y").label("cores", "16"));
  cluster.set_node(node("c"));
  cluster.set_node(node("gone").label("zone", "x"));
  cluster.remove_node("gone");
}

std::string names(const Cluster& cluster, const Bitset& nodes) {
  std::string text;
  nodes.for_each_set(
      [&](std::size_t i) { text += cluster.node_name(NodeId{static_cast<std::uint32_t>(i)}); });
  return text;
}

TEST(NodeMatch, followsEveryOperatorAndField) {
  struct Case {
    std::string_view name;
    std::vector<NodeSelectorTerm> terms;
    std::string expected;
  };
  const auto label = [](std::string key, Op op, std::vector<std::string> values) {
    return NodeSelectorTerm{{{std::move(key), op, std::move(values)}}, {}};
  };
  const auto field = [](std::string key, Op op, std::vector<std::string> values) {
    return NodeSelectorTerm{{}, {{std::move(key), op, std::move(values)}}};
  };
  const Case cases[] = {
      {"in", {label("zone", Op::in, {"x", "z"})}, "a"},
      {"in, unknown value", {label("zone", Op::in, {"q"})}, ""},
      {"not in accepts a missing key", {label("zone", Op::not_in, {"x"})}, "bc"},
      {"exists", {label("zone", Op::exists, {})}, "ab"},
      {"exists, unknown key", {label("rack", Op::exists, {})}, ""},
      {"does not exist", {label("zone", Op::does_not_exist, {})}, "c"},
      {"does not exist, unknown key", {label("rack", Op::does_not_exist, {})}, "abc"},
      {"greater", {label("cores", Op::gt, {"8"})}, "b"},
      {"less", {label("cores", Op::lt, {"16"})}, "a"},
      {"less than no number", {label("cores", Op::lt, {"many"})}, ""},
      {"order of what is no number", {label("zone", Op::gt, {"1"})}, ""},
      {"named", {field("metadata.name", Op::in, {"b"})}, "b"},
      {"named, unknown", {field("metadata.name", Op::in, {"nobody"})}, ""},
      {"not named", {field("metadata.name", Op::not_in, {"b"})}, "ac"},
      {"two names are not a field selector", {field("metadata.name", Op::in, {"a", "b"})}, ""},
      {"other fields do not exist", {field("spec.x", Op::not_in, {"b"})}, ""},
      {"terms are alternatives",
       {label("zone", Op::in, {"x"}), field("metadata.name", Op::in, {"c"})},
       "ac"},
      {"conditions of a term all hold",
       {{{{"zone", Op::exists, {}}, {"cores", Op::gt, {"8"}}},
         {{"metadata.name", Op::not_in, {"a"}}}}},
       "b"},
      {"an empty term matches nothing", {NodeSelectorTerm{}}, ""},
      {"no term matches nothing", {}, ""},
  };
  Cluster cluster;
  fill(cluster);
  for (const auto& [name, terms, expected] : cases) {
    SCOPED_TRACE(name);
    EXPECT_EQ(names(cluster, nodes_matching_any(cluster, terms)), expected);
    Bitset one_by_one(cluster.nodes().slots());
    cluster.nodes().live().for_each_set([&](std::size_t i) {
      if (node_matches_any(cluster.node(NodeId{static_cast<std::uint32_t>(i)}), terms)) {
        one_by_one.set(i);
      }
    });
    EXPECT_EQ(names(cluster, one_by_one), expected);
  }
}

TEST(NodeMatch, joinsNodeSelectorAndRequiredAffinity) {
  Cluster cluster;
  fill(cluster);
  const auto made = pod("p").node_selector("zone", "y").with([](model::PodSpec& spec) {
    spec.node_affinity.required = {{{{"cores", Op::exists, {}}}, {}}};
  });
  const auto object = made.build();
  EXPECT_EQ(names(cluster, nodes_matching(cluster, *object->spec)), "b");
  EXPECT_TRUE(node_matches(cluster.node(*cluster.nodes().find("b")), *object->spec));
  EXPECT_FALSE(node_matches(cluster.node(*cluster.nodes().find("a")), *object->spec));
}

TEST(NodeMatch, matchesNothingWhenAffinityIsRequiredButHasNoTerms) {
  Cluster cluster;
  fill(cluster);
  const auto object =
      pod("p").with([](auto& spec) { spec.node_affinity.required.emplace(); }).build();
  EXPECT_EQ(names(cluster, nodes_matching(cluster, *object->spec)), "");
}

}  // namespace
}  // namespace tutti::core
