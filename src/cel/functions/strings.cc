// cel-go's string extensions, version 2. Positions count code points.
#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "cel/functions/format.h"
#include "cel/functions/table.h"
#include "cel/value/containers.h"
#include "cel/value/utf8.h"

namespace tutti::cel {
namespace {

Value out_of_range(Context& context, std::int64_t index) {
  return context.fail("index out of range: {}", index);
}

Value position(std::string_view text, std::size_t byte) {
  return Value::integer(static_cast<std::int64_t>(code_point_count(text.substr(0, byte))));
}

Value char_at(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  const std::int64_t index = arguments[1].as_integer();
  if (!context.charge_text(text.size())) return context.out_of_cost();
  const auto count = static_cast<std::int64_t>(code_point_count(text));
  if (index < 0 || index > count) return out_of_range(context, index);
  std::string_view rest = text.substr(code_point_offset(text, static_cast<std::size_t>(index)));
  if (rest.empty()) return Value::string("");
  const std::string_view from = rest;
  take_code_point(rest);
  return Value::string(from.substr(0, from.size() - rest.size()));
}

enum class Direction { forward, backward };

// Past the end there is nothing to find: -1, as cel-go has it, where the specification wants an
// error. The empty text is found everywhere, also at the end.
Value find_from(Context& context, std::string_view text, std::string_view part, std::int64_t start,
                Direction direction) {
  if (start < 0) return out_of_range(context, start);
  if (!context.charge((text.size() / 10 + 1) * (part.size() / 10 + 1))) {
    return context.out_of_cost();
  }
  const auto count = static_cast<std::int64_t>(code_point_count(text));
  if (part.empty()) return Value::integer(std::min(start, count));
  if (start >= count) return Value::integer(-1);
  const std::size_t from = code_point_offset(text, static_cast<std::size_t>(start));
  const std::size_t found =
      direction == Direction::forward ? text.find(part, from) : text.rfind(part, from);
  return found == std::string_view::npos ? Value::integer(-1) : position(text, found);
}

Value text_index_of(Context& context, const Value* arguments) {
  return find_from(context, arguments[0].as_text(), arguments[1].as_text(), 0, Direction::forward);
}

Value index_of_from(Context& context, const Value* arguments) {
  return find_from(context, arguments[0].as_text(), arguments[1].as_text(),
                   arguments[2].as_integer(), Direction::forward);
}

Value text_last_index_of(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  const auto count = static_cast<std::int64_t>(code_point_count(text));
  if (arguments[1].as_text().empty()) return Value::integer(count);
  if (count == 0) return Value::integer(-1);
  return find_from(context, text, arguments[1].as_text(), count - 1, Direction::backward);
}

Value last_index_of_from(Context& context, const Value* arguments) {
  return find_from(context, arguments[0].as_text(), arguments[1].as_text(),
                   arguments[2].as_integer(), Direction::backward);
}

Value substring_between(Context& context, std::string_view text, std::int64_t begin,
                        std::int64_t end) {
  if (!context.charge_text(text.size())) return context.out_of_cost();
  const auto count = static_cast<std::int64_t>(code_point_count(text));
  if (begin < 0 || begin > count) return out_of_range(context, begin);
  if (end < 0 || end > count) return out_of_range(context, end);
  if (begin > end) return context.fail("invalid substring range: {} to {}", begin, end);
  const std::size_t first = code_point_offset(text, static_cast<std::size_t>(begin));
  const std::size_t last = code_point_offset(text, static_cast<std::size_t>(end));
  return Value::string(text.substr(first, last - first));
}

Value substring_from(Context& context, const Value* arguments) {
  const std::string_view text = arguments[0].as_text();
  return substring_between(context, text, arguments[1].as_integer(),
                           static_cast<std::int64_t>(code_point_count(text)));
}

Value substring(Context& context, const Value* arguments) {
  return substring_between(context, arguments[0].as_text(), arguments[1].as_integer(),
                           arguments[2].as_integer());
}

template <char first, char last, int shift>
Value shift_case(Context& context, const Value* arguments) {
  std::string text(arguments[0].as_text());
  for (char& c : text) {
    if (c >= first && c <= last) c = static_cast<char>(c + shift);
  }
  return context.make_string(text);
}

Value trim(Context& context, const Value* arguments) {
  std::string_view text = arguments[0].as_text();
  if (!context.charge_text(text.size())) return context.out_of_cost();
  for (std::string_view rest = text; !rest.empty();) {
    if (!is_white_space(take_code_point(rest))) break;
    text = rest;
  }
  std::size_t end = 0;  // of the last character that stays
  for (std::string_view rest = text; !rest.empty();) {
    if (!is_white_space(take_code_point(rest))) end = text.size() - rest.size();
  }
  return Value::string(text.substr(0, end));
}

// --- replace, split, join ---------------------------------------------------------------------

// Byte ranges of `part` in `text`; the empty part stands before every character and at the end.
template <typename Visit>
void for_each_match(std::string_view text, std::string_view part, std::int64_t limit, Visit visit) {
  std::size_t at = 0;
  for (std::int64_t i = 0; limit < 0 || i < limit; ++i) {
    if (part.empty()) {
      if (i > 0) {
        if (at >= text.size()) return;
        at = at + code_point_offset(text.substr(at), 1);
      }
      visit(at);
      continue;
    }
    const std::size_t found = text.find(part, at);
    if (found == std::string_view::npos) return;
    visit(found);
    at = found + part.size();
  }
}

Value replace_some(Context& context, const Value* arguments, std::int64_t limit) {
  const std::string_view text = arguments[0].as_text();
  const std::string_view old = arguments[1].as_text();
  const std::string_view fresh = arguments[2].as_text();
  if (!context.charge_text(text.size())) return context.out_of_cost();
  std::size_t count = 0;
  for_each_match(text, old, limit, [&count](std::size_t) { ++count; });
  // The size before the text: a short expression can ask for an enormous one.
  const std::size_t size = text.size() - count * old.size() + count * fresh.size();
  if (!context.charge_text(size)) return context.out_of_cost();
  auto* memory = static_cast<char*>(context.arena().allocate(size));
  if (memory == nullptr) return context.out_of_memory();
  char* out = memory;
  std::size_t copied = 0;
  for_each_match(text, old, limit, [&](std::size_t at) {
    out = std::copy_n(text.data() + copied, at - copied, out);
    out = std::copy_n(fresh.data(), fresh.size(), out);
    copied = at + old.size();
  });
  std::copy_n(text.data() + copied, text.size() - copied, out);
  return Value::string({memory, size});
}

Value replace(Context& context, const Value* arguments) {
  return replace_some(context, arguments, -1);
}

Value replace_limited(Context& context, const Value* arguments) {
  return replace_some(context, arguments, arguments[3].as_integer());
}

// Where the next separator is, at or after `from`; the empty one stands between characters.
std::size_t next_separator(std::string_view text, std::string_view separator, std::size_t from) {
  if (!separator.empty()) return text.find(separator, from);
  const std::size_t next = from + code_point_offset(text.substr(from), 1);
  return next >= text.size() ? std::string_view::npos : next;
}

Value split_some(Context& context, const Value* arguments, std::int64_t limit) {
  const std::string_view text = arguments[0].as_text();
  const std::string_view separator = arguments[1].as_text();
  if (!context.charge_text(text.size())) return context.out_of_cost();
  ListBuilder parts;
  std::size_t from = 0;
  const bool nothing = limit == 0 || (text.empty() && separator.empty());
  for (std::int64_t i = 1; !nothing; ++i) {
    const std::size_t at =
        i == limit ? std::string_view::npos : next_separator(text, separator, from);
    const std::size_t size = at == std::string_view::npos ? at : at - from;
    if (!parts.append(context.arena(), Value::string(text.substr(from, size)))) {
      return context.out_of_memory();
    }
    if (at == std::string_view::npos) break;
    from = at + separator.size();
  }
  return parts.finish(context);
}

Value split(Context& context, const Value* arguments) { return split_some(context, arguments, -1); }

Value split_limited(Context& context, const Value* arguments) {
  return split_some(context, arguments, arguments[2].as_integer());
}

Value join_with(Context& context, const List& list, std::string_view separator) {
  std::size_t size = 0;
  for (std::size_t i = 0; i < list.size(); ++i) {
    const Value element = list.at(i);
    if (!element.is(Kind::string)) {
      return context.fail("join: element {} is not a string", i);
    }
    size += element.as_text().size() + (i > 0 ? separator.size() : 0);
    if (!context.charge(1)) return context.out_of_cost();
  }
  if (!context.charge_text(size)) return context.out_of_cost();
  auto* memory = static_cast<char*>(context.arena().allocate(size));
  if (memory == nullptr) return context.out_of_memory();
  char* out = memory;
  for (std::size_t i = 0; i < list.size(); ++i) {
    if (i > 0) out = std::copy_n(separator.data(), separator.size(), out);
    const std::string_view text = list.at(i).as_text();
    out = std::copy_n(text.data(), text.size(), out);
  }
  return Value::string({memory, size});
}

Value join(Context& context, const Value* arguments) {
  return join_with(context, arguments[0].as_list(), "");
}

Value join_separated(Context& context, const Value* arguments) {
  return join_with(context, arguments[0].as_list(), arguments[1].as_text());
}

Value quote(Context& context, const Value* arguments) {
  constexpr std::string_view kSpecial = "\a\b\f\n\r\t\v\\\"";
  constexpr std::string_view kLetters = "abfnrtv\\\"";
  std::string out = "\"";
  for (const char c : arguments[0].as_text()) {
    const std::size_t at = kSpecial.find(c);
    if (at == std::string_view::npos) {
      out += c;
    } else {
      out += '\\';
      out += kLetters[at];
    }
  }
  return context.make_string(out + "\"");
}

Value format(Context& context, const Value* arguments) {
  return format_text(context, arguments[0].as_text(), arguments[1].as_list());
}

constexpr auto string_row(std::string_view signature, Function run) {
  return FunctionRow{in(Library::strings), signature, run};
}

constexpr std::array kStringRows = {
    string_row("string::charAt(int) string", char_at),
    string_row("string::indexOf(string) int", text_index_of),
    string_row("string::indexOf(string, int) int", index_of_from),
    string_row("string::lastIndexOf(string) int", text_last_index_of),
    string_row("string::lastIndexOf(string, int) int", last_index_of_from),
    string_row("string::substring(int) string", substring_from),
    string_row("string::substring(int, int) string", substring),
    string_row("string::lowerAscii() string", shift_case<'A', 'Z', 'a' - 'A'>),
    string_row("string::upperAscii() string", shift_case<'a', 'z', 'A' - 'a'>),
    string_row("string::trim() string", trim),
    string_row("string::replace(string, string) string", replace),
    string_row("string::replace(string, string, int) string", replace_limited),
    string_row("string::split(string) list<string>", split),
    string_row("string::split(string, int) list<string>", split_limited),
    string_row("list<string>::join() string", join),
    string_row("list<string>::join(string) string", join_separated),
    string_row("strings.quote(string) string", quote),
    string_row("string::format(list<dyn>) string", format),
};

}  // namespace

std::span<const FunctionRow> string_extension_rows() { return kStringRows; }

}  // namespace tutti::cel
