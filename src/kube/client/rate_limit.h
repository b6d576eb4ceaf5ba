// RateLimiter: at most so many calls a second on average, with bursts (a token bucket).
#pragma once

#include <algorithm>
#include <chrono>

namespace tutti::kube {

struct RateLimit {
  double per_second = 0;  // 0 or less: no limit
  int burst = 1;          // calls that may go at once after a pause, at least 1
};

class RateLimiter {
 public:
  using Clock = std::chrono::steady_clock;

  explicit RateLimiter(RateLimit limit)
      : limit_(limit), burst_(std::max(1, limit.burst)), saved_(burst_) {}

  // Counts a call and returns zero if it may go now; otherwise how long until one may.
  std::chrono::nanoseconds take(Clock::time_point now) {
    if (limit_.per_second <= 0) return {};
    const std::chrono::duration<double> passed = now - counted_at_;
    saved_ = std::min(burst_, saved_ + passed.count() * limit_.per_second);
    counted_at_ = now;
    if (saved_ < 1) {
      const std::chrono::duration<double> missing((1 - saved_) / limit_.per_second);
      return std::chrono::ceil<std::chrono::nanoseconds>(missing);
    }
    saved_ -= 1;
    return {};
  }

 private:
  RateLimit limit_;
  double burst_;
  double saved_;                    // calls that may go now
  Clock::time_point counted_at_{};  // the bucket begins full, so any beginning will do
};

}  // namespace tutti::kube
