#include <gtest/gtest.h>

#include "admission/defaults.h"
#include "admission/validate.h"
#include "admission/validate_update.h"
#include "model/job.h"
#include "support/problems.h"

namespace tutti::admission {
namespace {

using model::Job;
using test::Lines;
using test::lines;

Job job() {
  Job out;
  out.meta.ns = "t";
  out.meta.name = "j";
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers.emplace_back().name = "main";
  out.pods.spec = std::move(spec);
  SpecRewrites rewrites;
  apply_defaults(out, rewrites);
  return out;
}

template <typename Edit>
Lines change(Job before, Edit edit) {
  Job after = before;
  edit(after);
  return lines(validate_update(before, after));
}

TEST(JobRules, fillInOnePodUnlessTheJobSaysHowManyRunAtOnce) {
  EXPECT_EQ(job().parallelism, 1);
  EXPECT_EQ(job().completions, 1);
  EXPECT_EQ(job().backoff_limit, 6);
  Job queue;
  queue.parallelism = 3;
  SpecRewrites rewrites;
  apply_defaults(queue, rewrites);
  EXPECT_EQ(queue.completions, std::nullopt);
}

TEST(JobRules, refuseWhatNoJobCanMean) {
  struct Case {
    std::string_view name;
    void (*edit)(Job&);
    Lines problems;
  };
  const Case cases[] = {
      {"a good one", [](Job&) {}, {}},
      {"less than nothing at once",
       [](Job& one) { one.parallelism = -1; },
       {"spec.parallelism: must be at least 0, is -1"}},
      {"indexes without an end",
       [](Job& one) {
         one.indexed = true;
         one.completions.reset();
       },
       {"spec.completions: is required with completionMode Indexed"}},
      {"pods that are restarted for ever",
       [](Job& one) {
         auto spec = std::make_shared<model::PodSpec>(*one.pods.spec);
         spec->restart_policy = "Always";
         one.pods.spec = spec;
       },
       {"spec.template.spec.restartPolicy: must be Never or OnFailure for a Job, is 'Always'"}},
      {"a gang larger than the Job",
       [](Job& one) {
         one.scheduling.emplace().gang = true;
         one.scheduling->minimum = 2;
       },
       {"spec.scheduling.schedulingPolicy.gang.minCount: must be at most spec.parallelism, which "
        "is 1, is 2"}},
      {"a queue that could not shrink it",
       [](Job& one) {
         one.parallelism = one.completions = 4;
         one.meta.labels = {{"kueue.x-k8s.io/queue-name", "main"}};
         one.meta.annotations = {{"kueue.x-k8s.io/job-min-parallelism", "4"}};
       },
       {"metadata.annotations[kueue.x-k8s.io/job-min-parallelism]: must be at least 1 and less "
        "than "
        "the 4 pods that run at once, is '4'"}},
      {"no template", [](Job& one) { one.pods = {}; }, {"spec.template.spec: is required"}},
  };
  for (const auto& [name, edit, problems] : cases) {
    SCOPED_TRACE(name);
    Job one = job();
    edit(one);
    EXPECT_EQ(lines(validate(one)), problems);
  }
}

TEST(JobRules, keepTheSizeOfAGangByShape) {
  Job gang = job();
  gang.indexed = true;
  gang.parallelism = gang.completions = 4;
  const auto grow = [](Job& next) { next.parallelism = next.completions = 5; };
  EXPECT_EQ(change(gang, grow),
            Lines{"spec.parallelism: is immutable while the Job is a gang by its shape; give it "
                  "spec.scheduling"});
  gang.scheduling.emplace().gang = true;
  EXPECT_EQ(change(gang, grow), Lines{});
}

TEST(JobRules, freezeWhatRunningPodsDependOn) {
  EXPECT_EQ(change(job(), [](Job& next) { next.completions = 9; }),
            Lines{"spec.completions: is immutable unless an Indexed Job changes it together with "
                  "parallelism"});
  EXPECT_EQ(change(job(),
                   [](Job& next) {
                     next.pods.labels = {{"a", "b"}};
                   }),
            Lines{"spec.template: is immutable"});
  EXPECT_EQ(change(job(), [](Job& next) { next.scheduling.emplace(); }),
            Lines{"spec.scheduling: must not be added later"});
  Job suspended = job();
  suspended.suspend = true;
  EXPECT_EQ(change(suspended, [](Job& next) { next.pods.labels = {{"a", "b"}}; }), Lines{});
  EXPECT_EQ(change(job(), [](Job& next) { next.suspend = true; }), Lines{});
}

}  // namespace
}  // namespace tutti::admission
