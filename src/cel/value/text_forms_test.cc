// Values and their texts: versions, addresses, times, numbers, UTF-8.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "cel/value/network.h"
#include "cel/value/number_text.h"
#include "cel/value/semver.h"
#include "cel/value/time_text.h"
#include "cel/value/utf8.h"

namespace tutti::cel {
namespace {

// The order of semver.org's own example.
TEST(CelSemver, ordersByPrecedence) {
  const std::vector<std::string> ascending = {"1.0.0-alpha", "1.0.0-alpha.1", "1.0.0-alpha.beta",
                                              "1.0.0-beta",  "1.0.0-beta.2",  "1.0.0-beta.11",
                                              "1.0.0-rc.1",  "1.0.0",         "1.9.9",
                                              "1.10.0",      "2.0.0"};
  for (std::size_t i = 1; i < ascending.size(); ++i) {
    SCOPED_TRACE(ascending[i]);
    EXPECT_LT(*Semver::parse(ascending[i - 1]), *Semver::parse(ascending[i]));
  }
}

TEST(CelSemver, refusesWhatIsNotOne) {
  for (const char* text : {"", "1", "1.2", "1.2.3.4", "v1.2.3", "01.2.3", "1.2.3-", "1.2.3-01",
                           "1.2.3+", "1.2.3-a..b", "1.2.3 ", "1.2.18446744073709551616"}) {
    SCOPED_TRACE(text);
    EXPECT_FALSE(Semver::parse(text).ok());
  }
}

TEST(CelSemver, normalizesOnRequest) {
  EXPECT_EQ(Semver::parse_normalized("v01.002-rc")->text(), "1.2.0-rc");
  EXPECT_EQ(Semver::parse_normalized("7")->text(), "7.0.0");
  EXPECT_FALSE(Semver::parse_normalized("v").ok());
  EXPECT_FALSE(Semver::parse_normalized("1.2.3.4").ok());
}

TEST(CelNetwork, writesAddressesCanonically) {
  const auto canonical = [](std::string_view text) {
    const auto address = IpAddress::parse(text);
    return address ? address->text() : "none";
  };
  EXPECT_EQ(canonical("10.0.0.1"), "10.0.0.1");
  EXPECT_EQ(canonical("2001:DB8:0:0:0:0:0:1"), "2001:db8::1");
  EXPECT_EQ(canonical("::"), "::");
  EXPECT_EQ(canonical("1:0:0:2:0:0:0:3"), "1:0:0:2::3");
  for (const char* wrong : {"", "1.2.3", "1.2.3.256", "01.2.3.4", ":::", "1::2::3", "1:2:3:4:5:6:7",
                            "1:2:3:4:5:6:7:8:9", "fe80::1%eth0", "g::", "12345::"}) {
    SCOPED_TRACE(wrong);
    EXPECT_EQ(canonical(wrong), "none");
  }
}

TEST(CelTime, readsAndWritesTimestamps) {
  const auto point = parse_timestamp("2009-02-13T23:31:30.5+01:00");
  ASSERT_TRUE(point);
  EXPECT_EQ(timestamp_text(*point), "2009-02-13T22:31:30.5Z");
  for (const char* wrong :
       {"", "2009-02-13", "2009-02-30T00:00:00Z", "2009-02-13T24:00:00Z", "2009-02-13T23:31:30",
        "2009-02-13T23:31:30.Z", "0000-01-01T00:00:00Z"}) {
    SCOPED_TRACE(wrong);
    EXPECT_FALSE(parse_timestamp(wrong));
  }
}

TEST(CelTime, readsAndWritesDurations) {
  const auto text = [](std::string_view duration) {
    const auto nanos = parse_duration_nanos(duration);
    return nanos ? duration_text(*nanos) : "none";
  };
  EXPECT_EQ(text("1h30m"), "5400s");
  EXPECT_EQ(text("-1.5s"), "-1.5s");
  EXPECT_EQ(text("-500ms"), "-0.5s");
  EXPECT_EQ(text("1us"), "0.000001s");
  EXPECT_EQ(text("0"), "0s");
  for (const char* wrong : {"", "1", "s", "1x", "1h ", "300y", "9223372037s"}) {
    SCOPED_TRACE(wrong);
    EXPECT_EQ(text(wrong), "none");
  }
}

TEST(CelNumbers, areWrittenAsGoWritesThem) {
  EXPECT_EQ(real_text(123.456), "123.456");
  EXPECT_EQ(real_text(1e6), "1e+06");
  EXPECT_EQ(real_text(0.00001), "1e-05");
  EXPECT_EQ(real_text(-0.0), "-0");
  EXPECT_EQ(plain_real_text(1e21), "1000000000000000000000");
  EXPECT_EQ(parse_real("+1.5e3"), 1500.0);
  EXPECT_EQ(parse_real("1e-999"), 0.0);
  EXPECT_FALSE(parse_real("1e999"));
  EXPECT_FALSE(parse_real("--1"));
  EXPECT_FALSE(parse_real(""));
}

TEST(CelUtf8, isCheckedStrictly) {
  EXPECT_TRUE(is_utf8("a\xC3\xBF\xE2\x82\xAC\xF0\x9F\x98\x80"));
  for (const std::string text : {"\x80", "\xC3", "\xC0\x80", "\xED\xA0\x80", "\xF4\x90\x80\x80",
                                 "\xF5\x80\x80\x80", "\xE2\x82"}) {
    EXPECT_FALSE(is_utf8(text));
  }
  EXPECT_EQ(code_point_count("a\xE2\x82\xAC"), 2U);
  EXPECT_EQ(code_point_offset("a\xE2\x82\xAC", 2), 4U);
}

}  // namespace
}  // namespace tutti::cel
