#include "core/topology/topology_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <string_view>
#include <tuple>
#include <utility>

namespace tutti::core {
namespace {

constexpr std::string_view kRequired = "kueue.x-k8s.io/podset-required-topology";
constexpr std::string_view kPreferred = "kueue.x-k8s.io/podset-preferred-topology";
constexpr std::string_view kUnconstrained = "kueue.x-k8s.io/podset-unconstrained-topology";
constexpr std::string_view kSliceKey = "kueue.x-k8s.io/podset-slice-required-topology";
constexpr std::string_view kSliceSize = "kueue.x-k8s.io/podset-slice-size";
constexpr std::string_view kSliceLayers =
    "kueue.x-k8s.io/podset-slice-required-topology-constraints";

constexpr std::array<std::string_view, 4> kIndexNames = {
    "batch.kubernetes.io/job-completion-index", "kueue.x-k8s.io/pod-group-pod-index",
    "apps.kubernetes.io/pod-index", "leaderworkerset.sigs.k8s.io/worker-index"};

std::optional<std::int64_t> number(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value);
  const bool whole = problem == std::errc{} && end == text.data() + text.size();
  return whole && value >= 0 ? std::optional(value) : std::nullopt;
}

Error bad(std::string_view annotation, const std::string& problem) {
  return {Error::Code::invalid, fmt::format("annotation {}: {}", annotation, problem)};
}

std::string text_of(const model::Pod& pod, std::string_view annotation) {
  const std::string* value = model::find(pod.meta.annotations, annotation);
  return value == nullptr ? std::string{} : *value;
}

Result<std::size_t> slice_size(const model::Pod& pod) {
  const std::string text = text_of(pod, kSliceSize);
  if (text.empty()) return std::size_t{0};
  const auto size = number(text);
  if (!size || *size < 1) return bad(kSliceSize, "'" + text + "' is not a number of pods");
  return static_cast<std::size_t>(*size);
}

// The number a name ends with, and what stands before it.
std::pair<std::string_view, std::optional<std::int64_t>> split_name(std::string_view name) {
  const std::size_t last = name.find_last_not_of("0123456789");
  const std::size_t digits = last == std::string_view::npos ? 0 : last + 1;
  return {name.substr(0, digits), number(name.substr(digits))};
}

// Every pod with its rank, in order; empty when one has none or two have the same.
std::vector<std::pair<std::int64_t, PodId>> by_rank(const Cluster& cluster,
                                                    std::span<const PodId> pods) {
  std::vector<std::pair<std::int64_t, PodId>> ranked;
  for (const PodId pod : pods) {
    const auto rank = rank_of(*cluster.pod(pod).object);
    if (!rank) return {};
    ranked.emplace_back(*rank, pod);
  }
  std::ranges::sort(ranked);
  const auto same = std::ranges::adjacent_find(
      ranked, [](const auto& a, const auto& b) { return a.first == b.first; });
  if (same != ranked.end()) return {};
  return ranked;
}

}  // namespace

Result<TopologyRequest> topology_request(const model::Pod& pod) {
  TopologyRequest request{.required = text_of(pod, kRequired),
                          .preferred = text_of(pod, kPreferred),
                          .unconstrained = text_of(pod, kUnconstrained) == "true",
                          .slice_key = text_of(pod, kSliceKey),
                          .slice_size = 0};
  const auto size = slice_size(pod);
  if (!size.ok()) return size.error();
  request.slice_size = *size;
  if (request.unconstrained && !(request.required.empty() && request.preferred.empty())) {
    return bad(kUnconstrained, "contradicts a required or preferred topology");
  }
  if (request.slice_key.empty() && request.slice_size > 0) {
    return bad(kSliceSize, fmt::format("needs {} beside it", kSliceKey));
  }
  if (!request.slice_key.empty() && request.slice_size == 0) {
    return bad(kSliceKey, fmt::format("needs {} beside it", kSliceSize));
  }
  if (!text_of(pod, kSliceLayers).empty()) {
    return bad(kSliceLayers, "slices within slices are not supported");
  }
  return request;
}

Result<TopologyRequest> topology_request(const Cluster& cluster, std::span<const PodId> members) {
  if (members.empty()) return TopologyRequest{};
  const model::Pod& first = *cluster.pod(members.front()).object;
  const auto request = topology_request(first);
  for (const PodId member : members) {
    const model::Pod& pod = *cluster.pod(member).object;
    if (request.ok() && pod.meta.annotations == first.meta.annotations) continue;
    const auto own = topology_request(pod);
    if (!own.ok()) {
      return Error{own.error().code, fmt::format("pod {}: {}", pod.meta.name, own.error().message)};
    }
    if (*own == *request) continue;
    return Error{Error::Code::invalid,
                 fmt::format("pods {} and {} ask for different topologies in their annotations",
                             first.meta.name, pod.meta.name)};
  }
  if (request->slice_size > 0 && members.size() % request->slice_size != 0) {
    const Error error =
        bad(kSliceSize, fmt::format("{} does not divide the {} members of its group",
                                    request->slice_size, members.size()));
    return Error{error.code, fmt::format("pod {}: {}", first.meta.name, error.message)};
  }
  return request;
}

std::optional<std::int64_t> rank_of(const model::Pod& pod) {
  for (const std::string_view name : kIndexNames) {
    for (const auto* pairs : {&pod.meta.labels, &pod.meta.annotations}) {
      if (const std::string* value = model::find(*pairs, name)) return number(*value);
    }
  }
  return split_name(pod.meta.name).second;
}

void sort_by_rank(const Cluster& cluster, std::vector<PodId>& pods) {
  if (const auto ranked = by_rank(cluster, pods); !ranked.empty()) {
    std::ranges::transform(ranked, pods.begin(), [](const auto& entry) { return entry.second; });
    return;
  }
  std::ranges::sort(pods, {}, [&](PodId pod) {
    const std::string& name = cluster.pod(pod).object->meta.name;
    return std::tuple(split_name(name), std::string_view(name));
  });
}

}  // namespace tutti::core
