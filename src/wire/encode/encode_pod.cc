#include <algorithm>

#include "wire/decode/decode_parts.h"
#include "wire/decode/decode_pod.h"
#include "wire/encode/encode_kinds.h"

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

// Taken away when the pod has no such claim.
void write_extended_claim(Overlay& at, const model::ExtendedClaim& claim) {
  constexpr std::string_view kMember = "extendedResourceClaimStatus";
  if (claim.claim_name.empty()) return at.remove(kMember);
  at.member(kMember, [&](Overlay& status) {
    const auto same = [](const Value& item, const model::ExtendedRequest& request) {
      return says(item, "containerName", request.container) &&
             says(item, "resourceName", request.resource) &&
             says(item, "requestName", request.request);
    };
    status.list("requestMappings", claim.requests.list(), same,
                [](Overlay& item, const model::ExtendedRequest& request) {
                  item.text_always("containerName", request.container);
                  item.text_always("requestName", request.request);
                  item.text_always("resourceName", request.resource);
                });
    status.text_always("resourceClaimName", claim.claim_name);
  });
}

void write_status(Overlay& at, const model::PodStatus& status) {
  write_conditions(at, status.conditions, "lastProbeTime");
  write_extended_claim(at, status.extended_claim);
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
