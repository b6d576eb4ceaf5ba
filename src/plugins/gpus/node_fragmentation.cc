#include "plugins/gpus/node_fragmentation.h"

#include <algorithm>

#include "base/digest.h"

namespace tutti::plugins {
namespace {

// Why idle GPU is of no use to a typical pod, in the order in which the parts are added up.
enum Part : std::size_t {
  lack_both,
  lack_gpu,
  fits,
  lack_cpu,
  no_gpu_wanted,
  no_gpu_wanted_lack_cpu,
  no_access,
  kParts
};

}  // namespace

NodeFragmentation::NodeFragmentation(std::span<const core::TypicalPod> pods, std::int64_t all_pods,
                                     std::optional<double> blend)
    : blend_(blend) {
  std::int64_t covered = 0;
  for (const core::TypicalPod& pod : pods) covered += pod.count;
  const double all = static_cast<double>(std::max(all_pods, covered));
  const double covered_share = static_cast<double>(covered) / all;
  for (const core::TypicalPod& pod : pods) {
    const double share = static_cast<double>(pod.count) / all / covered_share;
    pods_.push_back(
        {pod.milli_cpu, gpu_request(pod.gpu_milli).value_or(GpuRequest{}), pod.models, share});
    cpus_.push_back(pod.milli_cpu);
  }
  std::ranges::sort(cpus_);
  cpus_.erase(std::unique(cpus_.begin(), cpus_.end()), cpus_.end());
}

std::size_t NodeFragmentation::KeyHash::operator()(const Key& key) const {
  Digest digest;
  digest.add(key.idle[0]);
  digest.add(key.idle[1] ^ (std::uint64_t{key.model} << 40));
  digest.add(static_cast<std::uint64_t>(key.cpu));
  return digest.value();
}

std::uint32_t NodeFragmentation::number_of(const std::string& model) {
  const auto at = std::ranges::find(models_, model);
  if (at != models_.end()) return static_cast<std::uint32_t>(at - models_.begin());
  models_.push_back(model);
  std::vector<bool> allowed;
  for (const Typical& pod : pods_) {
    allowed.push_back(pod.models.empty() ||
                      std::ranges::find(pod.models, model) != pod.models.end());
  }
  allowed_.push_back(std::move(allowed));
  return static_cast<std::uint32_t>(models_.size() - 1);
}

double NodeFragmentation::of(std::int64_t free_cpu, std::span<const GpuMilli> idle,
                             const std::string& model) {
  const std::uint32_t number = number_of(model);
  if (idle.size() > kDevicesInKey || blend_) return work_out(free_cpu, idle, number);
  std::array<GpuMilli, kDevicesInKey> sorted{};
  std::ranges::copy(idle, sorted.begin());
  std::sort(sorted.begin(), sorted.begin() + static_cast<std::ptrdiff_t>(idle.size()));
  constexpr std::size_t kHalf = kDevicesInKey / 2;
  constexpr unsigned kBits = 11;
  Key key{.model = number};
  for (std::size_t i = 0; i < idle.size(); ++i) {
    key.idle[i / kHalf] = (key.idle[i / kHalf] << kBits) | static_cast<std::uint64_t>(sorted[i]);
  }
  key.cpu = std::ranges::upper_bound(cpus_, free_cpu) - cpus_.begin();
  const auto [at, fresh] = known_.try_emplace(key, 0.0);
  if (fresh) at->second = work_out(free_cpu, idle, number);
  return at->second;
}

double NodeFragmentation::work_out(std::int64_t free_cpu, std::span<const GpuMilli> idle,
                                   std::uint32_t model) const {
  GpuMilli total = 0;
  for (const GpuMilli milli : idle) total += milli;
  std::array<double, kParts> parts{};
  const std::vector<bool>& allowed = allowed_[model];
  for (std::size_t t = 0; t < pods_.size(); ++t) {
    const Typical& pod = pods_[t];
    const bool enough_cpu = free_cpu >= pod.cpu;
    const double everything = pod.share * static_cast<double>(total);
    if (pod.gpu.devices == 0) {
      parts[enough_cpu ? no_gpu_wanted : no_gpu_wanted_lack_cpu] += everything;
    } else if (!allowed[t]) {
      parts[no_access] += everything;
    } else if (!holds(idle, pod.gpu)) {
      parts[enough_cpu ? lack_gpu : lack_both] += everything;
    } else if (!enough_cpu) {
      parts[lack_cpu] += everything;
    } else {
      parts[lack_gpu] += pod.share * lost_where_it_fits(pod, free_cpu, idle, total);
    }
  }
  double sum = 0;
  for (std::size_t part = 0; part < kParts; ++part) {
    if (part != fits) sum += parts[part];
  }
  return sum;
}

double NodeFragmentation::lost_where_it_fits(const Typical& pod, std::int64_t free_cpu,
                                             std::span<const GpuMilli> idle, GpuMilli total) const {
  GpuMilli usable = 0;
  std::int64_t copies = 0;
  std::int64_t whole = 0;
  for (const GpuMilli milli : idle) {
    if (milli < pod.gpu.milli) continue;
    usable += milli;
    copies += milli / pod.gpu.milli;
    ++whole;
  }
  if (!blend_) return static_cast<double>(total - usable);
  if (pod.gpu.devices > 1) copies = whole / pod.gpu.devices;
  const double by_cpu =
      pod.cpu == 0
          ? 1.0
          : std::min(1.0, static_cast<double>(free_cpu / pod.cpu) / static_cast<double>(copies));
  return static_cast<double>(total) -
         static_cast<double>(usable) * (*blend_ + (1 - *blend_) * by_cpu);
}

}  // namespace tutti::plugins
