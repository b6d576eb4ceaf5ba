#include "plugins/devices/dynamic_resources.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/cluster/node_match.h"
#include "devices/device_capacity.h"
#include "devices/device_state.h"
#include "devices/readiness.h"

namespace tutti::plugins {
namespace {

using core::Code;

core::PluginStatus verdict(Code code, std::string reason) {
  return {code, DynamicResources::kName, std::move(reason)};
}

bool reserved_for(const model::ResourceClaim& claim, const std::string& uid) {
  return std::ranges::find(claim.reserved_for, uid, &model::ConsumerReference::uid) !=
         claim.reserved_for.end();
}

core::PluginStatus binding_state(const model::ResourceClaim& claim) {
  using State = devices::Readiness::State;
  devices::Readiness now = devices::readiness(claim);
  if (now.state == State::ready) return {};
  return verdict(now.state == State::failed ? Code::error : Code::wait, std::move(now.text));
}

std::string why_not(const devices::Solution& solution) {
  if (!solution.fault.empty()) return solution.fault;
  return solution.outcome == devices::Solution::Outcome::exhausted
             ? std::string(devices::kUnproven)
             : "its devices were taken by another pod";
}

// Nodes where a better alternative of a prioritized request is free score higher; among equals
// those that break the least, so that whole devices, domains and nodes stay free.
class ClaimScore final : public core::ScoreEvaluator {
 public:
  ClaimScore(const core::Cluster& cluster, std::vector<devices::Wanted> open,
             std::shared_ptr<NodeAnswers> answers)
      : cluster_(cluster),
        open_(std::move(open)),
        answers_(std::move(answers)),
        seen_(cluster.devices().search().common_stamp(open_)),
        seen_spans_(cluster.devices().spans().version()) {}

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override {
    nodes.for_each_set(
        [&](std::size_t i) { out[i] = score(core::NodeId{static_cast<std::uint32_t>(i)}); });
  }
  std::int64_t score(core::NodeId node) const override {
    return answers_->score(cluster_, open_, node);
  }
  core::Effect changed(const core::Change& change) override {
    if (!cluster_.wants_devices(cluster_.shape(change.shape))) return core::Effect::none;
    const auto now = cluster_.devices().search().common_stamp(open_);
    const auto spans = cluster_.devices().spans().version();
    const bool local = now == seen_ && spans == seen_spans_;
    seen_ = now;
    seen_spans_ = spans;
    return local ? core::Effect::node : core::Effect::everything;
  }
  bool packs() const override { return true; }

 private:
  const core::Cluster& cluster_;
  std::vector<devices::Wanted> open_;
  std::shared_ptr<NodeAnswers> answers_;
  devices::Stamp seen_;  // of what all nodes have in common
  std::uint64_t seen_spans_;
};

}  // namespace

core::EventKind DynamicResources::wakes_on() const {
  using core::EventKind;
  return EventKind::devices | EventKind::node_added | EventKind::node_labels |
         EventKind::node_allocatable | EventKind::pod_updated | EventKind::pod_removed;
}

core::PluginStatus DynamicResources::pre_enqueue(const core::Cluster& cluster,
                                                 const core::GroupTable&, core::PodId pod) const {
  if (!cluster.wants_devices(pod)) return verdict(Code::skip, {});
  const auto claims = cluster.devices().claims_of(*cluster.pod(pod).object);
  if (!claims.waiting) return {};
  return verdict(Code::unresolvable, claims.problem);
}

core::Prepared<core::FilterEvaluator> DynamicResources::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  if (!cluster.wants_devices(cluster.shape(pods.shape))) return Prepared::skip();
  const auto claims = cluster.devices().claims_of(*pods.sample);
  if (!claims.problem.empty()) {
    return Prepared::refuse(verdict(Code::unresolvable, claims.problem));
  }
  if (claims.claims.empty() && claims.open.empty()) return Prepared::skip();
  return Prepared::ready(std::make_unique<ClaimFilter>(cluster, claims, answers_.get(claims.open)));
}

core::Prepared<core::ScoreEvaluator> DynamicResources::prepare_score(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::ScoreEvaluator>;
  if (!cluster.wants_devices(cluster.shape(pods.shape))) return Prepared::skip();
  auto claims = cluster.devices().claims_of(*pods.sample);
  if (!claims.problem.empty() || claims.open.empty()) return Prepared::skip();
  auto answers = answers_.get(claims.open);
  return Prepared::ready(
      std::make_unique<ClaimScore>(cluster, std::move(claims.open), std::move(answers)));
}

core::PluginStatus DynamicResources::reserve(core::Cluster& cluster, core::PodId pod,
                                             core::NodeId node) {
  if (!cluster.wants_devices(pod)) return {};
  auto& device_state = cluster.devices();
  const model::Pod& object = *cluster.pod(pod).object;
  const auto claims = device_state.claims_of(object);
  if (!claims.problem.empty()) return verdict(Code::unresolvable, claims.problem);
  const NodeAnswers* answers = answers_.find(claims.open);
  const auto solution = device_state.decisions().reserve(
      pod.index, node.index, object, args_.device_domains,
      answers != nullptr ? answers->prospect(cluster, claims.open, node) : nullptr);
  if (solution.found()) return {};
  return verdict(Code::unschedulable, why_not(solution));
}

