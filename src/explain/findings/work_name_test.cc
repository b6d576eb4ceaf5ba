#include "explain/findings/work_name.h"

#include <gtest/gtest.h>

#include <memory>

#include "support/build.h"

namespace tutti::explain {
namespace {

std::shared_ptr<model::Pod> of_job(const test::PodBuilder& builder) {
  auto pod = std::make_shared<model::Pod>(*builder.build());
  model::OwnerReference job;
  job.kind = "Job";
  job.name = "j";
  job.controller = true;
  pod->meta.owners = {job};
  return pod;
}

TEST(WorkName, isTheJobsWhereTheGroupWasMadeForIt) {
  EXPECT_EQ(work_name(*test::pod("p").build()), "Pod t/p");
  EXPECT_EQ(work_name(*test::pod("p").group("g").build()), "PodGroup t/g");
  EXPECT_EQ(work_name(*of_job(test::pod("p").group("j-687cb"))), "Job t/j");
  EXPECT_EQ(work_name(*of_job(test::pod("p"))), "Pod t/p") << "one of many that come one by one";
}

}  // namespace
}  // namespace tutti::explain
