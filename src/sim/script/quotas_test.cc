#include "sim/script/quotas.h"

#include <gtest/gtest.h>

#include <memory>
#include <string>

#include "store/typed.h"
#include "support/build.h"

namespace tutti::sim {
namespace {

using Type = store::WatchEvent::Type;

std::shared_ptr<model::OtherObject> quota(const std::string& name, const std::string& spec) {
  auto out = std::make_shared<model::OtherObject>();
  out->api_version = "v1";
  out->kind_name = "ResourceQuota";
  out->meta.ns = "t";
  out->meta.name = name;
  out->document = std::make_shared<const std::string>(R"({"metadata": {"name": ")" + name +
                                                      R"("}, "spec": )" + spec + "}");
  return out;
}

class QuotasTest : public testing::Test {
 protected:
  void set(const std::string& name, const std::string& spec) {
    quotas.observe({Type::added, 1, nullptr, quota(name, spec), false}, store);
  }
  void come(const model::ObjectPtr& pod) {
    quotas.observe({Type::added, 1, nullptr, pod, false}, store);
  }
  void go(const model::ObjectPtr& pod) {
    quotas.observe({Type::deleted, 2, pod, nullptr, false}, store);
  }

  store::Store store;
  Quotas quotas;
};

TEST_F(QuotasTest, countPodsThatWereThereBeforeThem) {
  ASSERT_TRUE(store.create(*test::pod("a").cpu("2").build(), {kEndOfTime}).ok());
  set("q", R"({"hard": {"requests.cpu": "3", "pods": 5}})");
  const auto b = test::pod("b").cpu("1500m").build();
  EXPECT_EQ(quotas.refusal(*b),
            "exceeded quota: q, requested: requests.cpu=1500m, used: requests.cpu=2, limited: "
            "requests.cpu=3");
  go(test::pod("a").cpu("2").build());
  EXPECT_EQ(quotas.refusal(*b), "");
  EXPECT_EQ(quotas.refusal(*test::pod("mute").build()),
            "failed quota: q: must specify requests.cpu");
  EXPECT_EQ(quotas.refusal(*test::pod("b").in_namespace("u").cpu("9").build()), "");
}

TEST_F(QuotasTest, countEachPodOnce) {
  set("q", R"({"hard": {"count/pods": "2"}})");
  const auto a = test::pod("a").build();
  quotas.add(*a);
  come(a);
  EXPECT_EQ(quotas.refusal(*test::pod("b").build()), "");
  come(test::pod("b").build());
  EXPECT_EQ(quotas.refusal(*test::pod("c").build()),
            "exceeded quota: q, requested: pods=1, used: pods=2, limited: pods=2");
  go(a);
  go(a);
  EXPECT_EQ(quotas.refusal(*test::pod("c").build()), "");
}

TEST_F(QuotasTest, areForThePodsOfTheirScopes) {
  set("brief", R"({"hard": {"pods": 0}, "scopes": ["Terminating"]})");
  set("high", R"({"hard": {"pods": 0}, "scopeSelector": {"matchExpressions": [
      {"scopeName": "PriorityClass", "operator": "In", "values": ["high"]}]}})");
  set("idle", R"({"hard": {"pods": 0}, "scopes": ["BestEffort"]})");
  const auto refused = [&](const auto& pod) { return !quotas.refusal(*pod).empty(); };
  EXPECT_FALSE(refused(test::pod("a").cpu("1").build()));
  EXPECT_TRUE(refused(test::pod("a").build()));
  EXPECT_TRUE(refused(
      test::pod("a").cpu("1").with([](auto& spec) { spec.active_deadline_seconds = 5; }).build()));
  EXPECT_TRUE(refused(
      test::pod("a").cpu("1").with([](auto& spec) { spec.priority_class_name = "high"; }).build()));
  quotas.observe({Type::deleted, 3, quota("idle", "{}"), nullptr, false}, store);
  EXPECT_FALSE(refused(test::pod("a").build()));
}

}  // namespace
}  // namespace tutti::sim
