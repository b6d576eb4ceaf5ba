// Slowdowns worked out by hand, and the measured ones where the measurements are at hand.
#include "trace/step_times.h"

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "trace/gzip.h"

namespace tutti::trace {
namespace {

using Gpus = std::vector<std::int64_t>;

TEST(StepTimes, comparesAPlaceWithThePackedOneAtTheMiddleBatchSize) {
  StepTimes times;
  ASSERT_TRUE(times
                  .add_placements("m", "p.csv",
                                  "placement,local_bsz,step_time\n"
                                  "4,8,1.0\n4,16,2.0\n4,32,4.0\n"
                                  "22,16,3.0\n22,32,8.0\n22,64,9.0\n112,8,1.5\n24,8,1\n")
                  .ok());
  EXPECT_EQ(times.slowdown("m", Gpus{2, 2}),
            2.0);  // common are 16 and 32; the second is the middle
  EXPECT_EQ(times.slowdown("m", Gpus{1, 2, 1}), 1.5);  // a rotation of 112
  EXPECT_EQ(times.slowdown("m", Gpus{4}), 1.0);
  EXPECT_EQ(times.slowdown("m", Gpus{6}), 1.0);  // two of four, one of which has two
  EXPECT_EQ(times.slowdown("m", Gpus{3, 1}), std::nullopt);
  EXPECT_EQ(times.slowdown("other", Gpus{4}), std::nullopt);
}

TEST(StepTimes, interpolatesWhatIsBeyondFourNodes) {
  StepTimes times;
  ASSERT_TRUE(times.add_placements("m", "p.csv", "placement,local_bsz,step_time\n44,8,1.0\n").ok());
  ASSERT_TRUE(times
                  .add_scalability("m", "s.csv",
                                   "num_nodes,num_replicas,local_bsz,step_time\n"
                                   "6,6,8,2.0\n6,12,8,8.0\n8,8,8,3.0\n16,16,8,5.0\n")
                  .ok());
  EXPECT_EQ(times.slowdown("m", Gpus{1, 1, 1, 1, 1, 1, 1, 1}), 3.0);
  EXPECT_EQ(times.slowdown("m", Gpus{2, 2, 1, 1, 1, 1}), 4.0);  // 8 of 6..12 GPUs
  EXPECT_EQ(times.slowdown("m", Gpus{2, 2, 2, 1, 1}), 4.0);     // five nodes are nearest to six
}

TEST(StepTimes, saysWhereAProfileIsWrong) {
  struct Case {
    const char* text;
    const char* problem;
  };
  const Case cases[] = {
      {"placement,local_bsz\n", "p:1: there is no column 'step_time'"},
      {"placement,local_bsz,step_time\n5,1,1\n",
       "p:2: column 'placement': expected one to four digits from 1 to 4"},
      {"placement,local_bsz,step_time\n4,0,1\n",
       "p:2: column 'local_bsz': expected a whole number from 1 to 1000000, found '0'"},
      {"placement,local_bsz,step_time\n4,1,-1\n",
       "p:2: column 'step_time': expected seconds, found '-1'"},
  };
  for (const Case& each : cases) {
    StepTimes times;
    const Status read = times.add_placements("m", "p", each.text);
    ASSERT_FALSE(read.ok()) << each.text;
    EXPECT_EQ(read.error().message, each.problem) << each.text;
  }
}

TEST(StepTimes, haveTheMeasuredTableWhereItIsAtHand) {
  const char* const given = std::getenv("TUTTI_TRACES");
  const std::filesystem::path folder =
      std::filesystem::path(given != nullptr ? given : "../shared/data/traces") /
      "placement-sensitivity";
  if (!std::filesystem::exists(folder)) GTEST_SKIP() << "no " << folder;
  struct Row {
    Gpus place;
    double bert, cifar10, deepspeech2, imagenet, ncf, yolov3;
  };
  const Row rows[] = {{{1, 1}, 1.96, 1.02, 1.09, 1.01, 1.83, 2.27},
                      {{2, 2}, 2.83, 1.29, 1.23, 1.23, 3.04, 2.48},
                      {{1, 3}, 2.72, 1.27, 1.20, 1.21, 2.01, 2.51},
                      {{1, 1, 2}, 1.73, 1.13, 1.03, 0.97, 1.75, 1.65},
                      {{1, 1, 1, 1}, 1.77, 1.19, 1.07, 0.97, 1.74, 1.56},
                      {{2, 2, 2, 2}, 0.61, 0.81, 0.81, 0.83, 0.71, 0.62}};
  const std::pair<const char*, double Row::*> models[] = {
      {"bert", &Row::bert},         {"cifar10", &Row::cifar10}, {"deepspeech2", &Row::deepspeech2},
      {"imagenet", &Row::imagenet}, {"ncf", &Row::ncf},         {"yolov3", &Row::yolov3}};
  for (const auto& [model, column] : models) {
    StepTimes times;
    for (const bool places : {true, false}) {
      const auto path = folder / ("pollux_" + std::string(model) +
                                  (places ? "_placements.csv.gz" : "_scalability.csv.gz"));
      std::ifstream file(path, std::ios::binary);
      std::stringstream bytes;
      bytes << file.rdbuf();
      auto text = unpacked(bytes.str());
      ASSERT_TRUE(text.ok());
      const Status added = places ? times.add_placements(model, path.string(), *std::move(text))
                                  : times.add_scalability(model, path.string(), *std::move(text));
      ASSERT_TRUE(added.ok()) << added.error().message;
    }
    for (const Row& row : rows) {
      constexpr double kHalfDigit = 0.00501;
      EXPECT_NEAR(times.slowdown(model, row.place).value_or(0), row.*column, kHalfDigit) << model;
    }
    EXPECT_GT(times.slowdown(model, Gpus(8, 1)).value_or(0), 0) << model;
    EXPECT_GT(times.slowdown(model, Gpus(10, 4)).value_or(0), 0) << model;
  }
}

}  // namespace
}  // namespace tutti::trace
