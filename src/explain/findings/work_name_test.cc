#include "explain/findings/work_name.h"

#include <gtest/gtest.h>

#include <memory>

#include "support/build.h"

namespace tutti::explain {
namespace {

TEST(WorkName, isThePodsOrThatOfItsGroup) {
  core::GroupTable groups;
  auto of_job = std::make_shared<model::PodGroup>(*test::pod_group("j-687cb").build());
  model::OwnerReference job;
  job.kind = "Job";
  job.name = "j";
  job.controller = true;
  of_job->meta.owners = {job};
  groups.set(std::shared_ptr<const model::PodGroup>(of_job));
  EXPECT_EQ(work_name(&groups, *test::pod("p").build()), "Pod t/p");
  EXPECT_EQ(work_name(&groups, *test::pod("p").group("j-687cb").build()), "Job t/j");
  EXPECT_EQ(work_name(&groups, *test::pod("p").group("g").build()), "PodGroup t/g");
  EXPECT_EQ(work_name(nullptr, *test::pod("p").group("g").build()), "PodGroup t/g");
}

}  // namespace
}  // namespace tutti::explain
