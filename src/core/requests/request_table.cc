#include "core/requests/request_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::core {
namespace {

constexpr std::string_view kRequestAnnotation = "kueue.x-k8s.io/workload";
constexpr std::string_view kPodSetLabel = "kueue.x-k8s.io/podset";

std::string full_name(std::string_view ns, std::string_view name) {
  return fmt::format("{}/{}", ns, name);
}

// Whether everything beside the spec is as it was that decides about a request that waits.
bool asks_the_same(const model::AdmissionRequest& before, const model::AdmissionRequest& after) {
  return before.meta.annotations == after.meta.annotations &&
         before.status.preemption_gates == after.status.preemption_gates &&
         before.status.past_execution_seconds == after.status.past_execution_seconds &&
         before.status.reclaimable == after.status.reclaimable;
}

std::int64_t millis(std::optional<Instant> at) { return at ? at->time_since_epoch().count() : 0; }

}  // namespace

std::string_view pod_set_of(const model::Pod& pod) {
  const std::string* name = model::find(pod.meta.labels, kPodSetLabel);
  return name != nullptr ? std::string_view(*name) : std::string_view();
}

std::int64_t queue_timestamp(const model::AdmissionRequest& request, const QuotaConfig& config) {
  const model::Condition* evicted = true_condition(request, "Evicted");
  const bool by_eviction = !config.pods_ready || config.pods_ready->order == RequeueOrder::eviction;
  if (evicted != nullptr && evicted->last_transition &&
      ((evicted->reason == "PodsReadyTimeout" && by_eviction) ||
       evicted->reason == "AdmissionCheck")) {
    return millis(evicted->last_transition);
  }
  return millis(request.meta.created);
}

Request* RequestTable::find(std::string_view ns, std::string_view name) {
  return find(full_name(ns, name));
}

const Request* RequestTable::find(std::string_view ns, std::string_view name) const {
  const auto at = all_.find(full_name(ns, name));
  return at != all_.end() ? at->second.get() : nullptr;
}

Request* RequestTable::find(std::string_view name) {
  const auto at = all_.find(name);
  return at != all_.end() ? at->second.get() : nullptr;
}

Request& RequestTable::put(std::shared_ptr<const model::AdmissionRequest> object) {
  std::string name = full_name(object->meta.ns, object->meta.name);
  auto& slot = all_[name];
  const bool fresh = slot == nullptr;
  if (fresh) slot = std::make_unique<Request>();
  Request& request = *slot;
  if (!fresh) leave_line(request);
  const bool same_spec = !fresh && request.object->spec == object->spec;
  const bool same_ask = same_spec && asks_the_same(*request.object, *object);
  const std::int64_t priority = request.priority;
  if (!same_ask) request.parked_alone = false;
  const bool moved = !fresh && request.object->spec.queue != object->spec.queue;
  request.name = std::move(name);
  request.object = std::move(object);
  request.priority = effective_priority(*request.object);
  request.timestamp = queue_timestamp(*request.object, config_);
  if (!same_spec) {
    request.asks.clear();
    request.flaw.clear();
    for (const model::PodSet& set : request.object->spec.pod_sets) {
      request.asks.push_back(amounts_of_pod(set, request.object->meta.ns, config_));
      if (request.flaw.empty()) request.flaw = flaw_of(set);
    }
  }
  if (!same_ask || priority != request.priority) take_shape(request);
  // Others may have to leave for whom they had not before.
  if (request.charged_to.valid() && request.priority != priority) note_release(request.charged_to);
  if (fresh || moved) resolve(request);
  join_line(request);
  if (request.holds()) note_holder(request);
  return request;
}

void RequestTable::take_shape(Request& request) {
  if (request.shape.valid()) shapes_.release(request.shape);
  request.shape = shapes_.take(request.object, request.priority);
}

void RequestTable::erase(Request& request) {
  TUTTI_CHECK(!request.holds(), "a request that is forgotten holds no quota");
  keep(request, {}, 0);
  leave_line(request);
  touch(request.queue);
  shapes_.release(request.shape);
  shapes_.sweep();
  parked_alone_.erase(request.name);
  for (const PodId pod : request.pods) by_pod_.erase(pod);
  all_.erase(all_.find(request.name));
}

void RequestTable::advance(Request& request, RequestStage stage) {
  TUTTI_CHECK(request.holds() && stage != RequestStage::waiting);
  if (request.stage == RequestStage::preempting) preempting_.erase(request.name);
  request.stage = stage;
  touch(request.queue);
  note_holder(request);
}

