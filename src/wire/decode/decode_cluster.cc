#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"

namespace tutti::wire {

// A namespace is its name and labels; nothing else of it takes part in a decision.
void read_kind(const Field&, model::Namespace&) {}

void read_kind(const Field& at, model::PriorityClass& out) {
  at("value", out.value);
  at("globalDefault", out.global_default);
  at("preemptionPolicy", out.preemption_policy, kPreemptionPolicies);
}

void read_kind(const Field& at, model::Event& out) {
  at.member("involvedObject", [&](const Field& involved) {
    involved("apiVersion", out.involved.api_version);
    involved("kind", out.involved.kind);
    involved("namespace", out.involved.ns);
    involved("name", out.involved.name);
    involved("uid", out.involved.uid);
  });
  at("type", out.type);
  at("reason", out.reason);
  at("action", out.action);
  at("message", out.message);
  at("reportingComponent", out.reporting_controller);
  at("firstTimestamp", out.first_seen);
  at("lastTimestamp", out.last_seen);
  at("count", out.count);
}

void read_kind(const Field& at, model::Lease& out) {
  at.member("spec", [&](const Field& spec) {
    spec("holderIdentity", out.holder);
    spec("leaseDurationSeconds", out.duration_seconds);
    spec("acquireTime", out.acquired);
    spec("renewTime", out.renewed);
    spec("leaseTransitions", out.transitions);
  });
}

}  // namespace tutti::wire
