#include "controllers/disruption/disruption_controller.h"

#include <algorithm>
#include <memory>
#include <tuple>

#include "controllers/pods.h"
#include "expr/label_selector.h"

namespace tutti::controllers {
namespace {

bool selects(const model::PodDisruptionBudget& budget, const model::Object& pod) {
  return budget.selector && expr::matches(*budget.selector, pod.meta.labels);
}

bool is_healthy(const model::PodDisruptionBudget& budget, const model::Pod& pod) {
  return is_active(pod) && is_ready(pod) &&
         std::ranges::find(budget.disrupted_pods, pod.meta.name) == budget.disrupted_pods.end();
}

}  // namespace

void DisruptionController::observe(const store::WatchEvent& event) {
  using model::Kind;
  const auto& object = event.object();
  if (object.kind == Kind::pod_disruption_budget) {
    const auto key = model::key_of(object);
    if (event.after) {
      budgets_[object.meta.ns].insert(key);
      look_at(key);
    } else if (const auto known = budgets_.find(object.meta.ns); known != budgets_.end()) {
      known->second.erase(key);
    }
  } else if (object.kind == Kind::pod) {
    if (event.before) look_at_budgets_of(*event.before);
    if (event.after) look_at_budgets_of(*event.after);
  } else if (object.kind == Kind::replica_set || object.kind == Kind::stateful_set) {
    const auto known = budgets_.find(object.meta.ns);
    if (known == budgets_.end()) return;
    for (const auto& key : known->second) look_at(key);
  }
}

void DisruptionController::look_at_budgets_of(const model::Object& pod) {
  const auto known = budgets_.find(pod.meta.ns);
  if (known == budgets_.end()) return;
  for (const auto& key : known->second) {
    const auto budget = objects().find<model::PodDisruptionBudget>(key.ns, key.name);
    if (budget && selects(*budget, pod)) look_at(key);
  }
}

// How many pods the pod's manager wants; nothing when that cannot be known, zero without one.
std::optional<std::int64_t> DisruptionController::replicas_of(const model::ObjectMeta& pod) const {
  const auto* owner = controller_of(pod);
  if (owner == nullptr) return 0;
  if (owner->kind == "ReplicaSet") {
    const auto set = objects().find<model::ReplicaSet>(pod.ns, owner->name);
    return set ? std::optional<std::int64_t>(set->replicas) : std::nullopt;
  }
  if (owner->kind == "StatefulSet") {
    const auto set = objects().find<model::StatefulSet>(pod.ns, owner->name);
    return set ? std::optional<std::int64_t>(set->replicas) : std::nullopt;
  }
  return std::nullopt;
}

Guarded DisruptionController::guarded_by(const model::PodDisruptionBudget& budget) const {
  Guarded guarded;
  guarded.replicas = 0;
  std::set<std::string> managers;  // by uid: each wants its replicas once
  const auto pods = objects().list(model::Kind::pod, budget.meta.ns,
                                   [&](const model::Object& pod) { return selects(budget, pod); });
  for (const auto& object : pods) {
    const auto& pod = model::as<model::Pod>(*object);
    ++guarded.pods;
    guarded.healthy += is_healthy(budget, pod) ? 1 : 0;
    const auto* owner = controller_of(pod.meta);
    if (owner != nullptr && !managers.insert(owner->uid).second) continue;
    const auto wanted = replicas_of(pod.meta);
    guarded.replicas =
        guarded.replicas && wanted ? std::optional(*guarded.replicas + *wanted) : std::nullopt;
  }
  return guarded;
}

void DisruptionController::reconcile(const model::ObjectKey& key) {
  const auto budget = objects().find<model::PodDisruptionBudget>(key.ns, key.name);
  if (!budget || (!budget->min_available && !budget->max_unavailable)) return;
  const Guarded guarded = guarded_by(*budget);
  const Allowance now = allowance(*budget, guarded);
  auto next = *budget;
  next.disruptions_allowed = now.allowed;
  next.desired_healthy = now.desired_healthy;
  next.expected_pods = now.expected;
  next.current_healthy = static_cast<std::int32_t>(guarded.healthy);
  next.observed_generation = budget->meta.generation;
  const auto status = [](const model::PodDisruptionBudget& of) {
    return std::tie(of.disruptions_allowed, of.desired_healthy, of.expected_pods,
                    of.current_healthy, of.observed_generation);
  };
  // A budget that is gone needs no status.
  if (status(next) != status(*budget)) (void)cluster().update_status(next);
}

}  // namespace tutti::controllers
