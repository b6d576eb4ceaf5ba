#include "base/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace tutti {
namespace {

unsigned byte_of(std::string_view text, std::size_t at) {
  return at < text.size() ? static_cast<unsigned char>(text[at]) : 0U;
}

// U+0080 to U+009F: control characters of two bytes, some of which terminals obey.
bool is_wide_control(std::string_view text, std::size_t at) {
  const unsigned second = byte_of(text, at + 1);
  return byte_of(text, at) == 0xC2U && second >= 0x80U && second <= 0x9FU;
}

void append_control(std::string& out, unsigned byte) {
  const std::string_view letter = letter_escape(byte);
  if (!letter.empty()) {
    out += letter;
  } else {
    out += fmt::format("\\x{:02x}", byte);
  }
}

std::string escaped(std::string_view text, bool keep_lines) {
  std::string out;
  out.reserve(text.size());
  for (std::size_t at = 0; at < text.size(); ++at) {
    const unsigned byte = byte_of(text, at);
    if (is_wide_control(text, at)) {
      out += fmt::format("\\u{:04x}", byte_of(text, ++at));
    } else if ((byte >= 0x20U && byte != 0x7FU) || (keep_lines && byte == '\n')) {
      out += text[at];
    } else {
      append_control(out, byte);
    }
  }
  return out;
}

// Levenshtein's distance, one row at a time.
std::size_t edits_between(std::string_view from, std::string_view to) {
  std::vector<std::size_t> row(to.size() + 1);
  std::iota(row.begin(), row.end(), std::size_t{0});
  for (std::size_t i = 0; i < from.size(); ++i) {
    std::size_t diagonal = row[0];
    row[0] = i + 1;
    for (std::size_t j = 0; j < to.size(); ++j) {
      const std::size_t changed = diagonal + (from[i] == to[j] ? 0 : 1);
      diagonal = row[j + 1];
      row[j + 1] = std::min({changed, row[j] + 1, row[j + 1] + 1});
    }
  }
  return row.back();
}

}  // namespace

std::string_view letter_escape(std::uint32_t character) {
  switch (character) {
    case '\n':
      return "\\n";
    case '\r':
      return "\\r";
    case '\t':
      return "\\t";
    default:
      return {};
  }
}

std::string markup_text(std::string_view text) {
  std::string out;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += c;
    }
  }
  return out;
}

std::string printable(std::string_view text) { return escaped(text, false); }

std::string printable_lines(std::string_view text) { return escaped(text, true); }

std::string_view beginning(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return text;
  std::size_t end = bytes_max;
  while (end > 0 && (byte_of(text, end) & 0xC0U) == 0x80U) --end;
  return text.substr(0, end);
}

std::string shortened(std::string_view text, std::size_t bytes_max) {
  if (text.size() <= bytes_max) return std::string(text);
  return fmt::format("{}… ({} bytes)", beginning(text, bytes_max), text.size());
}

std::string brief_line(std::string_view text) {
  constexpr std::size_t kBytesMax = 400;  // more than the longest name
  return printable(shortened(text, kBytesMax));
}

std::string problem_list(std::span<const std::string> problems) {
  constexpr std::size_t kShownMax = 20;
  const auto shown = problems.subspan(0, std::min(problems.size(), kShownMax));
  std::string text = fmt::format("{}", fmt::join(shown, "\n"));
  const std::size_t more = problems.size() - shown.size();
  if (more > 0) text += fmt::format("\n… and {} more problem{}", more, more == 1 ? "" : "s");
  return text;
}

std::string_view nearest_word(std::string_view word, std::span<const std::string_view> known) {
  constexpr std::size_t kEditsMax = 2;
  std::string_view nearest;
  std::size_t fewest = kEditsMax + 1;
  for (const std::string_view candidate : known) {
    // Words of very different lengths cannot be near, and input may be huge.
    if (word.size() > candidate.size() + kEditsMax) continue;
    const std::size_t edits = edits_between(word, candidate);
    if (edits < fewest) {
      fewest = edits;
      nearest = candidate;
    }
  }
  return nearest;
}

bool comes_before(std::string_view a, std::string_view b) {
  const auto is_digit = [](char c) { return c >= '0' && c <= '9'; };
  // The digits at the beginning of the text, without leading zeros; takes them off.
  const auto take_number = [&](std::string_view& text) {
    const auto end = std::ranges::find_if_not(text, is_digit);
    std::string_view digits = text.substr(0, static_cast<std::size_t>(end - text.begin()));
    text.remove_prefix(digits.size());
    digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
    return digits;
  };
  const std::string_view whole_a = a;
  const std::string_view whole_b = b;
  while (!a.empty() && !b.empty()) {
    if (is_digit(a.front()) && is_digit(b.front())) {
      const std::string_view left = take_number(a);
      const std::string_view right = take_number(b);
      if (left.size() != right.size()) return left.size() < right.size();
      if (left != right) return left < right;
      continue;
    }
    if (a.front() != b.front()) return a.front() < b.front();
    a.remove_prefix(1);
    b.remove_prefix(1);
  }
  if (a.empty() != b.empty()) return a.empty();
  return whole_a < whole_b;  // 01 and 1
}

}  // namespace tutti
