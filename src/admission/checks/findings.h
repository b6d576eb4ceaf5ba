// Collecting problems while walking an object.
//
// Nearly every object is fine, so a walk must cost nothing but the checks: a Path is a chain of
// frames on the stack and becomes text only when a problem is added.
#pragma once

#include <fmt/format.h>

#include "admission/checks/field_problem.h"
#include "base/std.h"

namespace tutti::admission {

// A place in an object. Borrows its parent and its names: both must outlive it, which is why a
// temporary cannot be a parent.
class Path {
 public:
  // `name` may be dotted: "schedulingPolicy.gang.minCount".
  explicit Path(std::string_view name) : Path(nullptr, name, {}, kNoIndex) {}

  Path field(std::string_view name) const& { return {this, name, {}, kNoIndex}; }
  // list[index]
  Path item(std::string_view list, std::size_t index) const& { return {this, list, {}, index}; }
  // map[key]
  Path entry(std::string_view map, std::string_view key) const& {
    return {this, map, key, kNoIndex};
  }
  Path field(std::string_view) const&& = delete;
  Path item(std::string_view, std::size_t) const&& = delete;
  Path entry(std::string_view, std::string_view) const&& = delete;

  std::string text() const;

 private:
  static constexpr std::size_t kNoIndex = static_cast<std::size_t>(-1);
  Path(const Path* parent, std::string_view name, std::string_view key, std::size_t index)
      : parent_(parent), name_(name), key_(key), index_(index) {}

  const Path* parent_;
  std::string_view name_;
  std::string_view key_;
  std::size_t index_;
};

class Findings {
 public:
  template <typename... Args>
  void add(const Path& path, fmt::format_string<Args...> message, Args&&... args) {
    problems_.push_back({path.text(), fmt::format(message, std::forward<Args>(args)...)});
  }

  // The problems in the order in which they were found.
  FieldProblems take() && { return std::move(problems_); }

 private:
  FieldProblems problems_;
};

}  // namespace tutti::admission
