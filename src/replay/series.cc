#include "replay/series.h"

#include <algorithm>

namespace tutti::replay {
namespace {

constexpr std::size_t kSeriesSteps = 2000;

}  // namespace

// Two steps become one, twice as wide.
void Series::halve() {
  for (std::size_t i = 0; 2 * i < buckets_.size(); ++i) {
    Bucket sum = buckets_[2 * i];
    if (2 * i + 1 < buckets_.size()) {
      const Bucket& second = buckets_[2 * i + 1];
      sum.allocated += second.allocated;
      sum.offered += second.offered;
      sum.most_waiting = std::max(sum.most_waiting, second.most_waiting);
    }
    buckets_[i] = sum;
  }
  buckets_.resize((buckets_.size() + 1) / 2);
  width_ *= 2;
}

void Series::add(Millis span, const Sample& sample) {
  if (span <= Millis{0}) return;
  const Millis until = end_ + span;
  while (until > width_ * static_cast<std::int64_t>(kSeriesSteps)) halve();
  while (end_ < until) {
    const auto at = static_cast<std::size_t>(end_ / width_);
    if (at >= buckets_.size()) buckets_.resize(at + 1);
    const Millis part = std::min(until, width_ * static_cast<std::int64_t>(at + 1)) - end_;
    const auto millis = static_cast<double>(part.count());
    Bucket& bucket = buckets_[at];
    bucket.allocated += static_cast<double>(sample.allocated) * millis;
    bucket.offered += static_cast<double>(sample.offered) * millis;
    bucket.most_waiting = std::max(bucket.most_waiting, sample.waiting);
    end_ += part;
  }
}

std::vector<Series::Step> Series::steps() const {
  std::vector<Step> steps;
  for (std::size_t i = 0; i < buckets_.size(); ++i) {
    const Millis begin = width_ * static_cast<std::int64_t>(i);
    const auto millis = static_cast<double>(std::min(width_, end_ - begin).count());
    steps.push_back(
        {buckets_[i].allocated / millis, buckets_[i].offered / millis, buckets_[i].most_waiting});
  }
  return steps;
}

}  // namespace tutti::replay
