#include "base/time.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace tutti {
namespace {

TEST(Duration, readsGoSyntax) {
  struct Case {
    std::string_view text;
    std::int64_t millis;
  };
  const std::vector<Case> cases = {
      {"0", 0},
      {"-0", 0},
      {"+0", 0},
      {"0s", 0},
      {"1s", 1000},
      {"-5s", -5000},
      {"+5s", 5000},
      {"500ms", 500},
      {"1.5s", 1500},
      {".5s", 500},
      {"1.s", 1000},
      {"2m", 120'000},
      {"1h30m", 5'400'000},
      {"1h15m30.918s", 4'530'918},
      {"30m1h", 5'400'000},
      {"1s1s", 2000},
      {"0.5h", 1'800'000},
      {"1us", 0},
      {"1500us", 1},
      {"1500\u00b5s", 1},
      {"1500\u03bcs", 1},
      {"-1999us", -1},
      {"999999ns", 0},
      {"500us500us", 1},
      {"0.3333333333333333333333h", 1'199'999},
      {"0.00000000000000000000000000001h", 0},
      {"2562047h47m16.854s", 9'223'372'036'854},
      {"9223372036854775807ns", 9'223'372'036'854},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto parsed = parse_duration(c.text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(parsed->count(), c.millis);
  }
}

TEST(Duration, refusesBadTextAndSaysWhy) {
  const std::vector<std::array<std::string, 2>> cases = {
      {"", "has no digits"},
      {"-", "has no digits"},
      {"s", "has no digits"},
      {".s", "has no digits"},
      {"+-5s", "has no digits"},
      {" 5s", "has no digits"},
      {"3", "lacks a unit"},
      {"1h30", "lacks a unit"},
      {"1.5", "lacks a unit"},
      {"00", "lacks a unit"},
      {"1d", "has an unknown unit"},
      {"5 s", "has an unknown unit"},
      {"1S", "has an unknown unit"},
      {"1h-5m", "has an unknown unit"},
      {"1..5s", "has an unknown unit"},
      {"9223372036854775808ns", "is too long"},
      {"92233720368547758070ns", "is too long"},
      {"99999999999999999999999ns", "is too long"},
      {"2562048h", "is too long"},
      {"2562047h47m16.9s", "is too long"},
      {"99999999999999999999999s", "is too long"},
      {"2562047.9999999h", "is too long"},
  };
  for (const auto& [text, why] : cases) {
    SCOPED_TRACE("text '" + text + "'");
    const auto parsed = parse_duration(text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().message, "duration '" + text + "' " + why);
  }
}

TEST(Duration, isWrittenAsGoWritesIt) {
  struct Case {
    std::int64_t millis;
    std::string_view text;
  };
  const std::vector<Case> cases = {
      {0, "0s"},
      {1, "1ms"},
      {500, "500ms"},
      {-500, "-500ms"},
      {1000, "1s"},
      {1500, "1.5s"},
      {1050, "1.05s"},
      {60'000, "1m0s"},
      {120'000, "2m0s"},
      {60'500, "1m0.5s"},
      {3'600'000, "1h0m0s"},
      {5'400'000, "1h30m0s"},
      {-4'530'918, "-1h15m30.918s"},
      {360'000'000, "100h0m0s"},
      {INT64_MIN, "-2562047788015h12m55.808s"},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(format_duration(Millis(c.millis)), c.text);
  }
}

RC_GTEST_PROP(DurationProperty, survivesItsText, ()) {
  const Millis duration(*rc::gen::inRange<std::int64_t>(-9'000'000'000'000, 9'000'000'000'000));
  const auto parsed = parse_duration(format_duration(duration));
  RC_ASSERT(parsed.ok());
  RC_ASSERT(*parsed == duration);
}

TEST(Rfc3339, readsInstantsInAnyOffset) {
  struct Case {
    std::string_view text;
    std::int64_t millis;
  };
  const std::vector<Case> cases = {
      {"1970-01-01T00:00:00Z", 0},
      {"1970-01-01T00:00:00.001Z", 1},
      {"1970-01-01T00:00:00.0019999Z", 1},
      {"1970-01-01T00:00:00.5Z", 500},
      {"1969-12-31T23:59:59.25Z", -750},
      {"1970-01-01T02:00:00+02:00", 0},
      {"1969-12-31T18:30:00-05:30", 0},
      {"1970-01-01T00:00:00-00:00", 0},
      {"2000-02-29T12:00:00Z", 951'825'600'000},
      {"2024-02-29T00:00:00Z", 1'709'164'800'000},
      {"2026-11-15T21:30:00Z", 1'794'778'200'000},
      {"0000-01-01T00:00:00Z", -62'167'219'200'000},
      {"9999-12-31T23:59:59.999Z", 253'402'300'799'999},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    const auto parsed = parse_rfc3339(c.text);
    ASSERT_TRUE(parsed.ok()) << parsed.error().message;
    EXPECT_EQ(parsed->time_since_epoch().count(), c.millis);
  }
}

TEST(Rfc3339, refusesWhatIsNotAnInstant) {
  const std::string form = "is not in the form 2006-01-02T15:04:05Z";
  const std::string day = "names a day that does not exist";
  const std::string clock = "names a time of day that does not exist";
  const std::vector<std::array<std::string, 2>> cases = {
      {"", form},
      {"2026-11-15", form},
      {"2026-11-15T21:30:00", form},
      {"2026-11-15T21:30Z", form},
      {"2026-11-15 21:30:00Z", form},
      {"2026-11-15t21:30:00z", form},
      {"2026-11-15T21:30:00.Z", form},
      {"2026-11-15T21:30:00,5Z", form},
      {"2026-11-15T21:30:00Z ", form},
      {" 2026-11-15T21:30:00Z", form},
      {"2026-11-15T21:30:00+0200", form},
      {"2026-11-15T21:30:00+02", form},
      {"2026-11-15T21:30:00Z+02:00", form},
      {"2026-1-15T21:30:00Z", form},
      {"-026-01-15T21:30:00Z", form},
      {"12026-01-15T21:30:00Z", form},
      {"2026-00-15T21:30:00Z", day},
      {"2026-13-15T21:30:00Z", day},
      {"2026-11-00T21:30:00Z", day},
      {"2026-11-31T21:30:00Z", day},
      {"2026-02-29T21:30:00Z", day},
      {"2100-02-29T21:30:00Z", day},
      {"2026-11-15T24:00:00Z", clock},
      {"2026-11-15T21:60:00Z", clock},
      {"2026-11-15T21:30:60Z", clock},
      {"2026-11-15T21:30:00+24:00", clock},
      {"2026-11-15T21:30:00+02:60", clock},
  };
  for (const auto& [text, why] : cases) {
    SCOPED_TRACE("text '" + text + "'");
    const auto parsed = parse_rfc3339(text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().message, "time '" + text + "' " + why);
  }
}

TEST(Rfc3339, isWrittenInUtc) {
  const Instant instant{Millis(1'794'778'200'123)};
  EXPECT_EQ(format_rfc3339(instant), "2026-11-15T21:30:00Z");
  EXPECT_EQ(format_rfc3339_micro(instant), "2026-11-15T21:30:00.123000Z");
  EXPECT_EQ(format_rfc3339_micro(Instant(Millis(-1))), "1969-12-31T23:59:59.999000Z");
  EXPECT_EQ(format_rfc3339(Instant(Millis(-1))), "1969-12-31T23:59:59Z");
}

RC_GTEST_PROP(Rfc3339Property, survivesItsText, ()) {
  const Instant instant{
      Millis(*rc::gen::inRange<std::int64_t>(-62'167'219'200'000, 253'402'300'800'000))};
  const auto parsed = parse_rfc3339(format_rfc3339_micro(instant));
  RC_ASSERT(parsed.ok());
  RC_ASSERT(*parsed == instant);
}

TEST(Time, endsInsteadOfOverflowing) {
  using std::chrono::seconds;
  const Instant start = *parse_rfc3339("2026-01-01T00:00:00Z");

  EXPECT_EQ(later(start, seconds{90}), start + seconds{90});
  EXPECT_EQ(later(start, Millis{90}), start + Millis{90});
  EXPECT_EQ(later(start, seconds{-90}), start - seconds{90});
  EXPECT_EQ(later(start, seconds::max()), kEndOfTime);
  EXPECT_EQ(later(start, Millis::max()), kEndOfTime);
  EXPECT_EQ(format_rfc3339(kEndOfTime), "9999-12-31T23:59:59Z");
  EXPECT_LT(later(start, seconds::min()), start);
}

}  // namespace
}  // namespace tutti
