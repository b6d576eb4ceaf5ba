#include "wire/kinds/decode_kinds.h"
#include "wire/kinds/decode_parts.h"
#include "wire/kinds/decode_template.h"

namespace tutti::wire {
namespace {

template <typename T>
void read_selector(const Field& at, T& out) {
  at.member("spec", [&](const Field& spec) { spec("selector", out.selector); });
}

// A set without a template is one that only selects.
void read_keeper(const Field& at, PodSpecPool* specs, model::ReplicaKeeper& out) {
  read_selector(at, out);
  at.member("spec", [&](const Field& spec) {
    spec("replicas", out.replicas);
    if (specs == nullptr) return;
    spec.member("template", [&](const Field& pods) { read_template(pods, *specs, out.pods); });
  });
  at.member("status", [&](const Field& status) {
    status("replicas", out.status.replicas);
    status("readyReplicas", out.status.ready);
  });
}

}  // namespace

void read_kind(const Field& at, model::Service& out) { read_selector(at, out); }
void read_kind(const Field& at, model::ReplicationController& out) { read_selector(at, out); }

void read_kind(const Field& at, PodSpecPool* specs, model::Deployment& out) {
  read_keeper(at, specs, out);
}

void read_kind(const Field& at, PodSpecPool* specs, model::ReplicaSet& out) {
  read_keeper(at, specs, out);
}

void read_kind(const Field& at, PodSpecPool* specs, model::StatefulSet& out) {
  static constexpr EnumTable<bool, 2> kPolicies = {{{"OrderedReady", false}, {"Parallel", true}}};
  read_keeper(at, specs, out);
  at.member("spec", [&](const Field& spec) {
    spec("podManagementPolicy", out.parallel, kPolicies);
    spec.member("ordinals", [&](const Field& ordinals) { ordinals("start", out.first_ordinal); });
  });
}

void read_kind(const Field& at, model::PodDisruptionBudget& out) {
  read_selector(at, out);
  at.member("status", [&](const Field& status) {
    status("disruptionsAllowed", out.disruptions_allowed);
    status.member("disruptedPods", [&](const Field& pods) {
      pods.each_entry([&](std::string_view pod, const Field& since) {
        Instant when;
        read(since, when);
        out.disrupted_pods.emplace_back(pod);
      });
    });
  });
}

}  // namespace tutti::wire
