#include "telemetry/process_figures.h"

#include <string>

#include <gtest/gtest.h>

namespace tutti::telemetry {
namespace {

constexpr std::string_view kSystem = "cpu  1 2 3\nbtime 1700000000\nprocesses 7\n";

std::string process_named(const std::string& command) {
  return "42 (" + command +
         ") S 1 42 42 0 -1 4194304 500 0 3 0 250 150 0 0 20 0 1 0 1000 300000000 2000 "
         "18446744073709551615 1 1 0\n";
}

TEST(ProcessFigures, areReadFromTheKernelsText) {
  const auto figures =
      parse_process_stat(process_named("tutti"), kSystem, {.ticks_per_second = 100});
  ASSERT_TRUE(figures.ok());
  EXPECT_DOUBLE_EQ(figures->cpu_seconds, 4.0);
  EXPECT_DOUBLE_EQ(figures->start_time_seconds, 1'700'000'010.0);
  EXPECT_EQ(figures->virtual_bytes, 300'000'000U);
  EXPECT_EQ(figures->resident_bytes, 2000U * 4096U);
}

TEST(ProcessFigures, areNotMisledByTheCommand) {
  const auto figures = parse_process_stat(process_named("a) S 9 (b "), kSystem, {});
  ASSERT_TRUE(figures.ok());
  EXPECT_EQ(figures->virtual_bytes, 300'000'000U);
}

TEST(ProcessFigures, areRefusedWhenTheTextIsAnother) {
  EXPECT_FALSE(parse_process_stat("", kSystem, {}).ok());
  EXPECT_FALSE(parse_process_stat("42 (tutti) S 1 2", kSystem, {}).ok());
  EXPECT_FALSE(parse_process_stat(process_named("tutti"), "cpu 1\n", {}).ok());
}

TEST(ProcessFigures, ofThisProcessArePlausible) {
  const auto figures = read_process_figures();
  ASSERT_TRUE(figures.ok()) << figures.error().message;
  EXPECT_GT(figures->resident_bytes, 100'000U);
  EXPECT_GE(figures->virtual_bytes, figures->resident_bytes);
  EXPECT_GE(figures->open_fds, 1U);
  EXPECT_LE(figures->open_fds, figures->max_fds);
  EXPECT_GT(figures->start_time_seconds, 1'600'000'000.0);
}

TEST(ProcessFigures, areAnErrorWithoutAProcFileSystem) {
  EXPECT_FALSE(read_process_figures("/nonexistent").ok());
}

}  // namespace
}  // namespace tutti::telemetry
