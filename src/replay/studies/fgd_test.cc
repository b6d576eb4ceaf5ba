// Against the published results, where the traces are beside the repository or TUTTI_TRACES names
// their folder.
#include "replay/studies/fgd.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "trace/gzip.h"
#include "trace/read.h"

namespace tutti::replay {
namespace {

std::filesystem::path traces() {
  const char* const given = std::getenv("TUTTI_TRACES");
  return given != nullptr ? given : "../shared/data/traces";
}

std::string bytes_of(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream bytes;
  bytes << in.rdbuf();
  return bytes.str();
}

class FgdTest : public ::testing::Test {
 protected:
  void SetUp() override {
    const auto lists = traces() / "alibaba-openb-2023";
    const auto expected = traces() / "fgd-expected-results/analysis_allo_discrete.csv.gz";
    if (!std::filesystem::exists(lists) || !std::filesystem::exists(expected)) {
      GTEST_SKIP() << "no traces in " << traces() << "; TUTTI_TRACES names their folder";
    }
    auto pods =
        trace::read_trace({{"pods", bytes_of(lists / "openb_pod_list_default.csv.gz")}}, {});
    ASSERT_TRUE(pods.ok()) << pods.error().message;
    pods_ = std::move(pods->jobs);
    std::ranges::sort(pods_, {}, &trace::Job::id);
    auto nodes =
        trace::read_nodes({{"nodes", bytes_of(lists / "openb_node_list_gpu_node.csv.gz")}}, {});
    ASSERT_TRUE(nodes.ok()) << nodes.error().message;
    nodes_ = std::move(nodes->nodes);
    std::ranges::sort(nodes_, {}, &trace::Node::name);
    auto csv = trace::unpacked(bytes_of(expected));
    ASSERT_TRUE(csv.ok()) << csv.error().message;
    auto published = FgdPublished::read("expected", *std::move(csv));
    ASSERT_TRUE(published.ok()) << published.error().message;
    published_ = *std::move(published);
  }

  std::vector<trace::Job> pods_;
  std::vector<trace::Node> nodes_;
  FgdPublished published_;
};

TEST_F(FgdTest, drawsTheArrivalsOfTheArtifact) {
  const FgdArrivals arrivals = fgd_arrivals(pods_, nodes_, 42);
  EXPECT_EQ(arrivals.pods.size(), 10866U);
  EXPECT_EQ(arrivals.ranks.size(), 1213U);
}

// One seed of each policy; `tutti simulate --study fgd` runs all of them.
TEST_F(FgdTest, reproducesThePublishedRatios) {
  for (const std::string_view name : fgd_policies()) {
    const Result<Policy> policy = parse_policy(name);
    ASSERT_TRUE(policy.ok()) << policy.error().message;
    const FgdRun run = run_fgd("default", pods_, nodes_, *policy, 42);
    EXPECT_EQ(run.problem, "");
    const std::optional<double> published = published_.ratio("default", name, 42);
    ASSERT_TRUE(published.has_value()) << name;
    // Random draws are the artifact's own, and not to be had again.
    const double tolerance = name == "random" ? 1.5 : 0.001;
    EXPECT_NEAR(run.ratio(), *published, tolerance) << name;
  }
}

}  // namespace
}  // namespace tutti::replay
