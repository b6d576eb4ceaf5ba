// SlowdownModel: how much longer a job takes on the places that it has than packed on as few nodes
// as hold it, as it was measured for its model.
#pragma once

#include "base/std.h"
#include "trace/job.h"
#include "trace/step_rates.h"
#include "trace/step_times.h"

namespace tutti::replay {

// A node by its index, and how many pods of the job it has.
using NodePods = std::pair<std::uint32_t, std::int32_t>;

class SlowdownModel {
 public:
  SlowdownModel(trace::StepTimes times, trace::StepRates rates)
      : times_(std::move(times)), rates_(std::move(rates)) {}

  // In millionths. Places are in the order of nodes. Step times of places are asked first, then
  // rates, which know whether a job is spread and on which kind of device it runs. 1 where neither
  // knows the job's model.
  std::int64_t of(const trace::Job& job, std::span<const NodePods> places,
                  std::span<const trace::Node> nodes) const;
  bool knows(const trace::Job& job) const;

 private:
  std::optional<double> by_rates(const trace::Job& job, std::span<const NodePods> places,
                                 std::span<const trace::Node> nodes) const;

  trace::StepTimes times_;
  trace::StepRates rates_;
};

}  // namespace tutti::replay
