// Admission of scripted objects: defaults, priorities and every rule that can be known before the
// run, against the objects that the script itself has made so far.
#pragma once

#include <map>
#include <memory>
#include <string_view>

#include "admission/field_problem.h"
#include "admission/priority.h"
#include "admission/references.h"
#include "admission/spec_rewrites.h"
#include "base/time.h"
#include "model/object.h"

namespace tutti::sim {

// Keeps a PodGroup until the last of its pods has ended; see group_protection.h.
inline constexpr std::string_view kGroupProtection = "scheduling.k8s.io/podgroup-protection";

class Admission : private admission::World {
 public:
  struct Outcome {
    model::ObjectPtr object;  // as it is to be stored; null when there are problems
    admission::FieldProblems problems;
  };

  // Creates the object. Requires that it does not exist. A pod that has neither a node nor
  // ended starts with no status.
  Outcome create(const model::Object& document, Instant now);
  // Applies the document to the object. Requires that it exists.
  Outcome update(const model::Object& document);
  void remove(const model::ObjectKey& key);
  bool exists(const model::ObjectKey& key) const { return objects_.contains(key); }

 private:
  const model::Object* find(const model::ObjectKey& key) const override;
  admission::FieldProblems complete(model::Object& object);
  admission::FieldProblems resolve_priority(model::Object& object);
  const admission::PriorityClasses& priority_classes();
  void apply_default_class(model::Object& object) const;
  Outcome keep(std::shared_ptr<model::Object> object, admission::FieldProblems problems);

  std::map<model::ObjectKey, model::ObjectPtr> objects_;
  std::unique_ptr<admission::PriorityClasses> priority_classes_;  // null: to be read again
  admission::SpecRewrites rewrites_;
};

}  // namespace tutti::sim
