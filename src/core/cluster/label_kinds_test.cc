#include "core/cluster/label_kinds.h"

#include <gtest/gtest.h>

#include <memory>

#include "model/apps.h"
#include "support/build.h"

namespace tutti::core {
namespace {

using test::node;
using test::pod;

class LabelKindsTest : public testing::Test {
 protected:
  // Two pods of an Indexed Job: alike but for their index.
  PodId add(int index) {
    return cluster_.set_pod(pod("worker-" + std::to_string(index))
                                .label("index", std::to_string(index))
                                .label("job", "train"));
  }
  bool are_alike(PodId one, PodId other) {
    const auto kind = [&](PodId id) {
      return kinds_.of(cluster_.pod(id).shape, cluster_.pod(id).labels);
    };
    return kind(one) == kind(other);
  }
  void select(std::string ns, std::string name, model::Labels wanted) {
    auto service = std::make_shared<model::Service>();
    service->meta.ns = std::move(ns);
    service->meta.name = std::move(name);
    service->selector = std::move(wanted);
    cluster_.set_object(service);
  }

  Cluster cluster_;
  LabelKinds kinds_{cluster_};
  std::string ns_ = pod("p").build()->meta.ns;
};

TEST_F(LabelKindsTest, tellNothingApartThatNobodySelects) {
  EXPECT_TRUE(are_alike(add(1), add(2)));
}

TEST_F(LabelKindsTest, ignoreSelectorsOfOtherLabelsAndOtherNamespaces) {
  select(ns_, "web", {{"app", "web"}});
  select(ns_, "train", {{"job", "train"}});
  select("elsewhere", "first", {{"index", "1"}});
  EXPECT_TRUE(are_alike(add(1), add(2)));
}

TEST_F(LabelKindsTest, tellApartOnlyTheValuesThatASelectorLists) {
  select(ns_, "first", {{"index", "1"}});
  EXPECT_FALSE(are_alike(add(1), add(2)));
  EXPECT_TRUE(are_alike(add(2), add(3)));
}

TEST_F(LabelKindsTest, followSelectorsThatComeAndGo) {
  const PodId one = add(1);
  const PodId two = add(2);
  EXPECT_TRUE(are_alike(one, two));
  select(ns_, "first", {{"index", "1"}});
  EXPECT_FALSE(are_alike(one, two));
  cluster_.remove_object({model::Kind::service, ns_, "first", {}});
  EXPECT_TRUE(are_alike(one, two));
}

TEST_F(LabelKindsTest, followWhatPlacedPodsRepel) {
  const PodId one = add(1);
  const PodId two = add(2);
  cluster_.set_node(node("n"));
  cluster_.set_pod(pod("guard").anti_affinity("host", "index", "1").in_namespace("far").on("n"));
  EXPECT_FALSE(are_alike(one, two));
}

TEST_F(LabelKindsTest, followWhatThePodsThemselvesSelect) {
  const auto selecting = [&](int index) {
    return cluster_.set_pod(pod("s-" + std::to_string(index))
                                .label("index", std::to_string(index))
                                .anti_affinity("host", "index", "1"));
  };
  EXPECT_FALSE(are_alike(selecting(1), selecting(2)));
  EXPECT_TRUE(are_alike(selecting(2), selecting(3)));
}

TEST_F(LabelKindsTest, ofPodsPlacedTogetherFollowWhatAnyOfThemSelects) {
  const PodId one = add(1);
  const PodId two = add(2);
  const PodId picky = cluster_.set_pod(pod("picky").affinity("host", "index", "1"));
  const std::array shapes = {cluster_.pod(one).shape, cluster_.pod(picky).shape};
  LabelSorter alone = kinds_.among({shapes.data(), 1});
  LabelSorter together = kinds_.among(shapes);
  const auto kind = [&](LabelSorter& sorter, PodId id) {
    return sorter.kind_of(cluster_, cluster_.pod(id).labels);
  };
  EXPECT_EQ(kind(alone, one), kind(alone, two));
  EXPECT_NE(kind(together, one), kind(together, two));
}

// Selectors by presence, absence and lists of values: what is left of the labels decides all of
// them.
TEST(SelectedLabels, keepWhatDecidesEverySelector) {
  using Operator = model::Requirement::Operator;
  SelectedLabels selected;
  selected.add(model::LabelSelector{
      {{"a", "1"}}, {{"b", Operator::exists, {}}, {"c", Operator::in, {"x", "y"}}}});
  selected.add_whole("d");
  const SelectedLabels::Pairs seen = selected.seen_of(
      SelectedLabels::Pairs{{"a", "2"}, {"b", "7"}, {"c", "x"}, {"d", "any"}, {"e", "1"}});
  EXPECT_EQ(seen, (SelectedLabels::Pairs{{"a", "*"}, {"b", "*"}, {"c", "x"}, {"d", "any"}}));
}

}  // namespace
}  // namespace tutti::core
