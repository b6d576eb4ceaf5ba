#include "daemon/writes/event_limit.h"

#include <algorithm>
#include <chrono>

#include "base/ascii.h"

namespace tutti::daemon {
namespace {

constexpr int kAtOnce = 5;
constexpr Millis kRefill = std::chrono::minutes(2);
constexpr Millis kRepeat = std::chrono::minutes(5);
constexpr Millis kForget = std::chrono::minutes(15);  // by then its notes at once are all back

}  // namespace

std::string without_numbers(const std::string& text) {
  std::string out;
  out.reserve(text.size());
  for (const char letter : text) {
    if (!is_digit(letter)) {
      out += letter;
    } else if (out.empty() || out.back() != '#') {
      out += '#';
    }
  }
  return out;
}

bool EventLimit::allows(const std::string& uid, const std::string& note, Instant now) {
  const auto [at, fresh] = objects_.try_emplace(uid, Record{{}, now, kAtOnce, now});
  Record& record = at->second;
  std::string text = without_numbers(note);
  if (!fresh && text == record.last && now - record.at < kRepeat) return false;
  const auto refills = (now - record.refilled) / kRefill;
  if (refills > 0) {
    record.left = static_cast<int>(std::min<std::int64_t>(kAtOnce, record.left + refills));
    record.refilled += refills * kRefill;
  }
  if (record.left == 0) return false;
  --record.left;
  record.last = std::move(text);
  record.at = now;
  return true;
}

void EventLimit::forget_old(Instant now) {
  std::erase_if(objects_, [&](const auto& entry) { return now - entry.second.at > kForget; });
}

}  // namespace tutti::daemon
