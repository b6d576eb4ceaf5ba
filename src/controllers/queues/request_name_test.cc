#include "controllers/queues/request_name.h"

#include <gtest/gtest.h>

#include "model/job.h"

namespace tutti::controllers {
namespace {

// Worked out with sha1sum.
TEST(RequestName, isKindNameAndFiveDigitsOfAHash) {
  EXPECT_EQ(request_name("batch", "Job", "train", "u-1"), "job-train-d688a");
  EXPECT_EQ(request_name("", "Pod", "p", "u-2"), "pod-p-69aee");
}

TEST(RequestName, isThatOfTheOwner) {
  model::Job job;
  job.api_version = "batch/v1";
  job.meta.name = "train";
  job.meta.uid = "u-1";
  EXPECT_EQ(request_name(job), request_name("batch", "Job", "train", "u-1"));
}

TEST(RequestName, isCutToWhatANameMayBe) {
  const std::string name = request_name("batch", "Job", std::string(300, 'a'), "u-1");
  EXPECT_EQ(name.size(), 253U);
  EXPECT_EQ(name[247], '-');
}

}  // namespace
}  // namespace tutti::controllers
