// Regular expressions in RE2's syntax; time is linear in the text.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "cel/value/context.h"

namespace tutti::cel {

class Regex {
 public:
  // The error says what is wrong with the pattern.
  static Result<Regex> compile(std::string_view pattern);
  ~Regex();
  Regex(Regex&&) noexcept;
  Regex& operator=(Regex&&) noexcept;

  // Anywhere in the text.
  bool matches(std::string_view text) const;
  // The first match at or after `from`, as a range of bytes.
  struct Match {
    std::size_t begin;
    std::size_t end;
  };
  std::optional<Match> find(std::string_view text, std::size_t from) const;

  // What applying it to a text of that length costs.
  std::uint64_t cost(std::size_t text_bytes) const;

 private:
  struct Compiled;
  explicit Regex(std::unique_ptr<Compiled> compiled);
  std::unique_ptr<Compiled> compiled_;
};

// text.matches(pattern) with a pattern that was compiled before.
Value matches_compiled(Context& context, const Value& text, const Regex& regex);

}  // namespace tutti::cel
