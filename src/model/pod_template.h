// PodTemplate: what Jobs and sets of replicas stamp their pods from.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::model {

struct PodTemplate {
  Labels labels;
  Labels annotations;
  SharedList<std::string> finalizers;
  std::shared_ptr<const PodSpec> spec;  // null: no template was written
  std::string node_name;
  std::optional<std::int32_t> priority;
  std::optional<PreemptionPolicy> preemption_policy;

  bool operator==(const PodTemplate& other) const {
    const bool specs = spec == other.spec || (spec && other.spec && *spec == *other.spec);
    return specs && labels == other.labels && annotations == other.annotations &&
           finalizers == other.finalizers && node_name == other.node_name &&
           priority == other.priority && preemption_policy == other.preemption_policy;
  }
};

}  // namespace tutti::model
