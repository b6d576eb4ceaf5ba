#include "replay/typical_pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace tutti::replay {

std::int64_t count_pods(std::span<const trace::Job> jobs) {
  std::int64_t pods = 0;
  for (const trace::Job& job : jobs) pods += job.replicas;
  return pods;
}

std::vector<core::TypicalPod> typical_pods(std::span<const trace::Job> jobs) {
  constexpr double kCovered = 0.95;
  // CPU, thousandths of each device, devices, models.
  using Kind = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::string>;
  std::map<Kind, core::TypicalPod> kinds;
  for (const trace::Job& job : jobs) {
    const bool share = job.gpu_milli < trace::kGpu;
    const Kind kind{job.milli_cpu, share ? job.gpu_milli : trace::kGpu,
                    share ? (job.gpu_milli > 0 ? 1 : 0) : job.gpu_milli / trace::kGpu,
                    fmt::format("{}", fmt::join(job.models, "|"))};
    const auto [at, fresh] =
        kinds.try_emplace(kind, core::TypicalPod{job.milli_cpu, job.gpu_milli, job.models, 0});
    at->second.count += job.replicas;
  }
  std::vector<std::pair<Kind, core::TypicalPod>> sorted(kinds.begin(), kinds.end());
  std::ranges::sort(sorted, std::greater<>{}, [](const auto& entry) {
    return std::tuple_cat(std::tuple(entry.second.count), entry.first);
  });
  const auto all = static_cast<double>(count_pods(jobs));
  std::vector<core::TypicalPod> typical;
  std::int64_t covered = 0;
  for (const auto& [kind, pod] : sorted) {
    if (static_cast<double>(covered) >= kCovered * all) break;
    covered += pod.count;
    typical.push_back(pod);
  }
  return typical;
}

}  // namespace tutti::replay
