#include <algorithm>

#include "wire/kinds/decode_parts.h"
#include "wire/kinds/decode_pod.h"
#include "wire/kinds/encode_kinds.h"

namespace tutti::wire {
namespace {

void write_spec(Overlay& at, const model::Pod& pod) {
  at.text("nodeName", pod.node_name);
  at.text("preemptionPolicy", pod.preemption_policy
                                  ? word_for(*pod.preemption_policy, kPreemptionPolicies)
                                  : std::string_view{});
  at.number("priority", pod.priority);
  if (pod.spec == nullptr) return;
  at.text("priorityClassName", pod.spec->priority_class_name);
  if (!pod.spec->scheduling_group.empty()) {
    at.member("schedulingGroup",
              [&](Overlay& group) { group.text("podGroupName", pod.spec->scheduling_group); });
  }
  at.text_unless_present("schedulerName", "default-scheduler");
}

void write_status(Overlay& at, const model::PodStatus& status) {
  write_conditions(at, status.conditions, "lastProbeTime");
  at.text("message", status.message);
  at.text("nominatedNodeName", status.nominated_node);
  at.text_always("phase", word_for(status.phase, kPodPhases));
  at.text("reason", status.reason);
  write_claim_statuses(at, status.claim_statuses);
  at.time("startTime", status.start_time);
}

}  // namespace

void write_kind(Overlay& at, const model::Pod& pod) {
  at.member("spec", [&](Overlay& spec) { write_spec(spec, pod); });
  at.member("status", [&](Overlay& status) { write_status(status, pod.status); });
}

}  // namespace tutti::wire
