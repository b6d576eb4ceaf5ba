#include "cel/syntax/lexer.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "base/ascii.h"
#include "base/text.h"

namespace tutti::cel {
namespace {

bool is_hex(char c) { return is_digit(c) || ((c | 0x20) >= 'a' && (c | 0x20) <= 'f'); }
bool is_letter(char c) { return ((c | 0x20) >= 'a' && (c | 0x20) <= 'z') || c == '_'; }
bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f'; }

class Lexer {
 public:
  Lexer(std::string_view source, std::vector<Token>& tokens) : source_(source), tokens_(&tokens) {}

  std::optional<SourceFault> run() {
    for (skip_blanks(); at_ < source_.size(); skip_blanks()) {
      if (auto fault = read_one()) return fault;
    }
    add(TokenKind::end, at_);
    return std::nullopt;
  }

 private:
  char peek(std::size_t ahead = 0) const {
    return at_ + ahead < source_.size() ? source_[at_ + ahead] : '\0';
  }
  std::string_view rest() const { return source_.substr(at_); }

  void add(TokenKind kind, std::size_t begin) {
    tokens_->push_back(
        {kind, static_cast<std::uint32_t>(begin), source_.substr(begin, at_ - begin)});
  }

  SourceFault fault(std::size_t offset, std::string message) const {
    return {SourceFault::Code::syntax, position_of(source_, offset), std::move(message)};
  }

  void skip_blanks() {
    while (at_ < source_.size()) {
      if (is_blank(source_[at_])) {
        ++at_;
      } else if (rest().starts_with("//")) {
        at_ = std::min(source_.find('\n', at_), source_.size());
      } else {
        return;
      }
    }
  }

  std::optional<SourceFault> read_one() {
    const char c = peek();
    if (const auto prefix = literal_prefix(); prefix < 3) return read_quoted(prefix);
    if (is_letter(c)) return read_word();
    if (is_digit(c) || (c == '.' && is_digit(peek(1)))) return read_number();
    if (c == '`') return read_quoted_identifier();
    return read_punctuation();
  }

  // How many letters (r, b, br in any case) stand before the quote; 3 when no literal begins here.
  std::size_t literal_prefix() const {
    std::size_t length = 0;
    bool raw = false;
    bool bytes = false;
    for (; length < 2; ++length) {
      const char lower = static_cast<char>(peek(length) | 0x20);
      bool& seen = lower == 'r' ? raw : bytes;
      if ((lower != 'r' && lower != 'b') || seen) break;
      seen = true;
    }
    const char quote = peek(length);
    return quote == '"' || quote == '\'' ? length : 3;
  }

  std::optional<SourceFault> read_quoted(std::size_t prefix) {
    const std::size_t begin = at_;
    const std::string_view letters = source_.substr(begin, prefix);
    const bool raw = letters.find_first_of("rR") != std::string_view::npos;
    const bool bytes = letters.find_first_of("bB") != std::string_view::npos;
    at_ += prefix;
    const std::string_view three = source_.substr(at_, 3);
    const bool triple = three == "\"\"\"" || three == "'''";
    const std::string_view quote = source_.substr(at_, triple ? 3 : 1);
    at_ += quote.size();
    while (!rest().starts_with(quote)) {
      const bool line_end = peek() == '\n' || peek() == '\r';
      if (at_ >= source_.size() || (!triple && line_end)) {
        return fault(begin, "the string literal is not closed");
      }
      at_ += !raw && peek() == '\\' && at_ + 1 < source_.size() ? 2 : 1;
    }
    at_ += quote.size();
    add(bytes ? TokenKind::bytes : TokenKind::string, begin);
    return std::nullopt;
  }

  std::optional<SourceFault> read_word() {
    constexpr std::array<std::string_view, 4> kKeywords = {"true", "false", "null", "in"};
    const std::size_t begin = at_;
    while (is_letter(peek()) || is_digit(peek())) ++at_;
    const std::string_view word = source_.substr(begin, at_ - begin);
    const bool keyword = std::find(kKeywords.begin(), kKeywords.end(), word) != kKeywords.end();
    add(keyword ? TokenKind::keyword : TokenKind::identifier, begin);
    return std::nullopt;
  }

  void skip_digits() {
    while (is_digit(peek())) ++at_;
  }

  std::optional<SourceFault> read_number() {
    const std::size_t begin = at_;
    TokenKind kind = TokenKind::integer;
    if (peek() == '0' && (peek(1) | 0x20) == 'x' && is_hex(peek(2))) {
      at_ += 2;
      while (is_hex(peek())) ++at_;
    } else {
      kind = read_decimal();
    }
    if (kind == TokenKind::integer && (peek() | 0x20) == 'u') {
      add(TokenKind::unsigned_integer, begin);
      ++at_;
    } else {
      add(kind, begin);
    }
    if (is_letter(peek())) return fault(at_, "a letter follows the number");
    return std::nullopt;
  }

  TokenKind read_decimal() {
    TokenKind kind = TokenKind::integer;
    skip_digits();
    if (peek() == '.' && is_digit(peek(1))) {
      kind = TokenKind::real;
      ++at_;
      skip_digits();
    }
    const std::size_t sign = peek(1) == '+' || peek(1) == '-' ? 1 : 0;
    if ((peek() | 0x20) == 'e' && is_digit(peek(1 + sign))) {
      kind = TokenKind::real;
      at_ += 1 + sign;
      skip_digits();
    }
    return kind;
  }

  std::optional<SourceFault> read_quoted_identifier() {
    const std::size_t begin = at_++;
    const auto allowed = [](char c) {
      return is_letter(c) || is_digit(c) || c == '.' || c == '-' || c == '/' || c == ' ';
    };
    while (allowed(peek())) ++at_;
    if (peek() != '`' || at_ == begin + 1) return fault(begin, "the quoted field is not closed");
    const std::string_view name = source_.substr(begin + 1, at_ - begin - 1);
    tokens_->push_back({TokenKind::quoted_identifier, static_cast<std::uint32_t>(begin), name});
    ++at_;
    return std::nullopt;
  }

  std::optional<SourceFault> read_punctuation() {
    constexpr std::array<std::string_view, 28> kMarks = {
        "&&", "||", "==", "!=", "<=", ">=", "<", ">", "+", "-", "*", "/", "%", "!",
        "?",  ":",  ".",  ",",  "(",  ")",  "[", "]", "{", "}", "=", "&", "|", ";"};
    const auto* mark = std::find_if(kMarks.begin(), kMarks.end(), [this](std::string_view each) {
      return rest().starts_with(each);
    });
    // The last four are read only to be named in the message.
    if (mark >= kMarks.end() - 4) {
      std::size_t length = 1;
      while (at_ + length < source_.size() &&
             (static_cast<unsigned char>(source_[at_ + length]) & 0xC0U) == 0x80U) {
        ++length;
      }
      return fault(at_, fmt::format("unexpected '{}'", printable(rest().substr(0, length))));
    }
    const std::size_t begin = at_;
    at_ += mark->size();
    add(TokenKind::punctuation, begin);
    return std::nullopt;
  }

  std::string_view source_;
  std::vector<Token>* tokens_;
  std::size_t at_ = 0;
};

}  // namespace

std::optional<SourceFault> read_tokens(std::string_view source, std::vector<Token>& tokens) {
  return Lexer(source, tokens).run();
}

}  // namespace tutti::cel
