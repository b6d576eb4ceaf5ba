#include "cli/command_line.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

namespace tutti::cli {
namespace {

struct Outcome {
  ExitCode code;
  std::string out;
  std::string err;
};

Outcome tutti(const std::vector<std::string>& arguments, const std::string& input = {},
              terminal::Interrupts interrupts = {}) {
  std::istringstream in(input);
  std::ostringstream out;
  std::ostringstream err;
  terminal::Streams streams{in, out, err, {}, {}, std::move(interrupts)};
  const ExitCode code = execute(arguments, streams);
  return {code, out.str(), err.str()};
}

constexpr const char* kScene = R"(
apiVersion: v1
kind: Node
metadata: {name: n1}
status: {allocatable: {cpu: "4", memory: 8Gi, pods: "110"}}
---
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: t}
spec: {containers: [{name: c, image: i, resources: {requests: {cpu: "1"}}}]}
)";

TEST(CommandLine, hasHelpWithAnExampleForEveryCommand) {
  for (const std::string command : {"run", "explain", "help", "version"}) {
    SCOPED_TRACE(command);
    const Outcome help = tutti({command, "--help"});
    EXPECT_EQ(help.code, ExitCode::done);
    EXPECT_NE(help.out.find("Example"), std::string::npos);
    EXPECT_EQ(help.err, "");
    EXPECT_EQ(tutti({"help", command}).out, help.out);
  }
}

TEST(CommandLine, saysItsVersion) {
  EXPECT_TRUE(tutti({"--version"}).out.starts_with("tutti 0."));
  EXPECT_EQ(tutti({"version"}).out, tutti({"--version"}).out);
}

TEST(CommandLine, refusesWhatItDoesNotKnowWithoutTouchingStandardOutput) {
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"rum"},
                                             {"rum", "--help"},
                                             {"help", "rum"},
                                             {"run", "-f", "-", "--seed", "-1"},
                                             {"run", "-f", "-", "--seed", "99999999999999999999"},
                                             {"run", "-f", "-", "--kinds", "pods"},
                                             {"run"},
                                             {"run", "-f", "-", "-o", "xml"},
                                             {"run", "-f", "-", "--until", "soon"},
                                             {"run", "-f", "-", "--until", "-5s"},
                                             {"run", "-f", "-", "--nonsense"},
                                             {"explain", "-f", "-"}}) {
    SCOPED_TRACE(arguments.back());
    const Outcome refused = tutti(arguments);
    EXPECT_EQ(refused.code, ExitCode::bad_input);
    EXPECT_EQ(refused.out, "");
    EXPECT_NE(refused.err.find("--help"), std::string::npos);
  }
}

TEST(CommandLine, namesTheCommandThatDoesNotExist) {
  EXPECT_EQ(tutti({"enact", "-f", "x.yaml"}).err,
            "tutti: there is no command 'enact'\nTry 'tutti --help'.\n");
}

TEST(RunCommand, placesAPodAndShowsIt) {
  const Outcome shown = tutti({"run", "-f", "-"}, kScene);

  EXPECT_EQ(shown.code, ExitCode::done);
  EXPECT_NE(shown.out.find("t/a  n1    Running"), std::string::npos) << shown.out;
  EXPECT_EQ(shown.err, "");
}

TEST(RunCommand, printsTheSameWhenItChecksItself) {
  const Outcome checked = tutti({"run", "-f", "-", "-o", "json", "--check"}, kScene);

  EXPECT_EQ(checked.code, ExitCode::done) << checked.err;
  EXPECT_EQ(checked.out, tutti({"run", "-f", "-", "-o", "json"}, kScene).out);
}

TEST(RunCommand, printsTheSameBytesForTheSameInput) {
  const std::vector<std::string> arguments = {"run", "-f", "-", "-o", "yaml", "--seed", "7"};

  EXPECT_EQ(tutti(arguments, kScene).out, tutti(arguments, kScene).out);
}

TEST(RunCommand, refusesAnInvalidObjectByNameAndField) {
  const Outcome refused = tutti(
      {"run", "-f", "-"}, "apiVersion: v1\nkind: Pod\nmetadata: {name: a}\nspec: {containers: []}");

  EXPECT_EQ(refused.code, ExitCode::bad_input);
  EXPECT_NE(refused.err.find("standard input:1"), std::string::npos) << refused.err;
  EXPECT_NE(refused.err.find("spec.containers"), std::string::npos) << refused.err;
}

TEST(RunCommand, showsProgressOnStandardErrorOnly) {
  std::istringstream in(kScene);
  std::ostringstream out;
  std::ostringstream err;
  Millis now{0};
  terminal::Streams streams{in, out, err, {}, [&] { return now += Millis(5000); }};

  EXPECT_EQ(execute({"run", "-f", "-"}, streams), ExitCode::done);
  EXPECT_EQ(out.str(), tutti({"run", "-f", "-"}, kScene).out);
  EXPECT_NE(err.str().find("reading manifests: 2 objects\r"), std::string::npos) << err.str();
  EXPECT_NE(err.str().find("virtual time 0s, 1 of 1 pod placed"), std::string::npos) << err.str();
  EXPECT_TRUE(err.str().ends_with("\r\x1b[K")) << err.str();
}

