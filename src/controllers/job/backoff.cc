#include "controllers/job/backoff.h"

#include <algorithm>

namespace tutti::controllers {
namespace {

constexpr std::chrono::seconds kFirst{10};
constexpr std::chrono::seconds kMost{600};

}  // namespace

void Backoff::take(std::vector<Instant> succeeded, std::vector<Instant> failed) {
  if (!succeeded.empty()) {
    const Instant last_success = std::ranges::max(succeeded);
    std::erase_if(failed, [&](Instant when) { return when <= last_success; });
    *this = {};
  }
  if (failed.empty()) return;
  failures += static_cast<std::int32_t>(failed.size());
  last_failure = std::ranges::max(failed);
}

std::optional<Instant> Backoff::until() const {
  if (failures == 0) return std::nullopt;
  std::chrono::seconds wait = kFirst;
  for (std::int32_t i = 1; i < failures && wait < kMost; ++i) wait = std::min(kMost, wait * 2);
  return later(*last_failure, wait);
}

}  // namespace tutti::controllers
