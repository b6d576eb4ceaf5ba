#include "sim/script/admission_steps.h"

#include <algorithm>
#include <utility>

#include "admission/defaults.h"
#include "admission/validate.h"
#include "controllers/queues/hold.h"
#include "controllers/workloads/conventions.h"
#include "controllers/workloads/group_protection.h"
#include "model/group.h"
#include "model/node.h"
#include "model/storage.h"
#include "sim/plane/conditions.h"

namespace tutti::sim {
namespace {

using admission::FieldProblems;
using model::Kind;
using model::Object;

void append(FieldProblems& problems, FieldProblems more) {
  std::ranges::move(more, std::back_inserter(problems));
}

// Puts right what starts differently in a simulated cluster than it is written. A pod that has
// neither a node nor ended starts with no status.
void prepare(Object& object, Instant now) {
  if (object.kind == Kind::storage_class) {
    // The newest default class is chosen here; the store sets the times of all other kinds when
    // they come to be, which a predecessor that is still terminating may delay.
    if (!object.meta.created) object.meta.created = now;
  } else if (object.kind == Kind::pod_group) {
    auto& finalizers = object.meta.finalizers;
    if (std::ranges::find(finalizers, controllers::kGroupProtection) == finalizers.end()) {
      finalizers.push_back(std::string(controllers::kGroupProtection));
    }
  } else if (object.kind == Kind::pod) {
    auto& pod = static_cast<model::Pod&>(object);
    if (pod.node_name.empty() && !pod.terminal()) pod.status = {};
  } else if (object.kind == Kind::node) {
    auto& conditions = static_cast<model::Node&>(object).conditions;
    if (conditions.empty()) {
      set_condition(conditions,
                    condition("Ready", "True", "KubeletReady", "the simulated kubelet is ready"),
                    now);
    }
  }
}

}  // namespace

FieldProblems AdmissionSteps::complete(Object& object) {
  if (object.kind == Kind::pod) join_group(static_cast<model::Pod&>(object));
  admission::apply_defaults(object, rewrites_);
  apply_default_class(object);
  if (neighbours_ == Neighbours::missing) return admission::validate(object);
  auto problems = resolve_priority(object);
  append(problems, admission::validate(object));
  append(problems, admission::check_references(object, *this));
  return problems;
}

FieldProblems AdmissionSteps::complete_new(Object& object, Instant now) {
  FieldProblems problems;
  if (neighbours_ == Neighbours::known) problems = admission::check_creation(object, *this);
  prepare(object, now);
  hold(object);
  append(problems, complete(object));
  if (object.kind == Kind::pod) append(problems, limit(static_cast<model::Pod&>(object)));
  return problems;
}

// One that came to be elsewhere was let in there.
FieldProblems AdmissionSteps::limit(model::Pod& pod) {
  limit_ranges_.fill_in(pod, rewrites_);
  return pod.meta.created ? FieldProblems{} : limit_ranges_.check(pod);
}

// Where nobody could ever start work, none is held.
void AdmissionSteps::hold(Object& object) {
  if (!has_any(Kind::cluster_queue) && !has_any(Kind::local_queue)) return;
  controllers::hold_new_work(
      object, queues_, [this](const model::ObjectKey& key) { return find(key); }, rewrites_);
}

// A pod may name its gang in the words of another scheduler.
void AdmissionSteps::join_group(model::Pod& pod) {
  const std::string group = controllers::conventional_group(pod);
  if (group.empty()) return;
  pod.spec = rewrites_.rewritten(pod.spec, "group\n" + group,
                                 [&](model::PodSpec& spec) { spec.scheduling_group = group; });
}

FieldProblems AdmissionSteps::resolve_priority(Object& object) {
  switch (object.kind) {
    case Kind::pod:
      // The class of one that has ended may be gone by now, and its priority decides nothing.
      if (static_cast<model::Pod&>(object).terminal()) return {};
      return admission::resolve_priority(static_cast<model::Pod&>(object), priority_classes(),
                                         rewrites_);
    case Kind::pod_group:
      return admission::resolve_priority(static_cast<model::PodGroup&>(object), priority_classes());
    case Kind::composite_pod_group:
      return admission::resolve_priority(static_cast<model::CompositePodGroup&>(object),
                                         priority_classes());
    default:
      return {};
  }
}

template <typename T>
std::vector<const T*> AdmissionSteps::all() const {
  std::vector<const T*> found;
  for (const Object* object : all_of(T::kKind)) found.push_back(&model::as<T>(*object));
  return found;
}

const admission::PriorityClasses& AdmissionSteps::priority_classes() {
  if (!priority_classes_) {
    priority_classes_ = std::make_unique<admission::PriorityClasses>(all<model::PriorityClass>());
  }
  return *priority_classes_;
}

void AdmissionSteps::apply_default_class(Object& object) const {
  if (object.kind != Kind::persistent_volume_claim) return;
  admission::apply_default_class(static_cast<model::PersistentVolumeClaim&>(object),
                                 all<model::StorageClass>());
}

}  // namespace tutti::sim
