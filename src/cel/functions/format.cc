#include "cel/functions/format.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cel/value/network.h"
#include "cel/value/number_text.h"
#include "cel/value/time_text.h"
#include "cel/value/utf8.h"

namespace tutti::cel {
namespace {

constexpr int kPrecisionDefault = 6;
constexpr int kPrecisionMax = 1000;

struct Clause {
  char letter = 's';
  int precision = kPrecisionDefault;
};

class Formatter {
 public:
  Formatter(Context& context, const List& arguments) : context_(&context), arguments_(&arguments) {}

  Value run(std::string_view format) {
    while (!format.empty() && !failed_) {
      const std::size_t percent = std::min(format.find('%'), format.size());
      append(format.substr(0, percent));
      format.remove_prefix(percent);
      if (!format.empty()) take_clause(format);
    }
    return failed_ ? *failed_ : context_->make_string(out_);
  }

 private:
  void fail(Value fault) {
    if (!failed_) failed_ = fault;
  }

  // Charged as it grows: one expression may ask for much text again and again.
  void append(std::string_view text) {
    if (!context_->charge(text.size() / 10)) return fail(context_->out_of_cost());
    out_ += text;
  }

  void take_clause(std::string_view& format) {
    format.remove_prefix(1);
    if (format.starts_with('%')) {
      format.remove_prefix(1);
      return append("%");
    }
    const auto clause = read_clause(format);
    if (!clause) return fail(context_->fail("could not parse formatting clause"));
    if (next_ >= arguments_->size()) return fail(context_->fail("index {} out of range", next_));
    const Value argument = arguments_->at(next_++);
    if (!context_->charge(1)) return fail(context_->out_of_cost());
    write(*clause, argument);
  }

  static std::optional<Clause> read_clause(std::string_view& format) {
    Clause clause;
    if (format.starts_with('.')) {
      const char* begin = format.data() + 1;
      const auto [end, error] =
          std::from_chars(begin, format.data() + format.size(), clause.precision);
      if (error != std::errc() || clause.precision < 0 || clause.precision > kPrecisionMax) {
        return std::nullopt;
      }
      format.remove_prefix(static_cast<std::size_t>(end - format.data()));
    }
    if (format.empty()) return std::nullopt;
    clause.letter = format[0];
    format.remove_prefix(1);
    return clause;
  }

  void write(const Clause& clause, const Value& argument) {
    switch (clause.letter) {
      case 's':
        return write_any(argument);
      case 'd':
        return write_decimal(argument);
      case 'f':
        return write_real(clause, argument);
      case 'e':
        return write_real(clause, argument);
      case 'b':
        return write_binary(argument);
      case 'o':
        return write_octal(argument);
      case 'x':
      case 'X':
        return write_hexadecimal(argument, clause.letter == 'X');
      default:
        return fail(context_->fail("unrecognized formatting clause \"{}\"",
                                   std::string_view(&clause.letter, is_ascii(clause.letter))));
    }
  }

  static std::size_t is_ascii(char c) { return static_cast<unsigned char>(c) < 0x80 ? 1 : 0; }

  void mismatch(char clause, const Value& argument) {
    fail(context_->fail("formatting clause %{} cannot be used on {}", clause, type_name(argument)));
  }

  // --- numbers --------------------------------------------------------------------------------

  static std::string special_text(double value) {
    if (std::isnan(value)) return "NaN";
    return value > 0 ? "Infinity" : "-Infinity";
  }

  static std::string real_or_special_text(double value) {
    return std::isfinite(value) ? plain_real_text(value) : special_text(value);
  }

  static std::string integer_text(const Value& value) {
    return value.is(Kind::integer) ? fmt::to_string(value.as_integer())
                                   : fmt::to_string(value.as_unsigned());
  }

  void write_decimal(const Value& argument) {
    if (!argument.is_number()) return mismatch('d', argument);
    append(argument.is(Kind::real) ? real_or_special_text(argument.as_real())
                                   : integer_text(argument));
  }

  void write_real(const Clause& clause, const Value& argument) {
    if (!argument.is_number()) return mismatch(clause.letter, argument);
    const double value = argument.is(Kind::real)      ? argument.as_real()
                         : argument.is(Kind::integer) ? static_cast<double>(argument.as_integer())
                                                      : static_cast<double>(argument.as_unsigned());
    if (!std::isfinite(value)) return append(special_text(value));
    append(clause.letter == 'f' ? fmt::format("{:.{}f}", value, clause.precision)
                                : fmt::format("{:.{}e}", value, clause.precision));
  }

