#include "wire/json_cursor.h"

namespace tutti::wire {
namespace {

bool is_space(char c) { return c == ' ' || c == '\n' || c == '\r' || c == '\t'; }

bool ends_literal(char c) { return c == ',' || c == ']' || c == '}' || is_space(c); }

}  // namespace

void JsonCursor::fail() {
  failed_ = true;
  position_ = text_.size();
}

// The next character that is no space; 0 at the end.
char JsonCursor::peek() {
  while (position_ < text_.size() && is_space(text_[position_])) ++position_;
  return position_ < text_.size() ? text_[position_] : '\0';
}

bool JsonCursor::enter(char bracket) {
  if (peek() != bracket) {
    fail();
    return false;
  }
  ++position_;
  first_ = true;
  return true;
}

// False at the end of the container, which is then behind.
bool JsonCursor::step_over_separator(char closing) {
  const char next = peek();
  if (next == closing) {
    ++position_;
    first_ = false;
    return false;
  }
  if (!first_) {
    if (next != ',') {
      fail();
      return false;
    }
    ++position_;
  }
  first_ = false;
  return true;
}

std::optional<std::string_view> JsonCursor::next_key() {
  if (!step_over_separator('}')) return std::nullopt;
  if (peek() != '"') {
    fail();
    return std::nullopt;
  }
  const std::size_t begin = position_ + 1;
  if (!skip_string()) return std::nullopt;
  const std::string_view key = text_.substr(begin, position_ - begin - 1);
  if (peek() != ':') {
    fail();
    return std::nullopt;
  }
  ++position_;
  return key;
}

std::optional<std::string_view> JsonCursor::next_item() {
  if (!step_over_separator(']')) return std::nullopt;
  const std::string_view item = skip_value();
  if (failed_) return std::nullopt;
  return item;
}

std::string_view JsonCursor::skip_value() {
  const char first = peek();
  const std::size_t begin = position_;
  if (first == '"') {
    if (!skip_string()) return {};
  } else if (first == '{' || first == '[') {
    if (!skip_container()) return {};
  } else {
    while (position_ < text_.size() && !ends_literal(text_[position_])) ++position_;
    if (position_ == begin) fail();
  }
  return failed_ ? std::string_view{} : text_.substr(begin, position_ - begin);
}

bool JsonCursor::skip_string() {
  for (++position_; position_ < text_.size(); ++position_) {
    if (text_[position_] == '"') {
      ++position_;
      return true;
    }
    if (text_[position_] == '\\') ++position_;
  }
  fail();
  return false;
}

// Brackets of both kinds count alike: whether they match is for the reader to say.
bool JsonCursor::skip_container() {
  std::size_t depth = 0;
  while (position_ < text_.size()) {
    const char c = text_[position_];
    if (c == '"') {
      if (!skip_string()) return false;
      continue;
    }
    ++position_;
    if (c == '{' || c == '[') ++depth;
    if ((c == '}' || c == ']') && --depth == 0) return true;
  }
  fail();
  return false;
}

}  // namespace tutti::wire
