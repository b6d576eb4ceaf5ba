#include "core/broker/projection.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {

void Projection::rewind(std::size_t mark) {
  TUTTI_CHECK(mark <= steps_.size(), "only what was done is taken back");
  quota::Tree& tree = table_.objects().tree();
  for (; steps_.size() > mark; steps_.pop_back()) {
    const Step& step = steps_.back();
    switch (step.kind) {
      case Step::Kind::lifted:
        state_.cluster.put_back(step.pod, step.node);
        break;
      case Step::Kind::unheld:
        state_.cluster.hold(step.pod, step.node);
        break;
      case Step::Kind::held:
        state_.cluster.unhold(step.pod);
        break;
      case Step::Kind::uncharged:
        tree.add_usage(step.queue, step.charges);
        break;
      case Step::Kind::charged:
        tree.remove_usage(step.queue, step.charges);
        break;
      case Step::Kind::advanced:
        next_ = step.before;
        break;
    }
  }
}

// A pod, or a phantom whose victims have not left yet.
void Projection::take_away(PodId pod) {
  Cluster& cluster = state_.cluster;
  if (const auto held = cluster.held().find(pod); held != cluster.held().end()) {
    steps_.push_back({.kind = Step::Kind::unheld, .pod = pod, .node = held->second});
    return cluster.unhold(pod);
  }
  const NodeId node = cluster.pod(pod).node;
  if (!node.valid()) return;
  steps_.push_back({.kind = Step::Kind::lifted, .pod = pod, .node = node});
  cluster.lift(pod);
}

void Projection::end(const Runner& who) {
  if (who.pod.valid()) return take_away(who.pod);
  const Request* request = table_.find(who.request);
  TUTTI_CHECK(request != nullptr && request->charged_to.valid(), "who ends has begun");
  for (const PodId pod : request->pods) take_away(pod);
  if (const PhantomGang* gang = phantoms_.find(who.request)) {
    for (const PhantomGang::Set& set : gang->sets) {
      for (const PodId pod : set.pods) take_away(pod);
    }
  }
  table_.objects().tree().remove_usage(request->charged_to, request->charges);
  steps_.push_back({.kind = Step::Kind::uncharged,
                    .queue = request->charged_to,
                    .charges = request->charges,
                    .request = request});
}

void Projection::end_endless(const Runner& who) {
  if (!timeline_.is_endless(who)) return;
  const Request* request = who.pod.valid() ? nullptr : table_.find(who.request);
  const bool ended = request != nullptr && std::ranges::any_of(steps_, [&](const Step& step) {
                       return step.request == request;
                     });
  if (!ended) end(who);
}

void Projection::end_until(Instant at) {
  const auto& ends = timeline_.ends();
  if (next_ == ends.end() || next_->at > at) return;
  steps_.push_back({.kind = Step::Kind::advanced, .before = next_});
  for (; next_ != ends.end() && next_->at <= at; ++next_) end(next_->who);
}

void Projection::charge(quota::QuotaNodeId queue, std::span<const quota::Charge> charges) {
  table_.objects().tree().add_usage(queue, charges);
  steps_.push_back({.kind = Step::Kind::charged, .queue = queue, .charges = charges});
}

void Projection::vacate(const PromisedStart& reservation) {
  if (const PhantomGang* gang = phantoms_.find(reservation.request)) {
    for (const PhantomGang::Set& set : gang->sets) {
      for (const PodId pod : set.pods) {
        if (state_.cluster.held().contains(pod)) take_away(pod);
      }
    }
  }
  table_.objects().tree().remove_usage(reservation.queue, reservation.charges);
  steps_.push_back(
      {.kind = Step::Kind::uncharged, .queue = reservation.queue, .charges = reservation.charges});
}

void Projection::hold(const std::string& request, const SetPlaces& places,
                      const std::set<NodeId>* only) {
  const PhantomGang* gang = phantoms_.find(request);
  if (gang == nullptr) return;
  Cluster& cluster = state_.cluster;
  for (std::size_t set = 0; set < std::min(gang->sets.size(), places.size()); ++set) {
    const auto& pods = gang->sets[set].pods;
    for (std::size_t i = 0; i < std::min(pods.size(), places[set].size()); ++i) {
      const NodeId node = places[set][i];
      if (!node.valid() || (only != nullptr && !only->contains(node))) continue;
      if (cluster.pod(pods[i]).node.valid() || cluster.held().contains(pods[i])) continue;
      cluster.hold(pods[i], node);
      steps_.push_back({.kind = Step::Kind::held, .pod = pods[i], .node = node});
    }
  }
}

}  // namespace tutti::core
