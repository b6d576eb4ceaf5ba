#include "cli/output/report.h"

#include <gtest/gtest.h>

#include <chrono>

#include "model/group.h"
#include "model/job.h"
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
    return report_text(make_report({store_, standing}), 90s, {});
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
            "WORKLOAD          POLICY  PLACED  MIN  TOTAL  DOMAIN   STATE    BLOCKER\n"
            "PodGroup t/runs   gang 2       2    2      2  rack=r1  Running\n"
            "PodGroup t/waits  basic        0    1      1           Waiting  capacity\n"
            "    needs 3 cpu more\n"
            "\n"
            "POD      NODE  STATE    BLOCKER\n"
            "t/alone  n1    Running\n"
            "t/big          Waiting  capacity\n"
            "    needs 3 cpu more\n"
            "\n"
            "2 workloads (1 Running, 1 Waiting), 2 lone pods (1 Running, 1 Waiting); "
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

  EXPECT_NE(text().find("Running\n    all is well\n"), std::string::npos) << text();
}

TEST_F(ReportTest, saysWhatARunningGroupLacks) {
  add(*test::pod_group("runs").gang(2).build());
  add_pod(test::pod("a").group("runs").on("n1"));

  EXPECT_NE(text().find("Running\n    all is well\n"), std::string::npos) << text();
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
            "WORKLOAD         POLICY   PLACED  MIN  TOTAL  STATE    BLOCKER\n"
            "PodGroup t/lost  missing       0    -      2  Waiting  capacity\n"
            "    needs 3 cpu more\n"
            "\n"
            "1 workload (1 Waiting), 0 lone pods; 0 of 2 pods placed on 0 nodes after 1m30s\n");
}

model::OwnerReference controlled_by(std::string version, std::string kind, std::string name) {
  return {std::move(version), std::move(kind), std::move(name), "uid", true, false};
}

TEST_F(ReportTest, namesWhatPeopleWroteAndNotWhatWasMadeOfIt) {
  add(*test::node("n1").build());
  model::Job job;
  job.meta.ns = "t";
  job.meta.name = "pretrain";
  job.meta.labels = {{"kueue.x-k8s.io/queue-name", "ml"}};
  add(job);
  model::PodGroup group = *test::pod_group("pretrain-7c7489f99-pgt-0").gang(1).build();
  group.meta.owners = {controlled_by("batch/v1", "Job", "pretrain")};
  add(group);
  add_pod(test::pod("a").group(group.meta.name).on("n1"));
  for (const char* name : {"web-1", "web-2"}) {
    model::Pod pod = *test::pod(name).build();
    pod.meta.owners = {controlled_by("apps/v1", "ReplicaSet", "web")};
    add(pod);
  }

  EXPECT_EQ(text(),
            "WORKLOAD          POLICY  PLACED  MIN  TOTAL  QUEUE  STATE    BLOCKER\n"
            "Job t/pretrain    gang 1       1    1      1  ml     Waiting  capacity\n"
            "    needs 3 cpu more\n"
            "ReplicaSet t/web  pods         0    -      2         Waiting  capacity\n"
            "    2 pods wait; pod web-1: needs 3 cpu more\n"
            "\n"
            "2 workloads (2 Waiting), 0 lone pods; 1 of 3 pods placed on 1 node after 1m30s\n");
}

}  // namespace
}  // namespace tutti::cli
