#include "terminal/progress.h"

#include <fmt/format.h>

#include <chrono>

namespace tutti::terminal {
namespace {

// To the start of the line, and nothing to the right of it.
constexpr const char* kWipe = "\r\x1b[K";

std::string grouped(std::size_t number) {
  std::string digits = std::to_string(number);
  for (std::size_t at = digits.size(); at > 3;) digits.insert(at -= 3, ",");
  return digits;
}

}  // namespace

bool Progress::due() {
  if (silent()) return false;
  const Millis now = stopwatch_();
  if (now < next_) return false;
  next_ = now + kInterval;
  return true;
}

void Progress::write(const std::string& text) {
  *terminal_ << kWipe + text << std::flush;
  visible_ = true;
}

void Progress::erase() {
  if (!visible_) return;
  *terminal_ << kWipe << std::flush;
  visible_ = false;
}

std::string reading_line(std::size_t objects) {
  return fmt::format("reading manifests: {} object{}", grouped(objects), objects == 1 ? "" : "s");
}

std::string running_line(Millis elapsed, std::size_t placed, std::size_t pods) {
  const auto seconds = std::chrono::floor<std::chrono::seconds>(elapsed);
  return fmt::format("virtual time {}, {} of {} pod{} placed", format_duration(seconds),
                     grouped(placed), grouped(pods), pods == 1 ? "" : "s");
}

}  // namespace tutti::terminal
