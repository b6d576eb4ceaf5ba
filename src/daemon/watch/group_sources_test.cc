#include "daemon/watch/group_sources.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::daemon {
namespace {

// All resources in the named groups are served, those of `unreadable` to others only.
std::vector<kube::Offer> offers(const std::set<std::string>& groups,
                                const std::string& unreadable = {}) {
  std::vector<kube::Offer> made;
  for (const auto& name : owner_resources()) {
    const bool served = groups.contains(name.group);
    made.push_back({served ? name.group + "/v1" : "", served && name.group != unreadable});
  }
  return made;
}

kube::Served with_groups() {
  kube::Served served;
  served.pod_groups = served.workloads = "scheduling.k8s.io/v1alpha2";
  return served;
}

const grouping::OwnerKind* job() { return grouping::find_owner_kind("batch/v1", "Job"); }

std::string text_of(const GroupSources& sources) {
  std::string text;
  for (const auto& [what, why] : sources.lines) text += what + ": " + why + "\n";
  return text;
}

TEST(GroupSources, groupsWhatAnOldClusterHas) {
  const auto sources =
      group_sources(GroupInMemory::automatic, {}, {}, offers({"batch", "jobset.x-k8s.io"}));
  EXPECT_EQ(sources.watched.size(), 2U);
  EXPECT_TRUE(sources.left_alone.empty());
  EXPECT_EQ(text_of(sources),
            "groups in memory: pods with Kueue's group label, jobs.batch, jobsets.jobset.x-k8s.io: "
            "the cluster serves no PodGroups\n");
}

TEST(GroupSources, leavesJobsToAClusterThatGroupsThem) {
  struct Case {
    std::string_view what;
    GroupInMemory mode;
    std::optional<kube::FeatureGates> gates;
    bool grouped;
  };
  const Case cases[] = {
      {"the gate is on", GroupInMemory::automatic, {{{"WorkloadWithJob", true}}}, false},
      {"nobody says", GroupInMemory::automatic, {}, false},
      {"the gate is off", GroupInMemory::automatic, {{{"WorkloadWithJob", false}}}, true},
      {"there is none", GroupInMemory::automatic, {{{"Other", true}}}, true},
      {"forced", GroupInMemory::always, {{{"WorkloadWithJob", true}}}, true},
  };
  for (const Case& each : cases) {
    SCOPED_TRACE(each.what);
    const auto sources = group_sources(each.mode, with_groups(), each.gates, offers({"batch"}));
    EXPECT_EQ(sources.watched.contains(job()), each.grouped);
    EXPECT_EQ(text_of(sources).find("leaves Jobs alone") == std::string::npos, each.grouped);
  }
}

TEST(GroupSources, readsJobsThatAreLeftAloneForTheSakeOfTheirSets) {
  const auto sources = group_sources(GroupInMemory::automatic, with_groups(), {},
                                     offers({"batch", "jobset.x-k8s.io"}));
  EXPECT_TRUE(sources.watched.contains(job()));
  EXPECT_TRUE(sources.left_alone.contains(job()));
}

TEST(GroupSources, saysWhatItMayNotRead) {
  const auto sources = group_sources(GroupInMemory::automatic, {}, {},
                                     offers({"batch", "jobset.x-k8s.io"}, "batch"));
  EXPECT_FALSE(sources.watched.contains(job()));
  EXPECT_NE(text_of(sources).find("schedules one by one the pods of: jobs.batch"),
            std::string::npos);
}

TEST(GroupSources, groupsNothingWhenTold) {
  const auto sources = group_sources(GroupInMemory::never, {}, {}, offers({"batch"}));
  EXPECT_TRUE(sources.watched.empty());
  EXPECT_TRUE(sources.resources.empty());
}

}  // namespace
}  // namespace tutti::daemon
