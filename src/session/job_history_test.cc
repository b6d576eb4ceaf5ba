#include "session/job_history.h"

#include <gtest/gtest.h>

#include <chrono>
#include <memory>

#include "model/job.h"
#include "support/build.h"

namespace tutti::session {
namespace {

using std::chrono::minutes;

const Instant kStart = Instant{} + std::chrono::hours(24);

model::OwnerReference owner(std::string kind, std::string name) {
  model::OwnerReference made;
  made.kind = std::move(kind);
  made.uid = "uid-" + name;
  made.name = std::move(name);
  made.controller = true;
  return made;
}

class JobHistoryCase : public testing::Test {
 protected:
  void add(const model::Object& object) { ASSERT_TRUE(store_.create(object, {kStart}).ok()); }

  model::Pod pod(const std::string& name, const std::string& job) {
    model::Pod made = *test::pod(name).build();
    made.meta.owners = {owner("Job", job)};
    return made;
  }
  void add_succeeded(const std::string& name, const std::string& job, Millis length) {
    model::Pod made = pod(name, job);
    made.status.phase = model::PodPhase::succeeded;
    made.status.start_time = kStart;
    made.status.finished = kStart + length;
    add(made);
  }
  model::Job job(const std::string& name, const std::string& image = "app") {
    model::Job made;
    made.meta.ns = "t";
    made.meta.name = name;
    made.meta.uid = "uid-" + name;
    made.meta.owners = {owner("CronJob", "nightly")};
    auto spec = std::make_shared<model::PodSpec>();
    spec->containers.emplace_back().image = image;
    made.pods.spec = std::move(spec);
    return made;
  }
  void add_finished(model::Job made, Millis length) {
    made.status.start_time = kStart;
    made.status.completion_time = kStart + length;
    add(made);
  }
  std::string basis(const model::Pod& asked) {
    const JobHistory history(store_, kStart);
    const Precedent* found = history.of(asked);
    return found == nullptr ? "" : found->text;
  }

  store::Store store_;
};

TEST_F(JobHistoryCase, isTheLongestPodOfTheSameJobThatSucceeded) {
  add_succeeded("a-0", "a", minutes(4));
  add_succeeded("a-1", "a", minutes(10));
  model::Pod failed = pod("a-2", "a");
  failed.status.phase = model::PodPhase::failed;
  failed.status.start_time = kStart;
  failed.status.finished = kStart + minutes(50);
  add(failed);
  EXPECT_EQ(basis(pod("a-3", "a")), "earlier pods of Job t/a ran 10m0s");
  EXPECT_EQ(basis(pod("b-0", "b")), "") << "another Job";
  EXPECT_EQ(basis(*test::pod("lone").build()), "");
}

TEST_F(JobHistoryCase, isElseTheLongestFinishedJobOfTheSameOwnerAndSpec) {
  add(job("now"));
  EXPECT_EQ(basis(pod("now-0", "now")), "");
  add_finished(job("first"), minutes(7));
  add_finished(job("second"), minutes(20));
  add_succeeded("second-0", "second", minutes(5));
  add_finished(job("other", "tool"), minutes(60));
  EXPECT_EQ(basis(pod("now-0", "now")), "earlier Jobs of CronJob t/nightly ran 7m0s")
      << "the second waited for a while before its pod ran";
  add_succeeded("now-1", "now", minutes(3));
  EXPECT_EQ(basis(pod("now-0", "now")), "earlier pods of Job t/now ran 3m0s");
}

TEST_F(JobHistoryCase, expectsNothingOfAPodThatHasRunForLonger) {
  add_succeeded("a-0", "a", minutes(10));
  const JobHistory history(store_, kStart + minutes(15));
  EXPECT_EQ(history.end_of(pod("a-1", "a"), kStart + minutes(6)), kStart + minutes(16));
  EXPECT_EQ(history.end_of(pod("a-1", "a"), kStart + minutes(5)), std::nullopt);
  EXPECT_EQ(history.end_of(pod("b-1", "b"), kStart + minutes(6)), std::nullopt);
}

}  // namespace
}  // namespace tutti::session
