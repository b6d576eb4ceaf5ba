// Builders of queues and what waits in them, as short sentences: queue("a").cohort("org")
// .quota("std", "cpu", "8"), request("r").queue("a").pods(2, "cpu", "1").
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "model/admission_request.h"
#include "model/quota.h"
#include "support/build.h"

namespace tutti::test {

constexpr Instant at_second(int second) { return Instant{Millis{second * 1000}}; }

class QueueBuilder {
 public:
  explicit QueueBuilder(std::string name) {
    queue_.meta.name = std::move(name);
    queue_.meta.uid = "queue-" + queue_.meta.name;
    queue_.spec.namespace_selector = model::LabelSelector{};
  }
  QueueBuilder& cohort(std::string name) {
    queue_.spec.cohort = std::move(name);
    return *this;
  }
  QueueBuilder& annotation(std::string_view key, std::string value) {
    put(queue_.meta.annotations, key, std::move(value));
    return *this;
  }
  QueueBuilder& strict() {
    queue_.spec.strategy = model::QueueingStrategy::strict_fifo;
    return *this;
  }
  // One group of resources per resource; flavors of a group in the order of the calls.
  QueueBuilder& quota(std::string flavor, std::string resource, std::string_view nominal,
                      std::optional<std::string_view> borrow = {}) {
    auto& groups = queue_.spec.groups;
    auto group = std::ranges::find_if(
        groups, [&](const auto& each) { return each.covered.front() == resource; });
    if (group == groups.end()) {
      groups.push_back({.covered = {resource}, .flavors = {}});
      group = groups.end() - 1;
    }
    model::QuotaAmount amount;
    amount.resource = resource;
    amount.nominal = quantity(nominal);
    if (borrow) amount.borrowing_limit = quantity(*borrow);
    group->flavors.push_back({std::move(flavor), {amount}});
    return *this;
  }
  QueueBuilder& preempts(model::WithinQueuePreemption within,
                         model::ReclaimPreemption reclaim = model::ReclaimPreemption::never) {
    queue_.spec.preemption.within = within;
    queue_.spec.preemption.reclaim = reclaim;
    return *this;
  }
  QueueBuilder& stop(model::StopPolicy policy) {
    queue_.spec.stop = policy;
    return *this;
  }
  QueueBuilder& check(std::string name, std::vector<std::string> on_flavors = {}) {
    queue_.spec.checks.push_back({std::move(name), std::move(on_flavors)});
    return *this;
  }
  QueueBuilder& selector(std::optional<model::LabelSelector> selector) {
    queue_.spec.namespace_selector = std::move(selector);
    return *this;
  }
  std::shared_ptr<const model::ClusterQueue> build() const {
    return std::make_shared<model::ClusterQueue>(queue_);
  }
  operator std::shared_ptr<const model::ClusterQueue>() const { return build(); }  // NOLINT

 private:
  model::ClusterQueue queue_;
};

class RequestBuilder {
 public:
  explicit RequestBuilder(std::string name) {
    request_.meta.ns = "t";
    request_.meta.name = std::move(name);
    request_.meta.uid = "request-" + request_.meta.name;
    request_.meta.created = Instant{Millis{1'000}};
  }
  // The LocalQueue of that name.
  RequestBuilder& queue(std::string name) {
    request_.spec.queue = std::move(name);
    return *this;
  }
  RequestBuilder& priority(std::int32_t value) {
    request_.spec.priority = value;
    return *this;
  }
  RequestBuilder& created(Instant at) {
    request_.meta.created = at;
    return *this;
  }
  RequestBuilder& annotation(std::string_view key, std::string value) {
    put(request_.meta.annotations, key, std::move(value));
    return *this;
  }
  // Another pod set, "s0", "s1", …: so many pods that ask for so much.
  RequestBuilder& pods(std::int32_t count, std::string_view resource, std::string_view amount) {
    auto spec = std::make_shared<model::PodSpec>();
    spec->containers.push_back({.name = "main",
                                .image = "image",
                                .requests = {},
                                .limits = {},
                                .claims = {},
                                .ports = {}});
    put(spec->containers[0].requests, resource, quantity(amount));
    model::PodSet set;
    set.name = "s" + std::to_string(request_.spec.pod_sets.size());
    set.count = count;
    set.pods.spec = spec;
    request_.spec.pod_sets.push_back(std::move(set));
    return *this;
  }
  // Pods of the last pod set say that they are done after this time.
  RequestBuilder& runs_for(Millis length) {
    put(request_.spec.pod_sets.back().pods.annotations, "tutti.dev/runs-for",
        format_duration(length));
    return *this;
  }
  // They want to be in one domain of this level.
  RequestBuilder& within(std::string level) {
    request_.spec.pod_sets.back().topology.emplace().required = std::move(level);
    return *this;
  }
  // The last pod set may be so small.
  RequestBuilder& at_least(std::int32_t count) {
    request_.spec.pod_sets.back().min_count = count;
    return *this;
  }
  // A Job asks for it.
  RequestBuilder& of_a_job() {
    model::OwnerReference owner;
    owner.api_version = "batch/v1";
    owner.kind = "Job";
    owner.name = request_.meta.name;
    owner.uid = "job-" + request_.meta.name;
    owner.controller = true;
    request_.meta.owners.push_back(owner);
    return *this;
  }
  RequestBuilder& ended(std::int32_t count) {
    request_.status.reclaimable.push_back({request_.spec.pod_sets.back().name, count});
    return *this;
  }
  RequestBuilder& condition(std::string type, std::string reason, Instant since) {
    request_.status.conditions.push_back({.type = std::move(type),
                                          .status = "True",
                                          .reason = std::move(reason),
                                          .message = {},
                                          .last_transition = since,
                                          .observed_generation = 0});
    return *this;
  }
  std::shared_ptr<const model::AdmissionRequest> build() const {
    return std::make_shared<model::AdmissionRequest>(request_);
  }
  operator std::shared_ptr<const model::AdmissionRequest>() const { return build(); }  // NOLINT

 private:
  model::AdmissionRequest request_;
};

inline QueueBuilder queue(std::string name) { return QueueBuilder(std::move(name)); }
inline RequestBuilder request(std::string name) { return RequestBuilder(std::move(name)); }

inline std::shared_ptr<const model::ResourceFlavor> flavor(std::string name,
                                                           model::Labels labels = {}) {
  auto made = std::make_shared<model::ResourceFlavor>();
  made->meta.uid = "flavor-" + name;
  made->meta.name = std::move(name);
  made->node_labels = std::move(labels);
  return made;
}

// A LocalQueue of namespace t, by default of the ClusterQueue of its own name.
inline std::shared_ptr<const model::LocalQueue> local_queue(std::string name,
                                                            std::string cluster_queue = {}) {
  auto made = std::make_shared<model::LocalQueue>();
  made->meta.ns = "t";
  made->meta.uid = "local-" + name;
  made->spec.cluster_queue = cluster_queue.empty() ? name : std::move(cluster_queue);
  made->meta.name = std::move(name);
  return made;
}

}  // namespace tutti::test
