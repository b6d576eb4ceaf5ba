#include "core/broker/request_eviction.h"

#include <fmt/format.h>

namespace tutti::core {

void RequestEviction::evict(Request& request, const EvictionWords& words, Instant now) {
  if (!request.holds() || request.stage == RequestStage::releasing) return;
  const bool preempting = request.stage == RequestStage::preempting;
  drop_places(request, now);
  table_.advance(request, RequestStage::releasing);
  if (!preempting) {
    writer_.write(request, status_evicted(request, words, now));
    writer_.event(request, "Normal",
                  words.cause.empty() ? "EvictedDueTo" + words.reason : "Preempted", words.message);
    writer_.evicted(request, words, now);
  }
  release_if_empty(request, now);
}

void RequestEviction::end(Request& request, Instant now) {
  request.finished = true;
  drop_places(request, now);
  if (!request.holds()) {
    table_.keep(request, {}, 0);
    table_.reorder(request, [] {});
    return;
  }
  table_.advance(request, RequestStage::releasing);
  release_if_empty(request, now);
}

bool RequestEviction::release_if_empty(Request& request, Instant now) {
  if (request.stage != RequestStage::releasing || !request.pods.empty()) return false;
  const bool ended = request.finished;
  if (!ended) {
    const RequestStatus status = status_released(request, now);
    table_.release(request);
    writer_.write(request, status);
  } else {
    table_.release(request);
  }
  return true;
}

void RequestEviction::drop_places(Request& request, Instant now) {
  PhantomGang* gang = phantoms_.find(request.name);
  if (gang == nullptr) return;
  std::vector<PodId> all;
  for (const PhantomGang::Set& set : gang->sets) {
    all.insert(all.end(), set.pods.begin(), set.pods.end());
  }
  drop_places(all, now);
  phantoms_.remove_all(request.name);
}

void RequestEviction::drop_places(std::span<const PodId> pods, Instant now) {
  std::vector<std::pair<NodeId, std::shared_ptr<const model::Pod>>> freed;
  for (const PodId pod : pods) {
    if (phantoms_.request_of(pod) == nullptr) continue;
    const PodEntry& entry = state_.cluster.pod(pod);
    if (entry.node.valid()) freed.emplace_back(entry.node, entry.object);
    phantoms_.remove(pod);
  }
  if (freed.empty()) return;
  state_.cluster.raise_observed_version();
  for (const auto& [node, pod] : freed) {
    state_.queue.wake({.kinds = EventKind::pod_removed, .node = node, .pod = pod.get()}, now);
  }
}

}  // namespace tutti::core
