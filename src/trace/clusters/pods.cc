#include "trace/clusters/pods.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <tuple>
#include <utility>

#include "core/shapes/shape.h"

namespace tutti::trace {
namespace {

constexpr std::int64_t kGpusOfPodMax = 1'000'000;
constexpr std::int64_t kPodsOfNodeMax = 1'000'000;

bool asks_the_same(const Job& a, const Job& b) {
  return a.milli_cpu == b.milli_cpu && a.memory == b.memory && a.gpu_milli == b.gpu_milli &&
         a.models == b.models && a.extra == b.extra && a.queue == b.queue &&
         a.priority == b.priority;
}

// Pods of one gang that were there together.
struct Wave {
  std::vector<const PodRecord*> pods;
  std::optional<Millis> first_end;
};

// Members of a wave that ask for the same.
Job job_of(std::span<const PodRecord* const> members) {
  const PodRecord& first = *members.front();
  Job job = first.asks;
  job.id = fmt::format("{}/{}", first.ns, first.gang.empty() ? first.name : first.gang);
  job.ns = first.ns;
  job.replicas = static_cast<std::int32_t>(members.size());
  job.minimum = std::clamp(first.minimum.value_or(job.replicas), 1, job.replicas);
  for (const PodRecord* pod : members) job.submit = std::max(job.submit, pod->created);
  return job;
}

// When it ran, as a whole: from the start of its last member to the end of its last member.
// Returns why it is no job, if so.
std::string read_times(std::span<const PodRecord* const> members, Millis now,
                       const ReadOptions& options, Job& job, Counts& invented) {
  bool all_started = true;
  bool all_ended = true;
  bool any_ended = false;
  Millis start{0};
  Millis end{0};
  for (const PodRecord* pod : members) {
    all_started = all_started && pod->started;
    all_ended = all_ended && pod->ended;
    any_ended = any_ended || pod->ended;
    start = std::max(start, pod->started.value_or(start));
    end = std::max(end, pod->ended.value_or(end));
  }
  if (!all_started && any_ended) return "ended before all of it had started";
  if (all_started) job.observed_start = start;
  if (all_ended) {
    job.observed_end = end;
    job.duration = std::max(end - start, Millis{0});
    return {};
  }
  if (options.unfinished == Unfinished::censor) {
    ++invented["duration: for ever, of pods that had not ended"];
    return {};
  }
  if (options.unfinished == Unfinished::drop || !all_started) return "not ended";
  ++invented["duration: so far, of pods that had not ended"];
  job.duration = std::max(now - start, Millis{0});
  return {};
}

class GangMaker {
 public:
  GangMaker(Millis now, const ReadOptions& options, Trace& trace)
      : now_(now), options_(options), trace_(trace) {}

  // Requires pods of one gang by the time of creation.
  void add(std::span<const PodRecord* const> pods) {
    std::vector<Wave> waves;
    for (const PodRecord* pod : pods) {
      const bool next =
          waves.empty() || (waves.back().first_end && pod->created >= *waves.back().first_end);
      if (next) waves.emplace_back();
      Wave& wave = waves.back();
      wave.pods.push_back(pod);
      if (pod->ended) {
        wave.first_end = wave.first_end ? std::min(*wave.first_end, *pod->ended) : *pod->ended;
      }
    }
    for (std::size_t i = 0; i < waves.size(); ++i) {
      add_wave(waves[i], i == 0 ? "" : fmt::format("#{}", i + 1));
    }
  }

 private:
  void add_wave(const Wave& wave, const std::string& suffix) {
    std::vector<std::vector<const PodRecord*>> parts;
    for (const PodRecord* pod : wave.pods) {
      const auto at = std::ranges::find_if(
          parts, [&](const auto& part) { return asks_the_same(part.front()->asks, pod->asks); });
      (at == parts.end() ? parts.emplace_back() : *at).push_back(pod);
    }
    if (parts.size() > 1) {
      trace_.ignored["gangs of members that differ: each kind is a job of its own"] += 1;
    }
    for (std::size_t i = 0; i < parts.size(); ++i) {
      Job job = job_of(parts[i]);
      job.id += suffix;
      if (i > 0) job.id += fmt::format("+{}", i + 1);
      const std::string dropped = read_times(parts[i], now_, options_, job, trace_.invented);
      if (!dropped.empty()) {
        ++trace_.dropped[dropped];
        continue;
      }
      trace_.jobs.push_back(std::move(job));
    }
  }

