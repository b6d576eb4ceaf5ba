#include "sim/check/preemption_watch.h"

#include <fmt/format.h>

#include "model/group.h"

namespace tutti::sim {
namespace {

using model::Kind;
using model::Pod;

bool preempted(const Pod& pod) {
  const auto* target = model::find(pod.status.conditions, "DisruptionTarget");
  return target != nullptr && target->status == "True" && target->reason == "PreemptionByScheduler";
}

bool binding_failed(const Pod& pod) {
  const auto* scheduled = model::find(pod.status.conditions, "PodScheduled");
  return scheduled != nullptr && scheduled->reason == "SchedulerError";
}

// Whether the change is someone else's than the scheduler's, as far as room is concerned.
bool from_outside(const Pod* before, const Pod* after) {
  if (before == nullptr || after == nullptr) return before == nullptr || !preempted(*before);
  return before->terminal() != after->terminal() || before->spec != after->spec ||
         before->meta.labels != after->meta.labels ||
         (before->meta.deletion != after->meta.deletion && !preempted(*after)) ||
         binding_failed(*before) != binding_failed(*after);
}

template <typename Group>
bool spec_changed(const store::WatchEvent& event) {
  if (!event.before || !event.after) return true;
  const auto& before = model::as<Group>(*event.before);
  const auto& after = model::as<Group>(*event.after);
  return !(before.spec == after.spec) || before.parent != after.parent;
}

}  // namespace

std::string PreemptionWatch::observe(const store::WatchEvent& event) {
  switch (event.object().kind) {
    case Kind::pod:
      return observe_pod(event);
    case Kind::pod_group:
      world_ += spec_changed<model::PodGroup>(event);
      return {};
    case Kind::composite_pod_group:
      world_ += spec_changed<model::CompositePodGroup>(event);
      return {};
    case Kind::event:
      return {};
    default:
      ++world_;
      return {};
  }
}

std::string PreemptionWatch::observe_pod(const store::WatchEvent& event) {
  const auto* before = event.before ? &model::as<Pod>(*event.before) : nullptr;
  const auto* after = event.after ? &model::as<Pod>(*event.after) : nullptr;
  const auto key = model::key_of(event.object());
  world_ += from_outside(before, after);
  if (before != nullptr && !before->node_name.empty()) leaving_[before->node_name].erase(key);
  if (after != nullptr && !after->node_name.empty() && preempted(*after)) {
    leaving_[after->node_name].insert(key);
    tally_.evicted += before == nullptr || !preempted(*before);
  }

  const bool waits = after != nullptr && after->node_name.empty();
  if (waits && !after->status.nominated_node.empty()) {
    if (leaves_for_others(after->status.nominated_node)) expected_.try_emplace(key, world_);
    return {};
  }
  const auto promised = expected_.find(key);
  if (promised == expected_.end()) return {};
  const bool bound = after != nullptr && !after->node_name.empty();
  const bool excused = promised->second != world_;
  expected_.erase(promised);
  if (bound) return {};
  if (excused) return ++tally_.in_vain, std::string();
  return fmt::format("others were evicted for {}, which then did not get their room",
                     model::describe(key));
}

bool PreemptionWatch::leaves_for_others(const std::string& node) const {
  const auto here = leaving_.find(node);
  return here != leaving_.end() && !here->second.empty();
}

std::string PreemptionWatch::check_settled() const {
  for (const auto& [key, world] : expected_) {
    if (world != world_) continue;
    return fmt::format("others were evicted for {}, which still waits", model::describe(key));
  }
  return {};
}

}  // namespace tutti::sim
