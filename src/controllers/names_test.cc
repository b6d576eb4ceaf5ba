#include "controllers/names.h"

#include <gtest/gtest.h>

namespace tutti::controllers {
namespace {

// Uids and names of Jobs, Workloads and PodGroups that kube-controller-manager v1.36 and v1.37
// made.
TEST(Names, areThoseThatKubeControllerManagerGives) {
  struct Case {
    std::string_view job, uid, workload, group;
  };
  constexpr Case cases[] = {
      {"idx", "8a2b5366-aa1c-449d-a3bc-d9596978506c", "idx-57bfb4c475",
       "idx-57bfb4c475-idx-pgt-0-664744c858"},
      {"susp", "0a18417e-4803-4640-8ba0-f620c2828ebd", "susp-9cfc5464b",
       "susp-9cfc5464b-susp-pgt-0-bf6bbd68f"},
      {"gang", "eb907c58-6365-4035-9c63-f4747bdc73a2", "gang-d5fd59469",
       "gang-d5fd59469-gang-pgt-0-64659df66c"},
      {"plain", "9b28d989-b568-4817-be10-3c66e2313016", "plain-78497b56fd",
       "plain-78497b56fd-plain-pgt-0-67fdd89cb9"},
  };
  for (const auto& [job, uid, workload, group] : cases) {
    SCOPED_TRACE(job);
    EXPECT_EQ(workload_name(job, uid), workload);
    EXPECT_EQ(pod_group_name(workload, std::string(job) + "-pgt-0"), group);
  }
}

TEST(Names, fitIntoTheLongestNameOfTheApi) {
  const std::string longest(253, 'a');
  EXPECT_EQ(workload_name(longest, "u").size(), 253U);
  EXPECT_EQ(pod_group_name(longest, longest).size(), 253U);
  EXPECT_EQ(pod_group_name(longest, "short").size(), 253U);
  EXPECT_EQ(pod_group_name("short", longest).size(), 253U);
  EXPECT_NE(pod_group_name(longest, "short").find("-short-"), std::string::npos);
  EXPECT_TRUE(pod_group_name("short", longest).starts_with("short-aaa"));
}

TEST(Names, ofPodsDependOnOwnerAndAttemptOnly) {
  EXPECT_EQ(generated_name("a-", "u", 1), generated_name("a-", "u", 1));
  EXPECT_NE(generated_name("a-", "u", 1), generated_name("a-", "u", 2));
  EXPECT_NE(generated_name("a-", "u", 1), generated_name("a-", "v", 1));
  EXPECT_EQ(generated_name("a-", "u", 1).size(), 7U);
  EXPECT_EQ(generated_name(std::string(100, 'a'), "u", 1).size(), 63U);
}

}  // namespace
}  // namespace tutti::controllers