  void write_binary(const Value& argument) {
    if (argument.is(Kind::boolean)) return append(argument.as_boolean() ? "1" : "0");
    if (argument.is(Kind::integer)) return append(fmt::format("{:b}", argument.as_integer()));
    if (!argument.is(Kind::unsigned_integer)) return mismatch('b', argument);
    append(fmt::format("{:b}", argument.as_unsigned()));
  }

  void write_octal(const Value& argument) {
    if (argument.is(Kind::integer)) return append(fmt::format("{:o}", argument.as_integer()));
    if (!argument.is(Kind::unsigned_integer)) return mismatch('o', argument);
    append(fmt::format("{:o}", argument.as_unsigned()));
  }

  void write_hexadecimal(const Value& argument, bool upper) {
    std::string text;
    if (argument.is(Kind::integer)) {
      text = fmt::format("{:x}", argument.as_integer());
    } else if (argument.is(Kind::unsigned_integer)) {
      text = fmt::format("{:x}", argument.as_unsigned());
    } else if (argument.is(Kind::string) || argument.is(Kind::bytes)) {
      if (!context_->charge_text(2 * argument.as_text().size())) {
        return fail(context_->out_of_cost());
      }
      for (const char c : argument.as_text()) {
        text += fmt::format("{:02x}", static_cast<unsigned char>(c));
      }
    } else {
      return mismatch(upper ? 'X' : 'x', argument);
    }
    if (upper) {
      for (char& c : text) c = c >= 'a' && c <= 'f' ? static_cast<char>(c - 0x20) : c;
    }
    append(text);
  }

  // --- %s -------------------------------------------------------------------------------------

  void write_any(const Value& value) {
    if (!context_->charge(1)) return fail(context_->out_of_cost());
    switch (value.kind()) {
      case Kind::null:
        return append("null");
      case Kind::boolean:
        return append(value.as_boolean() ? "true" : "false");
      case Kind::integer:
      case Kind::unsigned_integer:
        return append(integer_text(value));
      case Kind::real:
        return append(real_or_special_text(value.as_real()));
      case Kind::string:
      case Kind::type:
        return append(value.as_text());
      case Kind::bytes:
        return write_bytes(value.as_text());
      case Kind::timestamp:
        return append(timestamp_text({value.as_seconds(), value.as_nanos_part()}));
      case Kind::duration:
        return append(duration_text(value.as_duration_nanos()));
      case Kind::list:
        return write_list(value.as_list());
      case Kind::map:
        return write_map(value.as_map());
      default:
        return mismatch('s', value);
    }
  }

  void write_bytes(std::string_view bytes) {
    if (!is_utf8(bytes)) return fail(context_->fail("invalid UTF-8 in bytes"));
    append(bytes);
  }

  void write_list(const List& list) {
    append("[");
    for (std::size_t i = 0; i < list.size() && !failed_; ++i) {
      if (i > 0) append(", ");
      write_any(list.at(i));
    }
    append("]");
  }

  // The text of one value by itself.
  std::string text_of(const Value& value) {
    std::string outer = std::exchange(out_, {});
    write_any(value);
    return std::exchange(out_, std::move(outer));
  }

  // Ordered by the keys' texts.
  void write_map(const Map& map) {
    std::vector<std::pair<std::string, std::string>> entries;
    for (std::size_t i = 0; i < map.size() && !failed_; ++i) {
      entries.emplace_back(text_of(map.key(i)), text_of(map.value(i)));
    }
    std::stable_sort(entries.begin(), entries.end(),
                     [](const auto& a, const auto& b) { return a.first < b.first; });
    append("{");
    for (std::size_t i = 0; i < entries.size(); ++i) {
      if (i > 0) append(", ");
      append(entries[i].first);
      append(": ");
      append(entries[i].second);
    }
    append("}");
  }

  Context* context_;
  const List* arguments_;
  std::size_t next_ = 0;
  std::string out_;
  std::optional<Value> failed_;
};

}  // namespace

Value format_text(Context& context, std::string_view format, const List& arguments) {
  return Formatter(context, arguments).run(format);
}

}  // namespace tutti::cel