void RequestTable::resolve(Request& request) {
  if (request.holds()) return;
  const auto* local = objects_.local_queue(request.object->meta.ns, request.object->spec.queue);
  std::string queue = local != nullptr ? local->spec.cluster_queue : std::string();
  if (queue == request.queue) return;
  keep(request, {}, 0);
  request.queue = std::move(queue);
}

void RequestTable::resolve_all() {
  for (const auto& [name, request] : all_) {
    if (request->holds()) continue;
    leave_line(*request);
    resolve(*request);
    join_line(*request);
  }
}

void RequestTable::join_line(Request& request) {
  touch(request.queue);
  if (!request.holds() && !request.finished) lines_[request.queue].join(request);
}

void RequestTable::leave_line(Request& request) {
  const auto line = lines_.find(request.queue);
  if (line == lines_.end()) return;
  line->second.leave(request);
  touch(request.queue);
}

const WaitingLine& RequestTable::line(std::string_view queue) const {
  static const WaitingLine kNobody;
  const auto line = lines_.find(queue);
  return line != lines_.end() ? line->second : kNobody;
}

void RequestTable::park_alone(Request& request) {
  reorder(request, [&] { request.parked_alone = true; });
  parked_alone_.insert(request.name);
}

void RequestTable::park_shape(const Request& request, ShapeRefusal refusal) {
  lines_.find(request.queue)->second.refuse(request.shape, std::move(refusal));
}

void RequestTable::unpark() {
  for (const std::string& name : std::exchange(parked_alone_, {})) {
    Request& request = *find(name);
    reorder(request, [&] { request.parked_alone = false; });
  }
}

std::vector<Request*> RequestTable::take_untold() {
  std::vector<Request*> all;
  for (auto& [queue, line] : lines_) {
    const auto untold = line.take_untold();
    all.insert(all.end(), untold.begin(), untold.end());
  }
  return all;
}

const std::set<std::string>& RequestTable::holding(quota::QuotaNodeId queue) const {
  static const std::set<std::string> kNobody;
  const auto at = holding_.find(queue);
  return at != holding_.end() ? at->second : kNobody;
}

RequestTable::Counts& RequestTable::counts_of(quota::QuotaNodeId node) {
  if (counts_.size() <= node.index) counts_.resize(objects_.tree().slots());
  return counts_[node.index];
}

std::uint64_t RequestTable::quota_version(quota::QuotaNodeId queue) {
  return (objects_.version() << 32U) + counts_of(objects_.tree().root(queue)).releases;
}

std::uint64_t RequestTable::usage_version(quota::QuotaNodeId queue) {
  return (objects_.version() << 32U) + counts_of(objects_.tree().root(queue)).changes;
}

std::uint64_t RequestTable::charges_version(quota::QuotaNodeId queue) {
  return counts_of(queue).changes;
}

void RequestTable::charge(Request& request, const QuotaQueue& queue,
                          std::vector<quota::Charge> charges, std::vector<PodSetPromise> promise,
                          RequestStage stage, Instant now) {
  TUTTI_CHECK(!request.charged_to.valid(), "no quota is charged twice");
  TUTTI_CHECK(stage != RequestStage::waiting, "who is charged no longer waits");
  keep(request, {}, 0);
  leave_line(request);
  objects_.tree().add_usage(queue.node, charges);
  note_charge(queue.node);
  request.charged_to = queue.node;
  request.queue = queue.name();
  request.charges = std::move(charges);
  request.promise = std::move(promise);
  request.stage = stage;
  request.reserved_at = now;
  request.parked_alone = false;
  request.refusal.reset();
  holding_[queue.node].insert(request.name);
  if (stage == RequestStage::preempting) preempting_.insert(request.name);
  touch(request.queue);
  note_holder(request);
}

void RequestTable::note_charge(quota::QuotaNodeId queue) {
  const quota::QuotaNodeId root = objects_.tree().root(queue);
  ++counts_of(queue).changes;
  if (root != queue) ++counts_of(root).changes;
}

void RequestTable::keep(Request& request, std::vector<quota::Charge> charges,
                        std::uint32_t borrow_level) {
  if (request.keeps == charges && request.borrow_level == borrow_level) return;
  if (charges.empty()) {
    keeping_.erase(request.name);
  } else {
    keeping_.insert(request.name);
  }
  request.keeps = std::move(charges);
  request.borrow_level = borrow_level;
  if (const QuotaQueue* queue = objects_.queue(request.queue)) note_release(queue->node);
}

void RequestTable::keep_nothing_for_others(const Request& request) {
  if (keeping_.empty()) return;
  const std::set<std::string> all = keeping_;
  for (const std::string& name : all) {
    Request& other = *find(name);
    if (&other != &request && other.queue == request.queue) keep(other, {}, 0);
  }
}