TEST(RunCommand, judgesKindsBeforeItRuns) {
  const std::string timeline = testing::TempDir() + "tutti-kinds.jsonl";
  std::filesystem::remove(timeline);

  const Outcome refused =
      tutti({"run", "-f", "-", "-o", "json", "--kinds", "foo", "--timeline", timeline}, kScene);

  EXPECT_EQ(refused.code, ExitCode::bad_input);
  EXPECT_FALSE(std::filesystem::exists(timeline));
}

TEST(RunCommand, showsNoControlCharacters) {
  const Outcome shown = tutti({"run", "-f", "-"}, R"(
apiVersion: v1
kind: Pod
metadata: {name: a, namespace: t}
spec: {schedulerName: "x\e[2J\ny", containers: [{name: c, image: i}]}
)");

  EXPECT_EQ(shown.code, ExitCode::done);
  EXPECT_NE(shown.out.find("x\\x1b[2J\\ny"), std::string::npos) << shown.out;
  EXPECT_EQ(shown.out.find('\x1b'), std::string::npos);
}

TEST(ExplainCommand, takesItsObjectAndPathsInAnyOrder) {
  const std::string node = testing::TempDir() + "tutti-order-node.yaml";
  std::ofstream(node) << "apiVersion: v1\nkind: Node\nmetadata: {name: n9}\n";
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{"explain", "-f", "-", "pod/a", "-n", "t"},
                                             {"explain", "pod/a", "-n", "t", "-f", "-"},
                                             {"explain", "-n", "t", "-f", "-", "-f", node, "pod/a"},
                                             {"explain", "-n", "t", "-f", "-", node, "pod/a"},
                                             {"explain", "pod/a", "-n", "t", "-f", "-", node}}) {
    SCOPED_TRACE(arguments.back());
    const Outcome said = tutti(arguments, kScene);
    EXPECT_EQ(said.code, ExitCode::done) << said.err;
  }
  std::filesystem::remove(node);
}

TEST(RunCommand, takesSeveralPathsAfterOneOption) {
  const std::string node = testing::TempDir() + "tutti-several-node.yaml";
  std::ofstream(node) << "apiVersion: v1\nkind: Node\nmetadata: {name: n9}\n";
  EXPECT_NE(tutti({"run", "-f", "-", node}, kScene).out.find("2 nodes"), std::string::npos);
  EXPECT_NE(tutti({"run", "-f", "-", "-f", node}, kScene).out.find("2 nodes"), std::string::npos);
  std::filesystem::remove(node);
}

TEST(ExplainCommand, saysThatARunningPodRuns) {
  const Outcome said = tutti({"explain", "pod/a", "-n", "t", "-f", "-", "-o", "json"}, kScene);

  EXPECT_EQ(said.code, ExitCode::done);
  EXPECT_NE(said.out.find("\"state\": \"Running\""), std::string::npos) << said.out;
}

TEST(CommandLine, printsHowFarARunCameThatIsInterrupted) {
  const std::string later = std::string(kScene) + R"(---
apiVersion: v1
kind: Pod
metadata: {name: b, namespace: t, annotations: {tutti.dev/at: 1h}}
spec: {containers: [{name: c, image: i}]}
)";
  int asked = 0;
  const Outcome outcome =
      tutti({"run", "-f", "-"}, later, {.listen = [] {}, .came = [&] { return ++asked > 3; }});
  EXPECT_EQ(outcome.code, ExitCode::failed);
  EXPECT_NE(outcome.out.find("t/a"), std::string::npos) << outcome.out;
  EXPECT_NE(outcome.err.find("interrupted at 0s of virtual time"), std::string::npos)
      << outcome.err;
}

TEST(CommandLine, checksSeveralFilesOfExpectationsAndWritesThemForCi) {
  const auto folder = std::filesystem::path(testing::TempDir());
  const auto path = [&](const char* name) { return (folder / name).string(); };
  std::ofstream(path("tutti-one.yaml")) << "- {pod: t/a, bound: true}\n";
  std::ofstream(path("tutti-two.yaml")) << "- {pod: t/a, node: n1}\n- {pod: t/a, node: n2}\n";
  const Outcome outcome = tutti({"run", "-f", "-", "--expect", path("tutti-one.yaml"),
                                 path("tutti-two.yaml"), "--junit", path("tutti-junit.xml")},
                                kScene);
  EXPECT_EQ(outcome.code, ExitCode::unexpected);
  EXPECT_NE(outcome.err.find("tutti-one.yaml: 1 expectation met\n"), std::string::npos)
      << outcome.err;
  EXPECT_NE(outcome.err.find("tutti-two.yaml:2: pod t/a: expected node n2, but it is on n1\n"),
            std::string::npos);
  EXPECT_NE(outcome.err.find("tutti-two.yaml: 1 difference in 2 expectations\n"),
            std::string::npos);
  std::ifstream junit(path("tutti-junit.xml"));
  const std::string xml{std::istreambuf_iterator<char>(junit), {}};
  EXPECT_NE(xml.find("tests=\"2\" failures=\"1\""), std::string::npos) << xml;
}

}  // namespace
}  // namespace tutti::cli