void DynamicResources::unreserve(core::Cluster& cluster, core::PodId pod, core::NodeId) {
  auto& device_state = cluster.devices();
  if (device_state.empty()) return;
  const model::Pod& object = *cluster.pod(pod).object;
  for (const auto& entry : object.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, object.status.claim_statuses);
    if (name == nullptr) continue;
    const auto id = device_state.find_claim(object.meta.ns, *name);
    if (id.valid()) writes_.erase({id.index, device_state.groups().consumer_of(object, entry).uid});
  }
  // Whether a class still stands for what it asks for does not matter any more.
  if (const auto id = device_state.questions().extended_claim_of(object); id.valid()) {
    writes_.erase({id.index, object.meta.uid});
    told_.erase(object.meta.uid);
  }
  device_state.decisions().unreserve(pod.index, object);
}

core::PluginStatus DynamicResources::pre_bind(core::Cluster& cluster, core::ClusterPort& port,
                                              core::PodId pod, core::NodeId node) {
  auto& device_state = cluster.devices();
  const model::Pod& object = *cluster.pod(pod).object;
  const auto extended = device_state.questions().extended_claim_of(object);
  if (object.spec->resource_claims.empty() && !extended.valid()) return verdict(Code::skip, {});
  std::optional<core::PluginStatus> waits;
  // What a device lacks says more than that something is being written.
  const auto note = [&](core::PluginStatus answer) {
    if (!waits || waits->reason.empty()) waits = std::move(answer);
  };
  for (const auto& entry : object.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, object.status.claim_statuses);
    if (name == nullptr) return verdict(Code::error, "a resource claim of the pod is gone");
    if (name->empty()) continue;
    const auto id = device_state.find_claim(object.meta.ns, *name);
    if (!id.valid() || device_state.claim(id).object == nullptr) {
      return verdict(Code::error, fmt::format("resource claim {} is gone", *name));
    }
    auto answer =
        bring_about(cluster, port, id, device_state.groups().consumer_of(object, entry), node);
    if (answer.code == Code::error) return answer;
    if (answer.code == Code::wait) note(std::move(answer));
  }
  if (extended.valid()) {
    auto answer = make_extended(cluster, port, object, extended, node);
    if (answer.code == Code::error) return answer;
    if (answer.code == Code::wait) note(std::move(answer));
  }
  if (waits && waits->reason.empty()) waits->reason = "its resource claims are not allocated yet";
  if (waits) return *std::move(waits);
  device_state.decisions().settle(pod.index);
  return {};
}

// One claim on its way to be allocated and reserved: success when it is, wait when a write is under
// way.
core::PluginStatus DynamicResources::bring_about(core::Cluster& cluster, core::ClusterPort& port,
                                                 devices::ClaimId id,
                                                 const model::ConsumerReference& consumer,
                                                 core::NodeId node) {
  auto& device_state = cluster.devices();
  const auto& claim = device_state.claim(id);
  const auto& meta = claim.object->meta;
  const auto key = std::pair(id.index, consumer.uid);
  if (claim.allocated()) {
    const auto& selector = claim.object->allocation->node_selector;
    if (selector && !core::node_matches_any(cluster.node(node), *selector)) {
      return verdict(Code::error,
                     fmt::format("resource claim {} was allocated for another node", meta.name));
    }
    if (reserved_for(*claim.object, consumer.uid)) {
      writes_.erase(key);
      return binding_state(*claim.object);
    }
  } else if (!claim.granted) {
    return verdict(Code::error, fmt::format("resource claim {} lost its devices", meta.name));
  }
  const auto [known, first] = writes_.try_emplace(key, meta.resource_version);
  // A write that has not come back yet, or has lost to another: again only on a newer version.
  if (first || std::exchange(known->second, meta.resource_version) != meta.resource_version) {
    core::ClaimPatch patch{meta.ns, meta.name, meta.uid, {}, consumer, {}};
    if (!claim.allocated()) {
      if (!device_state.decisions().stands(id)) {
        writes_.erase(key);
        return verdict(Code::error, fmt::format("resource claim {} lost its devices", meta.name));
      }
      patch.allocation = device_state.decisions().allocation(id, cluster.node_name(node));
    }
    device_state.decisions().written(id);
    port.patch_claim(patch);
  }
  return verdict(Code::wait, {});
}

// The claim for extended resources comes into being with the decision: made, allocated, and named
// in the pod's status, one after the other, as each shows.
core::PluginStatus DynamicResources::make_extended(core::Cluster& cluster, core::ClusterPort& port,
                                                   const model::Pod& pod, devices::ClaimId id,
                                                   core::NodeId node) {
  const auto& claim = cluster.devices().claim(id);
  const auto& plan = cluster.devices().plans().plan(claim.plan);
  if (claim.object == nullptr) {
    if (!claim.granted) return verdict(Code::error, "its claim for extended resources is gone");
    // Zero is no version of a claim: the first one seen lets the next write happen.
    if (writes_.try_emplace({id.index, pod.meta.uid}, 0).second) {
      port.create_claim(devices::extended_claim(pod, plan.spec));
    }
    return verdict(Code::wait, {});
  }
  auto answer = bring_about(cluster, port, id, {{}, "pods", pod.meta.name, pod.meta.uid}, node);
  if (answer.code == Code::error || answer.code == Code::wait) return answer;
  // An earlier attempt may have left the same name with other requests.
  const model::ExtendedClaim wanted{claim.object->meta.name,
                                    cluster.devices().questions().uses_of(id)};
  if (pod.status.extended_claim == wanted) {
    told_.erase(pod.meta.uid);
    return {};
  }
  const auto [told, first] = told_.try_emplace(pod.meta.uid, pod.meta.resource_version);
  if (first ||
      std::exchange(told->second, pod.meta.resource_version) != pod.meta.resource_version) {
    core::PodStatusPatch patch{{pod.meta.ns, pod.meta.name, pod.meta.uid}, {}, {}};
    patch.extended_claim = wanted;
    port.patch_pod(patch);
  }
  return verdict(Code::wait, {});
}

}  // namespace tutti::plugins
