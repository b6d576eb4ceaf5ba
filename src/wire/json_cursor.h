// JsonCursor: walks over JSON text and hands out its parts as text, so that a list of thousands of
// objects can be read one by one instead of as one tree.
//
//   JsonCursor cursor(text);
//   if (!cursor.enter('{')) …
//   while (const auto key = cursor.next_key()) {
//     if (*key == "items") … else cursor.skip_value();
//   }
//   if (cursor.failed()) …
//
// It finds where values begin and end and checks no more than that needs: parts that matter are
// read with read_json, which is strict.
#pragma once

#include "base/std.h"

namespace tutti::wire {

class JsonCursor {
 public:
  explicit JsonCursor(std::string_view text) : text_(text) {}

  // Steps into the value that comes next. False, and failed(), if it does not begin with `bracket`.
  bool enter(char bracket);
  // The key of the next member of the entered object, as written between its quotes; the cursor is
  // then before its value. Empty, and stepped out, when there are no more.
  std::optional<std::string_view> next_key();
  // The text of the next item of the entered array. Empty, and stepped out, when there are no more.
  std::optional<std::string_view> next_item();
  // The text of the value that comes next.
  std::string_view skip_value();
  // What follows, from the next character that is no space.
  std::string_view rest() {
    peek();
    return text_.substr(position_);
  }

  // Whether the text was not JSON somewhere up to here; everything is then empty.
  bool failed() const { return failed_; }

 private:
  char peek();
  bool step_over_separator(char closing);
  bool skip_string();
  bool skip_container();
  void fail();

  std::string_view text_;
  std::size_t position_ = 0;
  bool first_ = true;  // nothing of the innermost entered container was handed out yet
  bool failed_ = false;
};

}  // namespace tutti::wire
