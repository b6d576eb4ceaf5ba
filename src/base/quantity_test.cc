#include "base/quantity.h"

#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <array>
#include <limits>
#include <string>
#include <vector>

namespace tutti {
namespace {

__extension__ typedef __int128 Wide;

constexpr std::int64_t kMax = std::numeric_limits<std::int64_t>::max();
constexpr std::int64_t kMin = std::numeric_limits<std::int64_t>::min();

Quantity quantity(std::string_view text) {
  auto parsed = Quantity::parse(text);
  EXPECT_TRUE(parsed.ok()) << text;
  return parsed.ok() ? *parsed : Quantity();
}

TEST(Quantity, countsUnitsAndMilliUnits) {
  struct Case {
    std::string_view text;
    std::int64_t units;
    std::int64_t milli;
  };
  const std::vector<Case> cases = {
      {"0", 0, 0},
      {"7", 7, 7000},
      {"+7", 7, 7000},
      {"-7", -7, -7000},
      {"1.", 1, 1000},
      {".5", 1, 500},
      {"0.1", 1, 100},
      {"100m", 1, 100},
      {"1500m", 2, 1500},
      {"-1500m", -2, -1500},
      {"1n", 1, 1},
      {"-1n", -1, -1},
      {"1u", 1, 1},
      {"2500u", 1, 3},
      {"3k", 3000, 3'000'000},
      {"3M", 3'000'000, 3'000'000'000},
      {"3G", 3'000'000'000, 3'000'000'000'000},
      {"3T", 3'000'000'000'000, 3'000'000'000'000'000},
      {"3P", 3'000'000'000'000'000, 3'000'000'000'000'000'000},
      {"3E", 3'000'000'000'000'000'000, kMax},
      {"-3E", -3'000'000'000'000'000'000, kMin},
      {"1Ki", 1024, 1'024'000},
      {"1Mi", 1 << 20, (1LL << 20) * 1000},
      {"1.5Gi", 3LL << 29, (3LL << 29) * 1000},
      {"1Ti", 1LL << 40, (1LL << 40) * 1000},
      {"1Pi", 1LL << 50, (1LL << 50) * 1000},
      {"7Ei", 7LL << 60, kMax},
      {"0.5Ki", 512, 512'000},
      {"0.001Ki", 2, 1024},
      {"1e3", 1000, 1'000'000},
      {"1E3", 1000, 1'000'000},
      {"1e+3", 1000, 1'000'000},
      {"12.5e-1", 2, 1250},
      {"0e999999999999999999999", 0, 0},
      {"00012", 12, 12'000},
      {"9223372036854775807", kMax, kMax},
      {"-9223372036854775807", -kMax, kMin},
  };
  for (const Case& c : cases) {
    SCOPED_TRACE(c.text);
    EXPECT_EQ(quantity(c.text).units(), c.units);
    EXPECT_EQ(quantity(c.text).milli(), c.milli);
  }
}

TEST(Quantity, writesTheCanonicalText) {
  const std::vector<std::array<std::string_view, 2>> cases = {
      {"0", "0"},           {"-0", "0"},          {"0Ki", "0"},         {"0e3", "0"},
      {"1000m", "1"},       {"1500m", "1500m"},   {"0.5", "500m"},      {".5", "500m"},
      {"1.", "1"},          {"0.1", "100m"},      {"0.0001", "100u"},   {"0.0000001", "100n"},
      {"1000", "1k"},       {"1200", "1200"},     {"1.2k", "1200"},     {"120000", "120k"},
      {"1000k", "1M"},      {"1000000000", "1G"}, {"5000T", "5P"},      {"9000P", "9E"},
      {"-1000m", "-1"},     {"-0.25", "-250m"},   {"1.5Gi", "1536Mi"},  {"1024Ki", "1Mi"},
      {"1Ki", "1Ki"},       {"0.5Ki", "512"},     {"1.5Ki", "1536"},    {"1000Ki", "1000Ki"},
      {"1024Pi", "1Ei"},    {"-1024Ki", "-1Mi"},  {"0.001Ki", "1024m"}, {"2.0001Ki", "2048102400u"},
      {"1e3", "1e3"},       {"1E3", "1e3"},       {"1e2", "100"},       {"12e4", "120e3"},
      {"1e-3", "1e-3"},     {"1.5e0", "1500e-3"}, {"1e9", "1e9"},       {"1000e3", "1e6"},
      {"100e-9", "100e-9"},
  };
  for (const auto& [text, canonical] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(quantity(text).text(), canonical);
  }
}

TEST(Quantity, roundsWhatIsFinerThanANanoAwayFromZero) {
  const std::vector<std::array<std::string_view, 2>> cases = {
      {"0.1n", "1n"},
      {"-0.1n", "-1n"},
      {"1.0000000001n", "2n"},
      {"0.0000000011", "2n"},
      {"1.0000000000000000000000000000000000000000000000001", "1000000001n"},
      {"0.00000000000000000000000000000000000000000000001Ei", "1n"},
      {"1e-999999999999999999999", "1e-9"},
      {"3.000000000000n", "3n"},
  };
  for (const auto& [text, canonical] : cases) {
    SCOPED_TRACE(text);
    EXPECT_EQ(quantity(text).text(), canonical);
  }
}

TEST(Quantity, refusesMalformedTextAndNamesIt) {
  for (const std::string text :
       {"",      "+",   "-",   ".",   "m",    "Ki",    "e3",   "1 ",  " 1",   "1 Gi", "1,5",
        "1.2.3", "--1", "+-1", "1e",  "1e+",  "1e1.5", "1e3k", "1K",  "1KI",  "1ki",  "1g",
        "1i",    "1mi", "1EI", "1Zi", "0x10", "1_000", "NaN",  "inf", "200K", "1m1",  "1\n"}) {
    SCOPED_TRACE("text '" + text + "'");
    const auto parsed = Quantity::parse(text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_EQ(parsed.error().code, Error::Code::malformed);
    EXPECT_NE(parsed.error().message.find("'" + text + "'"), std::string::npos);
  }
}

TEST(Quantity, refusesWhatIsBeyondInt64UnitsInsteadOfCapping) {
  for (const std::string text :
       {"9223372036854775808", "-9223372036854775808", "9223372036854775807.1", "8Ei", "-8Ei",
        "10E", "99999999999999999999999999999999999999999999", "1e19", "1e999999999999999999999",
        "340282366920938463463374607431768211457", "0.001e22", "100000000000000000000000000Ei"}) {
    SCOPED_TRACE(text);
    const auto parsed = Quantity::parse(text);
    ASSERT_FALSE(parsed.ok());
    EXPECT_NE(parsed.error().message.find(text), std::string::npos);
  }
}

TEST(Quantity, isBuiltFromCounts) {
  EXPECT_EQ(Quantity::from_units(3), quantity("3"));
  EXPECT_EQ(Quantity::from_milli(1500), quantity("1.5"));
  EXPECT_EQ(Quantity::from_units(kMin).units(), kMin);
  EXPECT_EQ(Quantity::from_units(kMin).text(), "-9223372036854775808");
  EXPECT_TRUE(Quantity().zero());
  EXPECT_TRUE(Quantity::from_milli(-1).negative());
}

TEST(Quantity, comparesValuesWhateverTheSuffix) {
  EXPECT_EQ(quantity("1024"), quantity("1Ki"));
  EXPECT_EQ(quantity("1"), quantity("1000m"));
  EXPECT_EQ(quantity("1e3"), quantity("1k"));
  EXPECT_LT(quantity("999m"), quantity("1"));
  EXPECT_LT(quantity("-1"), quantity("0"));
  EXPECT_GT(quantity("1Ki"), quantity("1k"));
}

TEST(Quantity, addsAndKeepsTheFamilyOfTheFirstThatIsNotZero) {
  EXPECT_EQ((quantity("1Gi") + quantity("1024Mi")).text(), "2Gi");
  EXPECT_EQ((quantity("1") + quantity("500m")).text(), "1500m");
  EXPECT_EQ((Quantity() + quantity("2Gi")).text(), "2Gi");
  EXPECT_EQ((quantity("9E") + quantity("9E")).text(), "18E");
  EXPECT_EQ((quantity("9E") + quantity("9E")).units(), kMax);
}

struct Scale {
  std::string_view suffix;
  Wide nano;
};

const std::vector<Scale>& scales() {
  static const std::vector<Scale> all = {
      {"n", 1},
      {"u", 1000},
      {"m", 1'000'000},
      {"", 1'000'000'000},
      {"k", 1'000'000'000'000},
      {"M", 1'000'000'000'000'000},
      {"Ki", Wide{1'000'000'000} << 10},
      {"Mi", Wide{1'000'000'000} << 20},
      {"Gi", Wide{1'000'000'000} << 30},
      {"e3", 1'000'000'000'000},
      {"e-6", 1000},
  };
  return all;
}

// `thousandths` of one `scale`, as text and as an exact count of pico-units.
struct Sample {
  std::string text;
  Wide pico;
};

Sample any_sample() {
  const auto thousandths = *rc::gen::inRange<std::int64_t>(-4'000'000'000, 4'000'000'000);
  const Scale scale = *rc::gen::elementOf(scales());
  const std::int64_t magnitude = thousandths < 0 ? -thousandths : thousandths;
  const std::string fraction = std::to_string(1000 + magnitude % 1000).substr(1);
  return {std::string(thousandths < 0 ? "-" : "") + std::to_string(magnitude / 1000) + "." +
              fraction + std::string(scale.suffix),
          thousandths * scale.nano};
}

Wide nano_away_from_zero(Wide pico) {
  if (pico % 1000 == 0) return pico / 1000;
  return pico / 1000 + (pico < 0 ? -1 : 1);
}

RC_GTEST_PROP(QuantityProperty, keepsItsValueThroughItsText, ()) {
  const Quantity value = quantity(any_sample().text);
  const Quantity again = quantity(value.text());
  RC_ASSERT(again == value);
  RC_ASSERT(again.text() == value.text());
}

RC_GTEST_PROP(QuantityProperty, comparesLikeWideIntegers, ()) {
  const Sample a = any_sample();
  const Sample b = any_sample();
  const Wide left = nano_away_from_zero(a.pico);
  const Wide right = nano_away_from_zero(b.pico);
  RC_ASSERT((quantity(a.text) <=> quantity(b.text)) == (left <=> right));
  RC_ASSERT((quantity(a.text) == quantity(b.text)) == (left == right));
}

RC_GTEST_PROP(QuantityProperty, roundsUnitsLikeWideIntegers, ()) {
  const Sample a = any_sample();
  const Wide nano = nano_away_from_zero(a.pico);
  const Wide units = nano / 1'000'000'000;
  const Wide expected = nano % 1'000'000'000 == 0 ? units : units + (nano < 0 ? -1 : 1);
  RC_ASSERT(quantity(a.text).units() == static_cast<std::int64_t>(expected));
}

RC_GTEST_PROP(QuantityProperty, neverBreaksOnArbitraryText, ()) {
  const auto text = *rc::gen::container<std::string>(
      rc::gen::elementOf(std::string("0123456789.+-eEimunkMGTPK ")));
  const auto parsed = Quantity::parse(text);
  if (parsed.ok()) RC_ASSERT(quantity(parsed->text()) == *parsed);
}

TEST(Quantity, subtractsExactlyAndKeepsTheLeftSuffix) {
  EXPECT_EQ((*Quantity::parse("2Gi") - *Quantity::parse("1Gi")).text(), "1Gi");
  EXPECT_EQ((*Quantity::parse("1") - *Quantity::parse("1500m")).text(), "-500m");
  EXPECT_EQ((*Quantity::parse("0") - *Quantity::parse("1Ki")).text(), "-1Ki");
}

TEST(Quantity, approximatesAsADouble) {
  EXPECT_DOUBLE_EQ(Quantity::parse("1.5Ki")->approximate(), 1536.0);
  EXPECT_DOUBLE_EQ(Quantity::parse("-250m")->approximate(), -0.25);
}

}  // namespace
}  // namespace tutti
