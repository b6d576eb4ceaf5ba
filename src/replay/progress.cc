#include "replay/progress.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::replay {

void Progress::start(std::int32_t pods, std::int64_t slowdown) {
  restarting_ = first_ ? 0 : plan_.restart.count();
  first_ = false;
  checkpointing_ = since_ = unsaved_ = fraction_ = 0;
  pods_ = pods;
  slowdown_ = slowdown;
}

void Progress::change(std::int32_t pods, std::int64_t slowdown) {
  TUTTI_CHECK(pods > 0 && slowdown > 0, "it runs on some place");
  if (slowdown != slowdown_) fraction_ = 0;
  pods_ = pods;
  slowdown_ = slowdown;
}

std::int64_t Progress::pass_overhead(std::int64_t& phase, std::int64_t span) {
  const std::int64_t passed = std::min(phase, span);
  phase -= passed;
  time_.overhead += passed * pods_;
  return passed;
}

// Milliseconds of work until the next checkpoint is due.
std::int64_t Progress::to_checkpoint() const { return plan_.every->count() - since_; }

void Progress::work(std::int64_t span) {
  const Wide done = Wide{span} * pods_ * kNoSlowdown + fraction_;
  fraction_ = static_cast<std::int64_t>(done % slowdown_);
  auto worked = static_cast<std::int64_t>(done / slowdown_);
  if (left_) {
    // The last millisecond may hold more than what is left.
    worked = std::min(worked, *left_);
    *left_ -= worked;
  }
  since_ += span;
  unsaved_ += worked;
  time_.useful += worked;
}

void Progress::advance(Millis elapsed) {
  std::int64_t span = elapsed.count();
  TUTTI_CHECK(span >= 0, "time does not run backwards");
  time_.held += span * pods_;
  span -= pass_overhead(restarting_, span);
  while (span > 0) {
    if (checkpointing_ > 0) {
      span -= pass_overhead(checkpointing_, span);
      if (checkpointing_ == 0) unsaved_ = 0;
      continue;
    }
    if (!plan_.every) return work(span);
    if (to_checkpoint() == 0) {
      since_ = 0;
      checkpointing_ = plan_.cost.count();
      if (checkpointing_ == 0) unsaved_ = 0;
      continue;
    }
    const std::int64_t cycle = plan_.every->count() + plan_.cost.count();
    if (since_ == 0 && span > cycle) {
      // Many whole rounds at once: each is work and a checkpoint.
      const std::int64_t rounds = (span - 1) / cycle;
      work(rounds * plan_.every->count());
      time_.overhead += rounds * plan_.cost.count() * pods_;
      since_ = unsaved_ = 0;
      span -= rounds * cycle;
      continue;
    }
    const std::int64_t step = std::min(span, to_checkpoint());
    work(step);
    span -= step;
  }
}

void Progress::interrupt() {
  time_.useful -= unsaved_;
  time_.lost += unsaved_;
  if (left_) *left_ += unsaved_;
  pods_ = 0;
  restarting_ = checkpointing_ = since_ = unsaved_ = fraction_ = 0;
}

void Progress::forfeit() {
  time_.lost += time_.useful;
  time_.useful = 0;
}

std::int64_t Progress::time_for(std::int64_t work) const {
  const Wide per_milli = Wide{pods_} * kNoSlowdown;
  const Wide need = Wide{work} * slowdown_ - fraction_;
  constexpr Wide kLongest = Wide{1} << 60;
  const Wide time = need <= 0 ? Wide{0} : (need + per_milli - 1) / per_milli;
  return static_cast<std::int64_t>(std::min(time, kLongest));
}

std::optional<Millis> Progress::until_done() const {
  if (!left_) return std::nullopt;
  TUTTI_CHECK(pods_ > 0, "it runs");
  const std::int64_t working = time_for(*left_);
  std::int64_t total = restarting_ + checkpointing_ + working;
  // None is written at the end: a checkpoint that is due when the work is done is not.
  if (plan_.every && working > to_checkpoint()) {
    const std::int64_t checkpoints = 1 + (working - to_checkpoint() - 1) / plan_.every->count();
    total += checkpoints * plan_.cost.count();
  }
  return Millis{total};
}

}  // namespace tutti::replay
