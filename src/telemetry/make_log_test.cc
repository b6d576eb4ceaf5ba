#include "telemetry/make_log.h"

#include <sstream>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <rapidcheck.h>

#include "telemetry/escape.h"

namespace tutti::telemetry {
namespace {

LogOptions at_noon(Log::Level level_min = Log::Level::debug) {
  return {.now = [] { return *parse_rfc3339("2026-11-16T12:00:00.042Z"); }, .level_min = level_min};
}

struct Lines {
  std::vector<std::string> lines;
  LineSink sink() {
    return [this](std::string_view line) { lines.emplace_back(line); };
  }
};

struct EscapeCase {
  std::string name, text, escaped;
};

TEST(LogText, staysInOneLineWhateverItContains) {
  const EscapeCase cases[] = {
      {"plain", "pods of a gang", "pods of a gang"},
      {"letters beyond ASCII", "Knoten größer → 漢 🚀", "Knoten größer → 漢 🚀"},
      {"quotes and backslashes", R"(a "b" \c)", R"(a \"b\" \\c)"},
      {"line ends", "a\nb\r\n\tc", R"(a\nb\r\n\tc)"},
      {"terminal escapes", "\x1b[2Jx\x7f", R"(\u001b[2Jx\u007f)"},
      {"a zero byte", std::string("a\0b", 3), R"(a\u0000b)"},
      {"C1 control", "\xC2\x9Bm", R"(\u009bm)"},
      {"line separator", "a\xE2\x80\xA8z", R"(a\u2028z)"},
      {"a lone continuation byte", "a\x80z", R"(a\ufffdz)"},
      {"a cut character", "a\xE2\x82", R"(a\ufffd\ufffd)"},
      {"an overlong form", "\xC0\xAF", R"(\ufffd\ufffd)"},
      {"a surrogate", "\xED\xA0\x80", R"(\ufffd\ufffd\ufffd)"},
      {"beyond Unicode", "\xF4\x90\x80\x80", R"(\ufffd\ufffd\ufffd\ufffd)"},
  };
  for (const EscapeCase& c : cases) {
    SCOPED_TRACE(c.name);
    std::string out;
    append_escaped(out, c.text);
    EXPECT_EQ(out, c.escaped);
    EXPECT_EQ(needs_escapes(c.text), c.text != c.escaped);
  }
}

TEST(LogText, isPrintableForAnyBytes) {
  const bool held = rc::check([](const std::vector<char>& bytes) {
    std::string out;
    append_escaped(out, {bytes.data(), bytes.size()});
    for (const char c : out) RC_ASSERT(static_cast<unsigned char>(c) >= 0x20);
    RC_ASSERT(out.find('\x7f') == std::string::npos);
  });
  EXPECT_TRUE(held);
}

TEST(TextLog, writesTimeLevelMessageAndFieldsInOneLine) {
  Lines lines;
  const auto log = make_text_log(lines.sink(), at_noon());
  log->info("leading", {{"lease", "kube-system/tutti"}, {"took", "3ms"}});
  log->warning("slow answer");
  ASSERT_EQ(lines.lines.size(), 2U);
  EXPECT_EQ(lines.lines[0],
            "2026-11-16T12:00:00.042Z info leading lease=kube-system/tutti took=3ms\n");
  EXPECT_EQ(lines.lines[1], "2026-11-16T12:00:00.042Z warning slow answer\n");
}

TEST(TextLog, quotesWhatCouldBeMistakenForSomethingElse) {
  Lines lines;
  const auto log = make_text_log(lines.sink(), at_noon());
  log->error("said a=b", {{"empty", ""}, {"pair", "x=y"}, {"text", "two words"}, {"nl", "a\nb"}});
  EXPECT_EQ(lines.lines.at(0),
            "2026-11-16T12:00:00.042Z error \"said a=b\" empty=\"\" pair=\"x=y\" "
            "text=\"two words\" nl=\"a\\nb\"\n");
}

TEST(JsonLog, writesOneObjectWithTheFieldsLast) {
  Lines lines;
  const auto log = make_json_log(lines.sink(), at_noon());
  log->info("bound", {{"pod", "t/a"}, {"message", "said \"no\"\n"}});
  log->debug("idle");
  ASSERT_EQ(lines.lines.size(), 2U);
  EXPECT_EQ(lines.lines[0],
            R"({"ts":"2026-11-16T12:00:00.042Z","level":"info","msg":"bound","pod":"t/a",)"
            R"("message":"said \"no\"\n"})"
            "\n");
  EXPECT_EQ(lines.lines[1], R"({"ts":"2026-11-16T12:00:00.042Z","level":"debug","msg":"idle"})"
                            "\n");
}

TEST(JsonLog, doesNotInterpretBracesOrPercentSigns) {
  Lines lines;
  const auto log = make_json_log(lines.sink(), at_noon());
  log->info("{} %v {0}", {{"a", "%l{}"}});
  EXPECT_EQ(lines.lines.at(0),
            R"({"ts":"2026-11-16T12:00:00.042Z","level":"info","msg":"{} %v {0}","a":"%l{}"})"
            "\n");
}

TEST(Log, leavesOutWhatIsBelowItsLevelAndAsksNoClockForIt) {
  Lines lines;
  int asked = 0;
  const auto log = make_text_log(lines.sink(), {.now =
                                                    [&] {
                                                      ++asked;
                                                      return Instant{};
                                                    },
                                                .level_min = Log::Level::warning});
  log->debug("a");
  log->info("b");
  log->warning("c");
  log->error("d");
  EXPECT_EQ(lines.lines.size(), 2U);
  EXPECT_EQ(asked, 2);
}

TEST(Log, cutsALongValueAndSaysSo) {
  Lines lines;
  LogOptions options = at_noon();
  options.value_bytes_max = 100;
  const auto log = make_json_log(lines.sink(), options);
  log->info(std::string(10'000, 'm'), {{"body", std::string(1 << 20, 'x')}, {"after", "y"}});
  EXPECT_LT(lines.lines.at(0).size(), 500U);
  EXPECT_NE(lines.lines[0].find("(1048576 bytes)"), std::string::npos);
  EXPECT_NE(lines.lines[0].find(R"("after":"y")"), std::string::npos);
}

TEST(Log, boundsTheWholeLineAndCountsWhatItLeftOut) {
  Lines lines;
  LogOptions options = at_noon();
  options.line_bytes_max = 50;
  const auto log = make_text_log(lines.sink(), options);
  const std::string value(40, 'x');
  log->info("m", {{"a", value}, {"b", value}, {"c", value}, {"d", value}});
  EXPECT_EQ(lines.lines.at(0),
            "2026-11-16T12:00:00.042Z info m a=" + value + " b=" + value + " fields_omitted=2\n");
}

TEST(Log, writesToStreamsAndFiles) {
  std::ostringstream stream;
  make_text_log(to_stream(stream), at_noon())->info("x");
  EXPECT_EQ(stream.str(), "2026-11-16T12:00:00.042Z info x\n");

  std::FILE* file = std::tmpfile();
  ASSERT_NE(file, nullptr);
  make_text_log(to_file(file), at_noon())->info("y");
  std::rewind(file);
  std::string read(100, '\0');
  read.resize(std::fread(read.data(), 1, read.size(), file));
  std::fclose(file);
  EXPECT_EQ(read, "2026-11-16T12:00:00.042Z info y\n");
}

}  // namespace
}  // namespace tutti::telemetry
