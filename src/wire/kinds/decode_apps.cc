#include "wire/kinds/decode_kinds.h"
#include "wire/kinds/decode_parts.h"

namespace tutti::wire {
namespace {

template <typename T>
void read_selector(const Field& at, T& out) {
  at.member("spec", [&](const Field& spec) { spec("selector", out.selector); });
}

}  // namespace

void read_kind(const Field& at, model::Service& out) { read_selector(at, out); }
void read_kind(const Field& at, model::ReplicationController& out) { read_selector(at, out); }
void read_kind(const Field& at, model::ReplicaSet& out) { read_selector(at, out); }
void read_kind(const Field& at, model::StatefulSet& out) { read_selector(at, out); }

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
