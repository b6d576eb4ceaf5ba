#include "sim/controllers/cron_schedule.h"

#include <gtest/gtest.h>

#include <string>

namespace tutti::sim {
namespace {

std::string next(std::string_view schedule, std::string_view after) {
  const auto parsed = CronSchedule::parse(schedule);
  if (!parsed.ok()) return parsed.error().message;
  const auto when = parsed->next(*parse_rfc3339(std::string(after)));
  return when ? format_rfc3339(*when) : "never";
}

TEST(CronSchedule, namesTheNextTime) {
  const struct {
    std::string_view schedule, after, next;
  } cases[] = {
      {"* * * * *", "2026-01-01T00:00:00Z", "2026-01-01T00:01:00Z"},
      {"*/15 * * * *", "2026-01-01T00:15:01Z", "2026-01-01T00:30:00Z"},
      {"5/20 * * * *", "2026-01-01T00:26:00Z", "2026-01-01T00:45:00Z"},
      {"0 8-18/5 * * *", "2026-01-01T09:00:00Z", "2026-01-01T13:00:00Z"},
      {"30 6 * * Mon-FRI", "2026-01-02T07:00:00Z", "2026-01-05T06:30:00Z"},
      {"0 0 13 * 5", "2026-01-03T00:00:00Z", "2026-01-09T00:00:00Z"},
      {"0 0 1,15 feb ?", "2026-02-01T00:00:00Z", "2026-02-15T00:00:00Z"},
      {"0 0 29 2 *", "2026-01-01T00:00:00Z", "2028-02-29T00:00:00Z"},
      {"0 0 31 2 *", "2026-01-01T00:00:00Z", "never"},
      {"@daily", "2026-12-31T12:00:00Z", "2027-01-01T00:00:00Z"},
      {"@every 90m", "2026-01-01T00:10:00Z", "2026-01-01T01:40:00Z"},
  };
  for (const auto& [schedule, after, expected] : cases) {
    EXPECT_EQ(next(schedule, after), expected) << schedule;
  }
}

TEST(CronSchedule, saysWhatIsWrong) {
  EXPECT_EQ(next("* * * *", "2026-01-01T00:00:00Z"),
            "'* * * *' is no schedule: it needs five fields");
  EXPECT_EQ(next("61 * * * *", "2026-01-01T00:00:00Z"),
            "'61 * * * *' is no schedule: '61' is no minute");
  EXPECT_EQ(next("0 5-3 * * *", "2026-01-01T00:00:00Z"),
            "'0 5-3 * * *' is no schedule: '5-3' is no hour");
  EXPECT_EQ(next("@every never", "2026-01-01T00:00:00Z"),
            "'@every never' is no schedule: @every needs a duration of a second or more");
}

}  // namespace
}  // namespace tutti::sim
