#include "sim/admit.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "admission/defaults.h"
#include "admission/validate.h"
#include "admission/validate_update.h"
#include "model/group.h"
#include "model/node.h"
#include "model/storage.h"
#include "sim/applied.h"
#include "sim/conditions.h"
#include "store/typed.h"

namespace tutti::sim {
namespace {

using admission::FieldProblems;
using model::Kind;
using model::Object;

void append(FieldProblems& problems, FieldProblems more) {
  std::ranges::move(more, std::back_inserter(problems));
}

template <typename T>
std::vector<const T*> all_of_kind(const std::map<model::ObjectKey, model::ObjectPtr>& objects) {
  std::vector<const T*> found;
  for (auto at = objects.lower_bound({T::kKind, {}, {}, {}});
       at != objects.end() && at->first.kind == T::kKind; ++at) {
    found.push_back(&model::as<T>(*at->second));
  }
  return found;
}

// What starts differently in a simulated cluster than it is written.
void prepare(Object& object, Instant now) {
  if (object.kind == Kind::storage_class) {
    // The newest default class is chosen here; the store sets the times of all other kinds when
    // they come to be, which a predecessor that is still terminating may delay.
    if (!object.meta.created) object.meta.created = now;
  } else if (object.kind == Kind::pod_group) {
    auto& finalizers = object.meta.finalizers;
    if (std::ranges::find(finalizers, kGroupProtection) == finalizers.end()) {
      finalizers.push_back(std::string(kGroupProtection));
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

Admission::Outcome Admission::create(const Object& document, Instant now) {
  auto object = store::clone(document);
  prepare(*object, now);
  auto problems = complete(*object);
  return keep(std::move(object), std::move(problems));
}

Admission::Outcome Admission::update(const Object& document) {
  const auto current = objects_.at(model::key_of(document));
  auto object = applied(*current, document);
  auto problems = complete(*object);
  if (problems.empty()) problems = admission::validate_update(*current, *object);
  return keep(std::move(object), std::move(problems));
}

void Admission::remove(const model::ObjectKey& key) {
  objects_.erase(key);
  if (key.kind == Kind::priority_class) priority_classes_.reset();
}

const Object* Admission::find(const model::ObjectKey& key) const {
  const auto at = objects_.find(key);
  return at == objects_.end() ? nullptr : at->second.get();
}

FieldProblems Admission::complete(Object& object) {
  admission::apply_defaults(object, rewrites_);
  apply_default_class(object);
  auto problems = resolve_priority(object);
  append(problems, admission::validate(object));
  append(problems, admission::check_references(object, *this));
  return problems;
}

FieldProblems Admission::resolve_priority(Object& object) {
  switch (object.kind) {
    case Kind::pod:
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

const admission::PriorityClasses& Admission::priority_classes() {
  if (!priority_classes_) {
    priority_classes_ =
        std::make_unique<admission::PriorityClasses>(all_of_kind<model::PriorityClass>(objects_));
  }
  return *priority_classes_;
}

void Admission::apply_default_class(Object& object) const {
  if (object.kind != Kind::persistent_volume_claim) return;
  admission::apply_default_class(static_cast<model::PersistentVolumeClaim&>(object),
                                 all_of_kind<model::StorageClass>(objects_));
}

Admission::Outcome Admission::keep(std::shared_ptr<Object> object, FieldProblems problems) {
  if (!problems.empty()) return {nullptr, std::move(problems)};
  if (object->kind == Kind::priority_class) priority_classes_.reset();
  objects_.insert_or_assign(model::key_of(*object), object);
  return {std::move(object), {}};
}

}  // namespace tutti::sim
