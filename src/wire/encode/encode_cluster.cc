// Nodes, events, leases.
#include "wire/encode/encode_kinds.h"

namespace tutti::wire {
namespace {

bool same_taint(const Value& item, const model::Taint& taint) {
  return says(item, "key", taint.key) && says(item, "effect", taint.effect);
}

void write_taint(Overlay& at, const model::Taint& taint) {
  at.text_always("effect", taint.effect);
  at.text_always("key", taint.key);
  at.text("value", taint.value);
}

}  // namespace

void write_kind(Overlay& at, const model::Node& node) {
  at.member("spec", [&](Overlay& spec) {
    spec.list("taints", node.taints, same_taint, write_taint);
    spec.flag("unschedulable", node.unschedulable);
  });
  at.member("status", [&](Overlay& status) {
    write_conditions(status, node.conditions, "lastHeartbeatTime");
  });
}

void write_kind(Overlay& at, const model::Event& event) {
  at.text("action", event.action);
  // An event that says nothing of a count has happened once.
  if (event.count != 1 || event.document == nullptr || at.find("count") != nullptr) {
    at.number("count", event.count);
  }
  at.time("firstTimestamp", event.first_seen);
  at.member("involvedObject", [&](Overlay& involved) {
    involved.text("apiVersion", event.involved.api_version);
    involved.text("kind", event.involved.kind);
    involved.text("name", event.involved.name);
    involved.text("namespace", event.involved.ns);
    involved.text("uid", event.involved.uid);
  });
  at.time("lastTimestamp", event.last_seen);
  at.text("message", event.message);
  at.text("reason", event.reason);
  at.text_always("reportingComponent", event.reporting_controller);
  at.text("type", event.type);
}

void write_kind(Overlay& at, const model::Lease& lease) {
  at.member("spec", [&](Overlay& spec) {
    spec.micro_time("acquireTime", lease.acquired);
    spec.text("holderIdentity", lease.holder);
    spec.number("leaseDurationSeconds", lease.duration_seconds);
    spec.number_unless_zero("leaseTransitions", lease.transitions);
    spec.micro_time("renewTime", lease.renewed);
  });
}

}  // namespace tutti::wire
