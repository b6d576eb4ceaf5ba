// Sets of completion indexes in the form of a Job's status: "0-2,5".
#pragma once

#include <initializer_list>
#include <map>

#include "base/std.h"

namespace tutti::controllers {

// Kept as ranges, as the status writes them: a Job may have any number of completions.
class Indexes {
 public:
  Indexes() = default;
  explicit Indexes(std::initializer_list<std::int32_t> indexes) {
    for (const std::int32_t index : indexes) insert(index);
  }

  void insert(std::int32_t index) { insert(index, index); }
  // Both ends included. Requires first <= last.
  void insert(std::int32_t first, std::int32_t last);
  void insert(const Indexes& others);

  std::size_t size() const { return size_; }
  // The smallest at or after `from` that is not among them.
  std::int32_t first_missing(std::int32_t from) const;
  // First and last of each, ascending, with a gap between one and the next.
  const std::map<std::int32_t, std::int32_t>& ranges() const { return ranges_; }
  bool operator==(const Indexes&) const = default;

 private:
  std::map<std::int32_t, std::int32_t> ranges_;
  std::size_t size_ = 0;
};

// What does not parse, or lies at or beyond `end`, is left out.
Indexes parse_indexes(std::string_view text, std::int32_t end);
std::string format_indexes(const Indexes& indexes);

}  // namespace tutti::controllers
