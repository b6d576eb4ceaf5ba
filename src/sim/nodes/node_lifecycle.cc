#include "sim/nodes/node_lifecycle.h"

#include <algorithm>
#include <chrono>
#include <optional>

#include "sim/plane/annotations.h"
#include "sim/plane/conditions.h"

namespace tutti::sim {
namespace {

using model::Node;
using model::Taint;

constexpr std::chrono::seconds kOrphanQuarantine{40};
constexpr std::string_view kUnreachable = "node.kubernetes.io/unreachable";
constexpr std::string_view kNotReady = "node.kubernetes.io/not-ready";

std::string_view readiness(const Node& node) {
  const auto* ready = model::find(node.conditions, "Ready");
  return ready ? std::string_view(ready->status) : "True";
}

model::Condition ready_condition(bool reachable) {
  return reachable ? condition("Ready", "True", "KubeletReady", "the simulated kubelet is ready")
                   : condition("Ready", "Unknown", "NodeStatusUnknown",
                               "the simulated kubelet is silent");
}

// The taints of the node with those of its readiness put right.
std::vector<Taint> taints_for(const Node& node) {
  const auto status = readiness(node);
  std::vector<Taint> taints;
  std::ranges::copy_if(node.taints, std::back_inserter(taints), [](const Taint& taint) {
    return taint.key != kUnreachable && taint.key != kNotReady;
  });
  if (status == "True") return taints;
  const std::string key(status == "Unknown" ? kUnreachable : kNotReady);
  taints.push_back({key, "", "NoSchedule"});
  taints.push_back({key, "", "NoExecute"});
  return taints;
}

}  // namespace

void NodeLifecycle::observe(const store::WatchEvent& event) {
  if (event.object().kind != model::Kind::node) return;
  const auto& name = event.object().meta.name;
  if (!event.after) {
    cancel_outage(name);
    collect_orphans_later(name);
    return;
  }
  const auto* before = event.before ? &model::as<Node>(*event.before) : nullptr;
  const auto& after = model::as<Node>(*event.after);
  if (!before || before->meta.annotations != after.meta.annotations) plan_outage(after);
  write_taints(before, after);
}

void NodeLifecycle::plan_outage(const Node& node) {
  const auto& name = node.meta.name;
  cancel_outage(name);
  const auto down = duration_annotation(node, kDownAt);
  const auto up = duration_annotation(node, kUpAt);
  auto& timers = outages_[name];
  const auto plan = [&](std::optional<Millis> at, bool reachable) {
    if (!at || plane_.clock.start() + *at < plane_.clock.now()) return;
    timers.push_back(plane_.clock.at(plane_.clock.start() + *at,
                                     [this, name, reachable] { set_reachable(name, reachable); }));
  };
  plan(down, false);
  plan(up, true);
  // Whichever of the two lies in the past, or must lie before the start, holds now.
  const Millis since_start = plane_.clock.now() - plane_.clock.start();
  const bool was_down = down && *down < since_start && !(up && *up >= *down && *up < since_start);
  const bool starts_down = up && *up > since_start && (!down || *up < *down);
  if (was_down || starts_down) set_reachable(name, false);
}

void NodeLifecycle::set_reachable(const std::string& name, bool reachable) {
  // A node that is gone is neither.
  (void)plane_.store.patch(
      {model::Kind::node, {}, name, {}},
      [&](model::Object& object) {
        set_condition(static_cast<Node&>(object).conditions, ready_condition(reachable),
                      plane_.clock.now());
      },
      plane_.write());
}

// Only readiness that is, or just was, other than True is ours to write: a user may give a ready
// node any taint.
void NodeLifecycle::write_taints(const Node* before, const Node& node) {
  const bool ready = readiness(node) == "True";
  if (ready && (!before || readiness(*before) == "True")) return;
  const auto current = plane_.store.find<Node>({}, node.meta.name);
  if (!current) return;
  auto taints = taints_for(*current);
  if (taints == current->taints) return;
  must(plane_.store.patch(
      model::key_of(node),
      [&](model::Object& object) { static_cast<Node&>(object).taints = taints; }, plane_.write()));
}

void NodeLifecycle::collect_orphans_later(const std::string& name) {
  if (pods_.on(name).empty()) return;
  plane_.clock.at(plane_.clock.now() + kOrphanQuarantine, [this, name] {
    if (plane_.store.find<Node>({}, name)) return;
    for (const auto& key : pods_.on(name)) {
      // A pod that is gone is no orphan.
      (void)plane_.store.remove(key, plane_.write(), {.grace_seconds = 0});
    }
  });
}

void NodeLifecycle::cancel_outage(const std::string& name) {
  for (const auto& timer : outages_[name]) plane_.clock.cancel(timer);
  outages_.erase(name);
}

}  // namespace tutti::sim
