#include "core/broker/request_eviction.h"

#include <fmt/format.h>

namespace tutti::core {

void RequestEviction::evict(Request& request, const EvictionWords& words, Instant now) {
  if (!request.holds() || request.stage == RequestStage::releasing) return;
  const bool preempting = request.stage == RequestStage::preempting;
  drop_places(request, now);
  request.shrinks_by.reset();
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
  request.shrinks_by.reset();
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
  std::vector<Freed> freed;
  for (const PhantomGang::Set& set : gang->sets) {
    for (const PodId pod : set.pods) add_place_of(pod, freed);
  }
  phantoms_.remove_all(request.name);
  tell_of(freed, now);
}

void RequestEviction::drop_places(std::span<const PodId> pods, Instant now) {
  std::vector<Freed> freed;
  for (const PodId pod : pods) {
    if (phantoms_.request_of(pod) == nullptr) continue;
    add_place_of(pod, freed);
    phantoms_.remove(pod);
  }
  tell_of(freed, now);
}

void RequestEviction::add_place_of(PodId phantom, std::vector<Freed>& freed) const {
  const PodEntry& entry = state_.cluster.pod(phantom);
  if (entry.node.valid()) freed.push_back({entry.node, entry.object});
}

void RequestEviction::tell_of(std::span<const Freed> freed, Instant now) {
  if (freed.empty()) return;
  state_.cluster.raise_observed_version();
  for (const auto& [node, pod] : freed) {
    state_.queue.wake({.kinds = EventKind::pod_removed, .node = node, .pod = pod.get()}, now);
  }
}

}  // namespace tutti::core
