// How far long work has come: one line on a terminal, written over itself, gone when the work is
// done. Work that takes no longer than kPatience shows nothing.
#pragma once

#include <functional>
#include <ostream>

#include "base/std.h"
#include "base/time.h"

namespace tutti::terminal {

// The time since the process began. Only for people to look at: nothing may be decided by it.
using Stopwatch = std::function<Millis()>;

class Progress {
 public:
  static constexpr Millis kPatience{1000};
  static constexpr Millis kInterval{200};

  // Shows nothing.
  Progress() = default;
  // `terminal` must outlive it. Shows nothing when `stopwatch` is empty.
  Progress(std::ostream& terminal, Stopwatch stopwatch)
      : terminal_(&terminal), stopwatch_(std::move(stopwatch)) {}
  ~Progress() { erase(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  bool silent() const { return !stopwatch_; }
  // To be called often: text() is asked, and the line changes, at most once per kInterval.
  template <typename Text>
  void show(const Text& text) {
    if (due()) write(text());
  }
  // To be called before anything else is written. The line may come back.
  void erase();

 private:
  bool due();
  void write(const std::string& text);

  std::ostream* terminal_ = nullptr;
  Stopwatch stopwatch_;
  Millis next_ = kPatience;
  bool visible_ = false;
};

// "reading manifests: 12,000 objects"
std::string reading_line(std::size_t objects);
// "virtual time 2h3m20s, 12,345 of 50,000 pods placed"
std::string running_line(Millis elapsed, std::size_t placed, std::size_t pods);

}  // namespace tutti::terminal