void RequestTable::note_release(quota::QuotaNodeId queue) {
  note_charge(queue);
  ++counts_of(objects_.tree().root(queue)).releases;
}

void RequestTable::recharge(Request& request, std::vector<quota::Charge> charges) {
  TUTTI_CHECK(request.charged_to.valid(), "only who is charged can be charged less");
  if (request.charges == charges) return;
  objects_.tree().remove_usage(request.charged_to, request.charges);
  objects_.tree().add_usage(request.charged_to, charges);
  request.charges = std::move(charges);
  touch(request.queue);
  note_holder(request);
  note_release(request.charged_to);
}

void RequestTable::heed_run_times() {
  if (std::exchange(heeds_run_times_, true)) return;
  shapes_.heed_run_times();
  for (const auto& [name, request] : all_) {
    leave_line(*request);
    take_shape(*request);
    join_line(*request);
    if (request->holds()) note_holder(*request);
  }
}

void RequestTable::end_protection(Request& request) {
  request.protected_until.reset();
  if (request.charged_to.valid()) note_release(request.charged_to);
}

void RequestTable::release(Request& request) {
  request.protected_until.reset();
  touch(request.queue);
  note_holder(request);
  if (request.charged_to.valid()) {
    objects_.tree().remove_usage(request.charged_to, request.charges);
    const auto at = holding_.find(request.charged_to);
    at->second.erase(request.name);
    if (at->second.empty()) holding_.erase(at);
    note_release(request.charged_to);
  }
  preempting_.erase(request.name);
  request.charged_to = {};
  request.charges.clear();
  request.promise.clear();
  request.victims.clear();
  request.yields_at.reset();
  request.stage = RequestStage::waiting;
  request.sticky = false;
  resolve(request);
  join_line(request);
}

const Request* RequestTable::first_unready() const {
  for (const auto& [queue, names] : holding_) {
    for (const std::string& name : names) {
      const Request& request = *all_.find(name)->second;
      if (request.stage == RequestStage::admitted && !request.object->meta.owners.empty() &&
          true_condition(*request.object, "PodsReady") == nullptr) {
        return &request;
      }
    }
  }
  return nullptr;
}

Request* RequestTable::request_of(const model::Pod& pod) {
  const std::string* name = model::find(pod.meta.annotations, kRequestAnnotation);
  return name != nullptr ? find(pod.meta.ns, *name) : nullptr;
}

void RequestTable::add_pod(Request& request, PodId pod) {
  if (Request* before = request_of(pod); before != nullptr && before != &request) {
    before->pods.erase(pod);
  }
  request.pods.insert(pod);
  by_pod_[pod] = &request;
}

Request* RequestTable::remove_pod(PodId pod) {
  const auto at = by_pod_.find(pod);
  if (at == by_pod_.end()) return nullptr;
  Request* request = at->second;
  by_pod_.erase(at);
  request->pods.erase(pod);
  return request;
}

Request* RequestTable::request_of(PodId pod) const {
  const auto at = by_pod_.find(pod);
  return at != by_pod_.end() ? at->second : nullptr;
}

std::string RequestTable::check_consistency() const {
  const quota::Tree& tree = objects_.tree();
  if (auto problem = tree.check_consistency(); !problem.empty()) return problem;
  std::map<std::pair<quota::QuotaNodeId, quota::FlavorResourceId>, quota::Amount> charged;
  for (const auto& [name, request] : all_) {
    if (request->holds() != request->charged_to.valid()) {
      return fmt::format("request {} is {} and {}", name, word(request->stage),
                         request->charged_to.valid() ? "is charged" : "is not charged");
    }
    for (const quota::Charge& charge : request->charges) {
      charged[{request->charged_to, charge.of}] += charge.amount;
    }
    const bool in_line = waiting(request->queue).contains(request.get());
    const bool waits = !request->holds() && !request->finished;
    if (in_line != waits) {
      return fmt::format("request {} is {} and {} in the line of queue {}", name,
                         word(request->stage), in_line ? "stands" : "does not stand",
                         request->queue);
    }
  }
  for (const auto& [queue_name, queue] : objects_.queues()) {
    for (const auto of : tree.flavor_resources_of(tree.root(queue.node))) {
      if (tree.usage(queue.node, of) != charged[{queue.node, of}]) {
        return fmt::format("queue {} uses what no request is charged for, or less", queue_name);
      }
    }
  }
  return {};
}

}  // namespace tutti::core
