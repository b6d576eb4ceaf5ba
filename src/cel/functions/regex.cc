#include "cel/functions/regex.h"

#include <fmt/format.h>
#include <re2/re2.h>

#include <array>

#include "base/text.h"
#include "cel/functions/table.h"
#include "cel/value/containers.h"
#include "cel/value/utf8.h"

namespace tutti::cel {

struct Regex::Compiled {
  explicit Compiled(std::string_view pattern)
      : re2(re2::StringPiece(pattern.data(), pattern.size()), options()) {}

  static RE2::Options options() {
    RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(std::int64_t{2} << 20U);  // bounds the program and its caches
    return options;
  }

  RE2 re2;
};

Regex::Regex(std::unique_ptr<Compiled> compiled) : compiled_(std::move(compiled)) {}
Regex::~Regex() = default;
Regex::Regex(Regex&&) noexcept = default;
Regex& Regex::operator=(Regex&&) noexcept = default;

Result<Regex> Regex::compile(std::string_view pattern) {
  auto compiled = std::make_unique<Compiled>(pattern);
  if (!compiled->re2.ok()) {
    return Error{Error::Code::malformed,
                 fmt::format("invalid regular expression: {}", brief_line(compiled->re2.error()))};
  }
  return Regex(std::move(compiled));
}

bool Regex::matches(std::string_view text) const {
  return RE2::PartialMatch(re2::StringPiece(text.data(), text.size()), compiled_->re2);
}

std::optional<Regex::Match> Regex::find(std::string_view text, std::size_t from) const {
  re2::StringPiece found;
  const re2::StringPiece whole(text.data(), text.size());
  if (!compiled_->re2.Match(whole, from, text.size(), RE2::UNANCHORED, &found, 1)) {
    return std::nullopt;
  }
  const auto begin = static_cast<std::size_t>(found.data() - text.data());
  return Match{begin, begin + found.size()};
}

std::uint64_t Regex::cost(std::size_t text_bytes) const {
  return ((1 + text_bytes) / 10 + 1) * (compiled_->re2.pattern().size() / 4 + 1);
}

Value matches_compiled(Context& context, const Value& text, const Regex& regex) {
  if (!text.is(Kind::string)) return context.no_such_overload("matches", {&text, 1});
  if (!context.charge(regex.cost(text.as_text().size()))) return context.out_of_cost();
  return Value::boolean(regex.matches(text.as_text()));
}

namespace {

// A pattern that is computed is compiled at every call, which is charged by its length.
template <typename Use>
Value with_regex(Context& context, const Value* arguments, Use use) {
  const std::string_view pattern = arguments[1].as_text();
  if (!context.charge(pattern.size())) return context.out_of_cost();
  auto regex = Regex::compile(pattern);
  if (!regex.ok()) return context.fail("{}", regex.error().message);
  if (!context.charge(regex->cost(arguments[0].as_text().size()))) return context.out_of_cost();
  return use(*regex, arguments[0].as_text());
}

Value matches(Context& context, const Value* arguments) {
  return with_regex(context, arguments, [](const Regex& regex, std::string_view text) {
    return Value::boolean(regex.matches(text));
  });
}

Value find(Context& context, const Value* arguments) {
  return with_regex(context, arguments, [](const Regex& regex, std::string_view text) {
    const auto match = regex.find(text, 0);
    return Value::string(match ? text.substr(match->begin, match->end - match->begin) : "");
  });
}

// Matches from left to right; an empty one right after another match does not count, as in Go.
Value find_some(Context& context, const Value* arguments, std::int64_t limit) {
  return with_regex(context, arguments, [&](const Regex& regex, std::string_view text) {
    ListBuilder found;
    std::size_t from = 0;
    std::optional<std::size_t> last_end;
    for (std::int64_t count = 0; (limit < 0 || count < limit) && from <= text.size();) {
      if (!context.charge(1 + (text.size() - from) / 10)) return context.out_of_cost();
      const auto match = regex.find(text, from);
      if (!match) break;
      const bool empty = match->begin == match->end;
      if (!empty || last_end != match->begin) {
        const Value part = Value::string(text.substr(match->begin, match->end - match->begin));
        if (!found.append(context.arena(), part)) return context.out_of_memory();
        ++count;
      }
      last_end = match->end;
      const std::size_t step =
          match->end < text.size() ? code_point_offset(text.substr(match->end), 1) : 1;
      from = empty ? match->end + step : match->end;
    }
    return found.finish(context);
  });
}

Value find_all(Context& context, const Value* arguments) {
  return find_some(context, arguments, -1);
}

Value find_all_limited(Context& context, const Value* arguments) {
  return find_some(context, arguments, arguments[2].as_integer());
}

constexpr std::array kRegexRows = {
    FunctionRow{kStandard, "string::matches(string) bool", matches},
    FunctionRow{kStandard, "matches(string, string) bool", matches},
    FunctionRow{in(Library::regex), "string::find(string) string", find},
    FunctionRow{in(Library::regex), "string::findAll(string) list<string>", find_all},
    FunctionRow{in(Library::regex), "string::findAll(string, int) list<string>", find_all_limited},
};

}  // namespace

std::span<const FunctionRow> regex_rows() { return kRegexRows; }

}  // namespace tutti::cel
