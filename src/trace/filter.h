// Which jobs of a trace are meant: "queue=research,gpus>=8,team!=ops".
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "trace/job.h"

namespace tutti::trace {

class JobFilter {
 public:
  // Comparisons, all of which must hold, joined with ','. A name is one of the known ones or a
  // label; numbers compare with = != < <= > >=, text with = and !=.
  static Result<JobFilter> parse(std::string_view text);

  bool accepts(const Job& job) const;
  const std::string& text() const { return text_; }

 private:
  enum class Relation : std::uint8_t { equal, differs, less, at_most, greater, at_least };
  struct Condition {
    std::string name;
    Relation relation = Relation::equal;
    std::string text;
    double number = 0;
    bool numeric = false;
  };
  static Result<Condition> parse_condition(std::string_view text);
  static bool holds(const Condition& condition, const Job& job);

  std::string text_;
  std::vector<Condition> conditions_;
};

}  // namespace tutti::trace
