#include "cli/report.h"

#include <gtest/gtest.h>

#include <chrono>

#include "model/group.h"
#include "support/build.h"

namespace tutti::cli {
namespace {

using namespace std::chrono_literals;

class ReportTest : public testing::Test {
 protected:
  void add(const model::Object& object) { ASSERT_TRUE(store_.create(object, {}).ok()); }
  void add_pod(const test::PodBuilder& pod, model::PodPhase phase = model::PodPhase::pending) {
    model::Pod made = *pod.build();
    made.status.phase = phase;
    add(made);
  }
  std::string text() {
    const auto standing = [](const model::ObjectKey& key) -> expect::Standing {
      if (key.name == "runs" || key.name == "alone") return {"Running", "", "all is well"};
      if (key.name == "ended") return {"Failed", "", "ended: Failed"};
      return {"Waiting", "capacity", "needs 3 cpu more"};
    };
    return report_text(make_report({store_, standing}), 90s, false);
  }

  store::Store store_;
};

TEST_F(ReportTest, showsGroupsThenLonePodsThenTotals) {
  add(*test::node("n1").label("rack", "r1").build());
  add(*test::pod_group("runs").gang(2).topology("rack").build());
  add(*test::pod_group("waits").build());
  add_pod(test::pod("a").group("runs").on("n1"));
  add_pod(test::pod("b").group("runs").on("n1"));
  add_pod(test::pod("c").group("waits"));
  add_pod(test::pod("alone").on("n1"));
  add_pod(test::pod("big"));

  EXPECT_EQ(text(),
            "GROUP    POLICY  PLACED  MIN  TOTAL  DOMAIN   STATE    BLOCKER\n"
            "t/runs   gang 2       2    2      2  rack=r1  Running\n"
            "t/waits  basic        0    1      1           Waiting  capacity: needs 3 cpu more\n"
            "\n"
            "POD      NODE  STATE    BLOCKER\n"
            "t/alone  n1    Running\n"
            "t/big          Waiting  capacity: needs 3 cpu more\n"
            "\n"
            "2 groups (1 Running, 1 Waiting), 2 lone pods (1 Running, 1 Waiting); "
            "3 of 5 pods placed on 1 node after 1m30s\n");
}

TEST_F(ReportTest, showsWhatHasEndedWithoutABlocker) {
  add_pod(test::pod("ended").on("n1"), model::PodPhase::failed);

  EXPECT_NE(text().find("t/ended  n1    Failed\n"), std::string::npos) << text();
}

TEST_F(ReportTest, saysWhatMembersOfARunningGroupWaitFor) {
  add(*test::pod_group("runs").gang(1).build());
  add_pod(test::pod("a").group("runs").on("n1"));
  add_pod(test::pod("b").group("runs"));

  EXPECT_NE(text().find("Running  all is well\n"), std::string::npos) << text();
}

TEST_F(ReportTest, saysWhatARunningGroupLacks) {
  add(*test::pod_group("runs").gang(2).build());
  add_pod(test::pod("a").group("runs").on("n1"));

  EXPECT_NE(text().find("Running  all is well\n"), std::string::npos) << text();
}

TEST_F(ReportTest, showsChildGroupsBelowTheirParent) {
  model::CompositePodGroup root;
  root.meta.ns = "t";
  root.meta.name = "root";
  root.spec.policy = {true, 2};
  add(root);
  add(*test::pod_group("runs").gang(1).parent("root").build());
  add(*test::pod_group("a-loner").gang(1).build());
  add_pod(test::pod("p").group("runs").on("n1"));

  const std::string out = text();

  const std::size_t parent = out.find("t/root");
  const std::size_t child = out.find("  t/runs");
  ASSERT_NE(parent, std::string::npos) << out;
  ASSERT_NE(child, std::string::npos) << out;
  EXPECT_LT(parent, child);
  EXPECT_NE(out.find("gang 2 groups       1    2      1"), std::string::npos) << out;
}

TEST_F(ReportTest, showsAGroupThatOnlyItsPodsName) {
  add_pod(test::pod("a").group("lost"));
  add_pod(test::pod("b").group("lost"));

  EXPECT_EQ(text(),
            "GROUP   POLICY   PLACED  MIN  TOTAL  DOMAIN  STATE    BLOCKER\n"
            "t/lost  missing       0    -      2          Waiting  capacity: needs 3 cpu more\n"
            "\n"
            "1 group (1 Waiting), 0 lone pods; 0 of 2 pods placed on 0 nodes after 1m30s\n");
}

}  // namespace
}  // namespace tutti::cli