  Millis now_;
  const ReadOptions& options_;
  Trace& trace_;
};

bool is_gpu(std::string_view resource) {
  constexpr std::string_view kOthers[] = {"gpu.intel.com/i915", "gpu.intel.com/xe",
                                          "habana.ai/gaudi", "google.com/tpu",
                                          "aws.amazon.com/neuron"};
  return resource.ends_with("/gpu") || std::ranges::find(kOthers, resource) != std::end(kOthers);
}

bool is_passed_over(std::string_view resource) {
  return resource == "ephemeral-storage" || resource == "pods" ||
         resource.starts_with("attachable-volumes-");
}

}  // namespace

void add_gangs(std::vector<PodRecord> pods, Millis now, const ReadOptions& options, Trace& trace) {
  std::ranges::sort(pods, {},
                    [](const PodRecord& pod) { return std::tie(pod.created, pod.ns, pod.name); });
  std::map<std::pair<std::string, std::string>, std::vector<const PodRecord*>> gangs;
  for (const PodRecord& pod : pods) {
    // Pods that stand alone are gangs of one; those of one name followed each other.
    gangs[{pod.ns, pod.gang.empty() ? "/" + pod.name : pod.gang}].push_back(&pod);
  }
  GangMaker maker(now, options, trace);
  for (const auto& [key, members] : gangs) maker.add(members);
}

std::string gang_by_labels(const FindLabel& label) {
  constexpr std::array<std::string_view, 5> kKeys = {
      "kueue.x-k8s.io/pod-group-name", "scheduling.x-k8s.io/pod-group",
      "scheduling.k8s.io/group-name", "jobset.sigs.k8s.io/jobset-name",
      "training.kubeflow.org/job-name"};
  for (const std::string_view key : kKeys) {
    if (const std::string_view name = label(key); !name.empty()) return std::string(name);
  }
  const std::string_view set = label("leaderworkerset.sigs.k8s.io/name");
  if (!set.empty()) {
    return fmt::format("{}-{}", set, label("leaderworkerset.sigs.k8s.io/group-index"));
  }
  return {};
}

void take_amount(Job& asks, std::string_view resource, std::int64_t amount) {
  amount = std::clamp<std::int64_t>(amount, 0, core::kAmountMax - 1);
  if (resource == "cpu") {
    asks.milli_cpu = amount;
  } else if (resource == "memory") {
    asks.memory = amount;
  } else if (resource == core::kGpuMilli) {
    asks.gpu_milli += std::min(amount, kGpusOfPodMax * kGpu);
  } else if (is_gpu(resource)) {
    asks.gpu_milli += std::min(amount, kGpusOfPodMax) * kGpu;
  } else if (!is_passed_over(resource) && amount > 0) {
    asks.extra.emplace_back(resource, amount);
  }
}

void take_amount(Node& node, std::string_view resource, std::int64_t amount) {
  amount = std::clamp<std::int64_t>(amount, 0, core::kAmountMax - 1);
  if (resource == "cpu") {
    node.milli_cpu = amount;
  } else if (resource == "memory") {
    node.memory = amount;
  } else if (resource == "pods") {
    node.pods = std::min(amount, kPodsOfNodeMax);
  } else if (resource == core::kGpuMilli) {
    node.gpus = std::max(node.gpus, std::min(amount / kGpu, kGpusOfPodMax));
  } else if (is_gpu(resource)) {
    node.gpus = std::max(node.gpus, std::min(amount, kGpusOfPodMax));
  } else if (!is_passed_over(resource) && amount > 0) {
    node.extra.emplace_back(resource, amount);
  }
}

std::span<const std::string_view> model_labels() {
  static constexpr std::array<std::string_view, 3> kLabels = {
      "nvidia.com/gpu.product", "amd.com/gpu.product-name", "tutti.dev/gpu-model"};
  return kLabels;
}

std::string_view level_of(std::string_view label) {
  if (label.find("topology") == std::string_view::npos) return {};
  const std::size_t slash = label.rfind('/');
  return slash == std::string_view::npos ? label : label.substr(slash + 1);
}

}  // namespace tutti::trace
