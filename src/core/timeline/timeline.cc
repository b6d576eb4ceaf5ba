#include "core/timeline/timeline.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

constexpr Millis kOverrunMin = std::chrono::minutes(1);

std::string runner_text(const Runner& who) {
  return who.pod.valid() ? fmt::format("pod {}", who.pod.index) : "request " + who.request;
}

}  // namespace

Timeline::Entry Timeline::made(const Expectation& expected, Instant now) {
  Entry entry{.expected = expected, .end = std::nullopt};
  if (!expected.length) return entry;
  Millis length = std::max(*expected.length, Millis(0));
  Instant end = later(expected.start, length);
  while (end < now) {
    entry.overruns = true;
    length += std::max(length / 10, kOverrunMin);
    end = later(expected.start, length);
  }
  entry.end = end;
  return entry;
}

void Timeline::put(const Runner& who, const Expectation& expected) {
  const Entry entry = made(expected, now_);
  const auto [at, fresh] = all_.try_emplace(who, entry);
  if (!fresh) {
    if (at->second.expected == expected) return;
    if (at->second.end) ends_.erase({*at->second.end, who});
    at->second = entry;
  }
  if (entry.end) ends_.insert({*entry.end, who});
  ++version_;
}

bool Timeline::remove(const Runner& who) {
  const auto at = all_.find(who);
  if (at == all_.end()) return false;
  const bool early = !at->second.end || *at->second.end > now_;
  if (at->second.end) ends_.erase({*at->second.end, who});
  all_.erase(at);
  ++version_;
  ++ended_;
  return early;
}

void Timeline::advance(Instant now) {
  now_ = std::max(now_, now);
  while (!ends_.empty() && ends_.begin()->at < now_) {
    const Runner who = ends_.begin()->who;
    ends_.erase(ends_.begin());
    Entry& entry = all_.at(who);
    entry = made(entry.expected, now_);
    TUTTI_CHECK(entry.end && *entry.end >= now_, "nobody is expected to end in the past");
    ends_.insert({*entry.end, who});
    ++version_;
  }
}

std::vector<Runner> Timeline::endless() const {
  std::vector<std::pair<Instant, Runner>> found;
  for (const auto& [who, entry] : all_) {
    if (!entry.end) found.emplace_back(entry.expected.start, who);
  }
  std::ranges::sort(found);
  std::vector<Runner> out;
  for (auto& [start, who] : found) out.push_back(std::move(who));
  return out;
}

bool Timeline::is_certain(const Runner& who) const {
  const auto at = all_.find(who);
  return at != all_.end() && at->second.expected.certain && !at->second.overruns;
}

void Timeline::clear() {
  all_.clear();
  ends_.clear();
  ++version_;
}

std::string Timeline::difference(const Timeline& other) const {
  for (const auto& [who, entry] : all_) {
    const auto at = other.all_.find(who);
    if (at == other.all_.end()) return runner_text(who) + " is expected to end and does not run";
    if (at->second.end != entry.end || at->second.expected != entry.expected) {
      return runner_text(who) + " is expected to end at another time than it says";
    }
  }
  for (const auto& [who, entry] : other.all_) {
    if (!all_.contains(who)) return runner_text(who) + " runs and nobody expects its end";
  }
  return ends_ == other.ends_ ? std::string() : "ends are not in order";
}

}  // namespace tutti::core
