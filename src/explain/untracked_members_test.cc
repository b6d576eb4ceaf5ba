#include "explain/untracked_members.h"

#include <gtest/gtest.h>

#include <string>

#include "support/build.h"

namespace tutti::explain {
namespace {

model::Pod member(const std::string& name, model::PodPhase phase,
                  const std::string& scheduler = "tutti") {
  model::Pod pod = *test::pod(name).group("g").scheduler(scheduler).build();
  pod.status.phase = phase;
  return pod;
}

UntrackedMembers absentees() {
  return UntrackedMembers(
      [](const model::Pod& pod) { return pod.spec->scheduler_name != "tutti"; });
}

TEST(UntrackedMembers, countsWhatEndedAndWhatIsAnothers) {
  UntrackedMembers all = absentees();
  all.observe(member("a", model::PodPhase::succeeded));
  all.observe(member("b", model::PodPhase::failed));
  all.observe(member("c", model::PodPhase::pending, "other"));
  all.observe(member("d", model::PodPhase::pending));
  const Absent absent = all.of("t", "g");
  EXPECT_EQ(absent.succeeded, 1U);
  EXPECT_EQ(absent.failed, 1U);
  EXPECT_EQ(absent.foreign, 1U);
  EXPECT_EQ(absent.scheduler, "other");
  EXPECT_EQ(all.of("u", "g").ended(), 0U);
}

TEST(UntrackedMembers, countsAPodOnceHoweverOftenItIsSeen) {
  UntrackedMembers all = absentees();
  all.observe(member("a", model::PodPhase::pending, "other"));
  all.observe(member("a", model::PodPhase::pending, "other"));
  EXPECT_EQ(all.of("t", "g").foreign, 1U);
  all.observe(member("a", model::PodPhase::succeeded, "other"));
  EXPECT_EQ(all.of("t", "g").foreign, 0U);
  EXPECT_EQ(all.of("t", "g").succeeded, 1U);
}

TEST(UntrackedMembers, forgetsWhatIsGone) {
  UntrackedMembers all = absentees();
  const model::Pod pod = member("a", model::PodPhase::failed);
  all.observe(pod);
  all.forget(pod);
  all.forget(pod);
  EXPECT_EQ(all.of("t", "g").ended(), 0U);
}

}  // namespace
}  // namespace tutti::explain
