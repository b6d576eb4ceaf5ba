#include "replay/slowdown.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "replay/progress.h"

namespace tutti::replay {
namespace {

constexpr std::string_view kReference = "v100";

// Whole devices: a share of one counts as one.
std::int64_t devices(std::int64_t gpu_milli) { return (gpu_milli + trace::kGpu - 1) / trace::kGpu; }

// The measured kind of device that the model names: "Tesla V100-SXM2" is v100; empty: none.
std::string_view measured_device(std::string_view model) {
  constexpr std::array<std::string_view, 3> kMeasured = {"k80", "p100", "v100"};
  std::string lower(model);
  for (char& c : lower) {
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  }
  const auto named = [&](std::string_view device) {
    return lower.find(device) != std::string::npos;
  };
  const auto at = std::ranges::find_if(kMeasured, named);
  return at == kMeasured.end() ? std::string_view{} : *at;
}

}  // namespace

bool SlowdownModel::knows(const trace::Job& job) const {
  return times_.has(job.model) || rates_.alone(kReference, job.model, 1).has_value();
}

// The number of GPUs that was measured is the largest that the job has at least.
std::optional<double> SlowdownModel::by_rates(const trace::Job& job,
                                              std::span<const NodePods> places,
                                              std::span<const trace::Node> nodes) const {
  std::int64_t gpus = 0;
  std::int64_t largest = 1;
  std::string_view device = kReference;
  std::optional<double> slowest;
  for (const auto& [node, pods] : places) {
    gpus += pods * devices(job.gpu_milli);
    largest = std::max(largest, nodes[node].gpus);
  }
  constexpr std::array<std::int64_t, 4> kScales = {8, 4, 2, 1};
  const auto scale = std::ranges::find_if(kScales, [&](std::int64_t one) {
    return one <= gpus && rates_.alone(kReference, job.model, one);
  });
  if (scale == kScales.end()) return std::nullopt;
  const double reference = *rates_.alone(kReference, job.model, *scale);
  // All members go at the pace of the slowest device.
  for (const auto& [node, pods] : places) {
    const std::string_view named = measured_device(nodes[node].model);
    const std::string_view one = named.empty() ? kReference : named;
    const auto rate = rates_.alone(one, job.model, *scale);
    if (!rate || (slowest && *slowest <= *rate)) continue;
    slowest = rate;
    device = one;
  }
  double slowdown = slowest ? reference / *slowest : 1;
  const auto fewest = static_cast<std::size_t>((gpus + largest - 1) / largest);
  if (places.size() > fewest) {
    slowdown *= rates_.spread_slowdown(device, job.model, *scale).value_or(1);
  }
  return slowdown;
}

std::int64_t SlowdownModel::of(const trace::Job& job, std::span<const NodePods> places,
                               std::span<const trace::Node> nodes) const {
  if (job.model.empty() || job.gpu_milli == 0 || places.empty()) return kNoSlowdown;
  std::optional<double> slowdown;
  if (times_.has(job.model)) {
    std::vector<std::int64_t> gpus;
    for (const auto& [node, pods] : places) gpus.push_back(pods * devices(job.gpu_milli));
    slowdown = times_.slowdown(job.model, gpus);
  } else {
    slowdown = by_rates(job, places, nodes);
  }
  constexpr double kMost = 1000;
  const double kept = std::clamp(slowdown.value_or(1), 1 / kMost, kMost);
  return std::llround(kept * static_cast<double>(kNoSlowdown));
}

}  // namespace tutti::replay
