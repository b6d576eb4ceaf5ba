#include "core/requests/request_shapes.h"

#include <algorithm>
#include <array>
#include <functional>
#include <string_view>

#include "core/requests/flavor_match.h"
#include "core/timeline/run_time.h"

namespace tutti::core {
namespace {

// Labels that name one owner. Pods of different owners are alike but for them.
constexpr std::array<std::string_view, 6> kOwnerLabels = {"batch.kubernetes.io/controller-uid",
                                                          "batch.kubernetes.io/job-name",
                                                          "controller-uid",
                                                          "job-name",
                                                          "jobset.sigs.k8s.io/jobset-name",
                                                          "jobset.sigs.k8s.io/jobset-uid"};

bool is_owner_label(std::string_view key) {
  return std::ranges::find(kOwnerLabels, key) != kOwnerLabels.end();
}

// Both are sorted by key.
bool same_labels(const model::Labels& left, const model::Labels& right) {
  auto a = left.begin();
  auto b = right.begin();
  const auto skip = [](auto& at, const auto& end) {
    while (at != end && is_owner_label(at->first)) ++at;
  };
  for (;;) {
    skip(a, left.end());
    skip(b, right.end());
    if (a == left.end() || b == right.end()) return a == left.end() && b == right.end();
    if (*a != *b) return false;
    ++a;
    ++b;
  }
}

bool same_pods(const model::PodTemplate& left, const model::PodTemplate& right) {
  const bool specs =
      left.spec == right.spec || (left.spec && right.spec && *left.spec == *right.spec);
  return specs && left.priority == right.priority &&
         left.preemption_policy == right.preemption_policy && left.node_name == right.node_name &&
         same_labels(left.labels, right.labels) && left.annotations == right.annotations;
}

bool same_set(const model::PodSet& left, const model::PodSet& right) {
  return left.name == right.name && left.count == right.count &&
         left.min_count == right.min_count && left.topology == right.topology &&
         same_pods(left.pods, right.pods);
}

// Null: it may have any.
const std::string* allowed_flavors(const model::AdmissionRequest& request) {
  return model::find(request.meta.annotations, kAllowedFlavors);
}

bool same_flavors(const model::AdmissionRequest& left, const model::AdmissionRequest& right) {
  const std::string* a = allowed_flavors(left);
  const std::string* b = allowed_flavors(right);
  return a == nullptr || b == nullptr ? a == b : *a == *b;
}

bool same_request(const model::AdmissionRequest& left, const model::AdmissionRequest& right) {
  return left.meta.ns == right.meta.ns && left.spec.queue == right.spec.queue &&
         same_flavors(left, right) && left.status.reclaimable == right.status.reclaimable &&
         left.spec.preemption_gates == right.spec.preemption_gates &&
         left.status.preemption_gates == right.status.preemption_gates &&
         std::ranges::equal(left.spec.pod_sets, right.spec.pod_sets, same_set);
}

void mix(std::uint64_t& hash, std::uint64_t value) {
  hash = (hash ^ value) * 0x9e3779b97f4a7c15U;
  hash ^= hash >> 29U;
}

std::uint64_t hash_of(const model::AdmissionRequest& request, std::int64_t priority) {
  const std::hash<std::string_view> text;
  std::uint64_t hash = text(request.spec.queue);
  mix(hash, text(request.meta.ns));
  mix(hash, static_cast<std::uint64_t>(priority));
  for (const model::PodSet& set : request.spec.pod_sets) {
    mix(hash, static_cast<std::uint64_t>(set.count));
    if (set.pods.spec == nullptr) continue;
    for (const model::Container& container : set.pods.spec->containers) {
      for (const auto& [resource, amount] : container.requests) {
        mix(hash, text(resource));
        mix(hash, static_cast<std::uint64_t>(amount.units()));
      }
    }
  }
  return hash;
}

}  // namespace

RequestShapeId RequestShapes::take(std::shared_ptr<const model::AdmissionRequest> request,
                                   std::int64_t priority) {
  const std::uint64_t hash = hash_of(*request, priority);
  RequestShapeId shape = shapes_.find(hash, [&](const Example& known) {
    return known.priority == priority && same_request(*known.request, *request) &&
           (!heeds_run_times_ || run_time_of(*known.request) == run_time_of(*request));
  });
  if (!shape.valid()) shape = shapes_.add(hash, {std::move(request), priority});
  shapes_.use(shape);
  return shape;
}

}  // namespace tutti::core
