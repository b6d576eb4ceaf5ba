#include "core/binding/leftover_claims.h"

namespace tutti::core {
namespace {

// A claim of its group stays with the group, and one with a holder is on its way to a node.
bool only_for(const devices::Claim& claim, const model::Pod& pod) {
  if (!claim.allocated() || claim.granted || !claim.holders.empty()) return false;
  const auto& users = claim.object->reserved_for;
  return users.size() == 1 && users.front().uid == pod.meta.uid;
}

}  // namespace

void give_up_claims(const devices::DeviceState& devices, const model::Pod& pod, ClusterPort& port) {
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr) continue;
    const auto id = devices.find_claim(pod.meta.ns, *name);
    if (!id.valid() || !only_for(devices.claim(id), pod)) continue;
    const auto& meta = devices.claim(id).object->meta;
    port.patch_claim({meta.ns, meta.name, meta.uid, {}, {}, pod.meta.uid});
  }
  const auto made = devices.questions().extended_claim_of(pod);
  if (!made.valid() || devices.claim(made).object == nullptr) return;
  if (!devices.claim(made).holders.empty()) return;
  const auto& meta = devices.claim(made).object->meta;
  port.patch_claim({meta.ns, meta.name, meta.uid, {}, {}, pod.meta.uid, true});
}

}  // namespace tutti::core
