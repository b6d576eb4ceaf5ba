#include "core/timeline/run_time.h"

#include <algorithm>
#include <charconv>

#include "core/cluster/annotations.h"

namespace tutti::core {
namespace {

constexpr std::int64_t kDefaultGraceSeconds = 30;
constexpr std::int64_t kLongestSeconds = std::int64_t{1} << 40U;

std::optional<Millis> smaller(std::optional<Millis> left, std::optional<Millis> right) {
  if (!left || !right) return left ? left : right;
  return std::min(*left, *right);
}

Millis seconds(std::int64_t count) {
  return std::chrono::seconds(std::clamp<std::int64_t>(count, 0, kLongestSeconds));
}

Millis grace_of(const model::PodSpec* spec) {
  return seconds(spec != nullptr ? spec->termination_grace_seconds.value_or(kDefaultGraceSeconds)
                                 : kDefaultGraceSeconds);
}

// Its own deadline kills it; in virtual time it says when it is done.
std::optional<Millis> bound_of(const model::Labels& annotations, const model::PodSpec* spec) {
  std::optional<Millis> bound = duration_in(annotations, kRunsForAnnotation);
  if (spec != nullptr && spec->active_deadline_seconds) {
    bound = smaller(bound, seconds(*spec->active_deadline_seconds) + grace_of(spec));
  }
  return bound;
}

std::int64_t rounds_of(const model::AdmissionRequest& request) {
  const std::string* text = model::find(request.meta.annotations, kRounds);
  std::int64_t rounds = 1;
  if (text == nullptr) return rounds;
  const auto [stopped, error] = std::from_chars(text->data(), text->data() + text->size(), rounds);
  return error == std::errc() ? std::clamp<std::int64_t>(rounds, 1, kLongestSeconds) : 1;
}

bool says_yes(const model::Labels& annotations, std::string_view key) {
  const std::string* text = model::find(annotations, key);
  return text != nullptr && *text == "true";
}

// What its pods say: it is over when the last of them is.
std::optional<Millis> bound_of_pods(const model::AdmissionRequest& request) {
  std::optional<Millis> longest;
  for (const model::PodSet& set : request.spec.pod_sets) {
    if (set.count == 0) continue;
    const auto bound = bound_of(set.pods.annotations, set.pods.spec.get());
    if (!bound) return std::nullopt;
    longest = std::max(longest.value_or(*bound), *bound);
  }
  const std::int64_t rounds = rounds_of(request);
  if (longest && longest->count() > 0 && rounds > 1) {
    const std::int64_t most = std::chrono::duration_cast<Millis>(seconds(kLongestSeconds)).count();
    longest = Millis(longest->count() > most / rounds ? most : longest->count() * rounds);
  }
  return longest;
}

}  // namespace

std::optional<Millis> RunTime::longest() const { return smaller(bound, bound_since_admission); }

std::optional<Millis> duration_in(const model::Labels& annotations, std::string_view key) {
  const std::string* text = model::find(annotations, key);
  if (text == nullptr) return std::nullopt;
  const auto parsed = parse_duration(*text);
  if (!parsed.ok() || *parsed <= Millis(0)) return std::nullopt;
  return *parsed;
}

RunTime run_time_of(const model::AdmissionRequest& request, std::optional<Millis> by_default) {
  RunTime out;
  const model::PodSpec* first =
      request.spec.pod_sets.empty() ? nullptr : request.spec.pod_sets.front().pods.spec.get();
  if (const auto deadline = duration_in(request.meta.annotations, kActiveDeadline)) {
    out.bound = *deadline + grace_of(first);
  }
  out.bound = smaller(out.bound, bound_of_pods(request));
  if (request.spec.max_execution_seconds) {
    const std::int64_t left = std::int64_t{*request.spec.max_execution_seconds} -
                              request.status.past_execution_seconds.value_or(0);
    out.bound_since_admission = seconds(left) + grace_of(first);
  }
  out.estimate = duration_in(request.meta.annotations, kExpectedRuntime);
  out.yields = says_yes(request.meta.annotations, kYield);
  for (const model::PodSet& set : request.spec.pod_sets) {
    if (!out.estimate) out.estimate = duration_in(set.pods.annotations, kExpectedRuntime);
    out.yields = out.yields || says_yes(set.pods.annotations, kYield);
  }
  if (!out.estimate) out.estimate = by_default;
  return out;
}

RunTime run_time_of(const model::Pod& pod) {
  RunTime out;
  out.bound = bound_of(pod.meta.annotations, pod.spec.get());
  out.estimate = duration_in(pod.meta.annotations, kExpectedRuntime);
  return out;
}

}  // namespace tutti::core
