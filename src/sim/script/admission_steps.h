// What happens to an object before it is stored, whoever brings it: the script before the run, a
// controller during it.
#pragma once

#include "admission/checks/field_problem.h"
#include "admission/checks/priority.h"
#include "admission/checks/spec_rewrites.h"
#include "admission/references.h"
#include "base/std.h"
#include "base/time.h"
#include "controllers/queues/work/queue_rules.h"
#include "model/object.h"
#include "sim/script/limit_ranges.h"

namespace tutti::sim {

// Queues, defaults, priorities, rules; the objects that an object may refer to are the subclass's
// matter.
class AdmissionSteps : protected admission::World {
 public:
  // Whether what an object refers to can be looked for: where objects could not be read, it may be
  // one of those.
  enum class Neighbours : bool { missing, known };
  explicit AdmissionSteps(Neighbours neighbours = Neighbours::known,
                          controllers::QueueRules queues = {})
      : neighbours_(neighbours), queues_(std::move(queues)) {}

  // To be called when a priority class came, changed or went.
  void forget_priority_classes() { priority_classes_.reset(); }

 protected:
  admission::FieldProblems complete(model::Object& object);
  // Completes an object that comes to be.
  admission::FieldProblems complete_new(model::Object& object, Instant now);
  // Pods that share a spec share what becomes of it, until this is called.
  void forget_rewrites() { rewrites_ = {}; }

  // For pods that come to be from now on.
  LimitRanges& limit_ranges() { return limit_ranges_; }

  // In order of names.
  virtual std::vector<const model::Object*> all_of(model::Kind kind) const = 0;
  virtual bool has_any(model::Kind kind) const = 0;

 private:
  template <typename T>
  std::vector<const T*> all() const;
  void hold(model::Object& object);
  void join_group(model::Pod& pod);
  admission::FieldProblems limit(model::Pod& pod);
  admission::FieldProblems resolve_priority(model::Object& object);
  const admission::PriorityClasses& priority_classes();
  void apply_default_class(model::Object& object) const;

  Neighbours neighbours_;
  controllers::QueueRules queues_;
  std::unique_ptr<admission::PriorityClasses> priority_classes_;  // null: to be read again
  admission::SpecRewrites rewrites_;
  LimitRanges limit_ranges_;
};

}  // namespace tutti::sim
