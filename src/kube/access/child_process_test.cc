#include "kube/access/child_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>

#include "support/temp_folder.h"

namespace tutti::kube {
namespace {

using namespace std::chrono_literals;

Program shell(std::string script) {
  Program program;
  program.command = "sh";
  program.args = {"-c", std::move(script)};
  return program;
}

Result<ProgramEnd> run(const Program& program) {
  net::Loop loop;
  std::optional<Result<ProgramEnd>> answer;
  auto child = ChildProcess::start(loop, program, [&](Result<ProgramEnd> end) {
    answer = std::move(end);
    loop.stop();
  });
  if (!child.ok()) return std::move(child).error();
  loop.run();
  TUTTI_CHECK(answer.has_value());
  return *std::move(answer);
}

std::string failure_of(const Program& program) {
  const Result<ProgramEnd> end = run(program);
  EXPECT_FALSE(end.ok());
  return end.ok() ? "" : end.error().message;
}

TEST(ChildProcess, givesBothOutputsAndTheExitCode) {
  const Result<ProgramEnd> end = run(shell("echo out; echo err >&2; cat; exit 3"));

  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(end->out, "out\n");
  EXPECT_EQ(end->err, "err\n");
  EXPECT_EQ(end->exit_code, 3);
}

TEST(ChildProcess, takesOutputThatFillsThePipeManyTimes) {
  const Result<ProgramEnd> end = run(shell("head -c 300000 /dev/zero"));

  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(end->out.size(), 300'000U);
}

TEST(ChildProcess, addsToTheEnvironmentAndOverridesIt) {
  Program program = shell("echo \"$HOME $EXTRA ${PATH:+path}\"");
  program.env = {{"HOME", "/nowhere"}, {"EXTRA", "a=b c"}};

  const Result<ProgramEnd> end = run(program);

  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(end->out, "/nowhere a=b c path\n");
}

TEST(ChildProcess, inheritsNothingOpenButTheStandardThree) {
  const Result<ProgramEnd> end = run(shell("exec ls /proc/self/fd"));

  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(end->out, "0\n1\n2\n3\n") << "3 is the folder that ls reads";
}

TEST(ChildProcess, saysHowASignalEndedIt) {
  const Result<ProgramEnd> end = run(shell("kill -9 $$"));

  ASSERT_TRUE(end.ok()) << end.error().message;
  EXPECT_EQ(end->exit_code, 137);
}

TEST(ChildProcess, doesNotWaitForWhatItsChildLeftRunning) {
  const Result<ProgramEnd> end = run(shell("sleep 600 & echo $!"));

  ASSERT_TRUE(end.ok()) << end.error().message;
  ASSERT_FALSE(end->out.empty());
  static_cast<void>(run(shell("kill " + end->out)));
}

TEST(ChildProcess, isEndedWithAllItStartedWhenItTakesTooLong) {
  Program program = shell("sleep 600 & sleep 600");
  program.time_max = 50ms;

  EXPECT_EQ(failure_of(program), "did not end within 50ms");
}

TEST(ChildProcess, isEndedWhenItPrintsTooMuch) {
  Program program = shell("cat /dev/zero");
  program.output_max = std::size_t{64} << 10;

  EXPECT_EQ(failure_of(program), "printed more than 64 KiB");
}

TEST(ChildProcess, saysWhenThereIsNoSuchCommand) {
  Program program;
  program.command = "no-such-command-anywhere";
  EXPECT_EQ(failure_of(program), "no such command");

  const test::TempFolder folder;
  program.command = folder.write("not-executable", "");
  EXPECT_EQ(failure_of(program), "cannot be started: Permission denied");
}

TEST(ChildProcess, tellsNobodyWhenItIsGivenUp) {
  net::Loop loop;
  bool called = false;
  auto child = ChildProcess::start(loop, shell("sleep 600"), [&](const auto&) { called = true; });
  ASSERT_TRUE(child.ok());

  child->reset();
  loop.run();

  EXPECT_FALSE(called);
}

}  // namespace
}  // namespace tutti::kube
