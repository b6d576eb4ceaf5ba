// Series: what a run looked like over time, in at most two thousand steps, however long it was.
#pragma once

#include "base/std.h"
#include "base/time.h"

namespace tutti::replay {

class Series {
 public:
  // What was so for a while.
  struct Sample {
    std::int64_t allocated = 0;  // of GPU, or of CPU where there is none: thousandths
    std::int64_t offered = 0;
    std::int64_t waiting = 0;  // jobs
  };
  struct Step {
    double allocated = 0;  // means over the step
    double offered = 0;
    std::int64_t most_waiting = 0;
  };

  // From the end of the span before it on.
  void add(Millis span, const Sample& sample);

  Millis width() const { return width_; }  // of a step
  // The last may be shorter; means are over what of it there is.
  std::vector<Step> steps() const;

 private:
  struct Bucket {
    double allocated = 0;  // integrals
    double offered = 0;
    std::int64_t most_waiting = 0;
  };
  void halve();

  std::vector<Bucket> buckets_;
  Millis width_{1000};
  Millis end_{0};
};

}  // namespace tutti::replay
