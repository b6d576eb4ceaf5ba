// tutti simulate from the command line to its output.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "cli/command_line.h"

namespace tutti::cli {
namespace {

struct Simulated {
  ExitCode code;
  std::string out;
  std::string err;
};

constexpr const char* kJobs =
    "id,submit,duration,cpu,queue\n"
    "a,0,100,4,red\n"
    "b,10,50,2,blue\n"
    "c,20,50,2,blue\n";

Simulated simulated(const std::string& jobs, std::vector<std::string> more) {
  std::istringstream in(jobs);
  std::ostringstream out;
  std::ostringstream err;
  terminal::Streams streams{in, out, err, {}, {}, {}};
  std::vector<std::string> words = {"simulate", "--trace", "-"};
  words.insert(words.end(), more.begin(), more.end());
  const ExitCode code = execute(words, streams);
  return {code, out.str(), err.str()};
}

std::string text_of(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

TEST(Simulate, printsALineForEveryPolicy) {
  const Simulated table =
      simulated(kJobs, {"--topology", "host=1,cpu=4", "--policy", "default,first-fit"});
  EXPECT_EQ(table.code, ExitCode::done) << table.err;
  EXPECT_NE(table.out.find("Trace: standard input (generic, 3 rows"), std::string::npos)
      << table.out;
  EXPECT_NE(table.out.find("\ndefault "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("\nfirst-fit "), std::string::npos) << table.out;
  EXPECT_NE(table.out.find("56.7s"), std::string::npos) << table.out;  // (0 + 90 + 80) / 3
}

TEST(Simulate, givesTheSameDocumentAgain) {
  const std::vector<std::string> more = {"--topology", "host=2,cpu=4", "--policy", "random,default",
                                         "--seeds",    "1..3",         "-o",       "json"};
  const Simulated once = simulated(kJobs, more);
  EXPECT_EQ(once.code, ExitCode::done) << once.err;
  EXPECT_EQ(once.out, simulated(kJobs, more).out);
  for (const char* part : {"\"sha256\"", "\"byQueue\"", "\"comparisons\"", "\"pHolm\"",
                           "\"identityResidue\": 0.000000000"}) {
    EXPECT_NE(once.out.find(part), std::string::npos) << part;
  }
}

TEST(Simulate, writesARowForEveryJob) {
  const std::string path = testing::TempDir() + "/simulate_test_per_job.csv";
  std::filesystem::remove(path);
  const Simulated done = simulated(kJobs, {"--topology", "host=1,cpu=4", "--per-job", path});
  EXPECT_EQ(done.code, ExitCode::done) << done.err;
  EXPECT_EQ(text_of(path),
            "policy,seed,id,submit,start,end,wait,attempts,places\n"
            "default,0,a,0.000,0.000,100.000,0.000,1,h00:1\n"
            "default,0,b,10.000,100.000,150.000,90.000,1,h00:1\n"
            "default,0,c,20.000,100.000,150.000,80.000,1,h00:1\n");
  EXPECT_FALSE(std::filesystem::exists(path + ".part"));
  std::filesystem::remove(path);
}

TEST(Simulate, refusesWithOneLineAndWritesNothing) {
  struct Case {
    const char* jobs;
    std::vector<std::string> more;
    const char* problem;
  };
  const std::string path = testing::TempDir() + "/simulate_test_refused.csv";
  const Case cases[] = {
      {kJobs, {}, "give the cluster by --nodes FILE or --topology SPEC"},
      {kJobs, {"--topology", "rack=2"}, "--topology: expected host=N"},
      {kJobs, {"--topology", "host=1", "--policy", "fdg"}, "did you mean fgd?"},
      {kJobs, {"--topology", "host=1", "--policy", "start=soon"}, "there is no start rule 'soon'"},
      {kJobs, {"--topology", "host=1", "--nodes", "/dev/null"}, "give the cluster by"},
      {"id,submit\na,soon\n",
       {"--topology", "host=1"},
       "standard input:2: column 'submit': expected"},
      {"x\n1\n", {"--topology", "host=1"}, "those of no format that is known"},
      {kJobs, {"--topology", "host=1", "--seeds", "3..1"}, "--seeds"},
      {kJobs, {"--topology", "host=1", "--format", "cvs"}, "--format"},
  };
  for (const Case& each : cases) {
    std::vector<std::string> more = each.more;
    more.insert(more.end(), {"--per-job", path});
    const Simulated refused = simulated(each.jobs, more);
    EXPECT_EQ(refused.code, ExitCode::bad_input) << each.problem;
    EXPECT_EQ(refused.out, "") << each.problem;
    EXPECT_NE(refused.err.find(each.problem), std::string::npos) << refused.err;
    EXPECT_FALSE(std::filesystem::exists(path)) << each.problem;
    EXPECT_FALSE(std::filesystem::exists(path + ".part")) << each.problem;
  }
}

TEST(Simulate, saysWhereTheInputsOfAStudyAre) {
  std::istringstream in;
  std::ostringstream out;
  std::ostringstream err;
  terminal::Streams streams{in, out, err, {}, {}, {}};
  EXPECT_EQ(execute({"simulate", "--study", "fgd", "--traces", "/nowhere"}, streams),
            ExitCode::bad_input);
  EXPECT_NE(err.str().find("github alibaba/clusterdata"), std::string::npos) << err.str();
}

}  // namespace
}  // namespace tutti::cli
