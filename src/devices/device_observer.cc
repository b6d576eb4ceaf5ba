#include "devices/device_observer.h"

#include <memory>
#include <utility>
#include <vector>

#include "devices/allocation/result.h"

namespace tutti::devices {

News DeviceObserver::set(const model::ObjectPtr& object) {
  using model::Kind;
  switch (object->kind) {
    case Kind::resource_slice:
      return pools_changed(tables_.inventory.set_slice(
          std::static_pointer_cast<const model::ResourceSlice>(object)));
    case Kind::device_taint_rule:
      return pools_changed(tables_.inventory.set_rule(
          std::static_pointer_cast<const model::DeviceTaintRule>(object)));
    case Kind::device_class:
      tables_.plans.set_class(std::static_pointer_cast<const model::DeviceClass>(object));
      return classes_changed();
    case Kind::resource_claim:
      return set_claim(std::static_pointer_cast<const model::ResourceClaim>(object));
    default:
      return News::none;
  }
}

News DeviceObserver::remove(const model::Object& object) {
  using model::Kind;
  switch (object.kind) {
    case Kind::resource_slice:
      return pools_changed(tables_.inventory.remove_slice(object.meta.name));
    case Kind::device_taint_rule:
      return pools_changed(tables_.inventory.remove_rule(object.meta.name));
    case Kind::device_class:
      tables_.plans.remove_class(object.meta.name);
      return classes_changed();
    case Kind::resource_claim:
      return remove_claim(object.meta.ns, object.meta.name);
    default:
      return News::none;
  }
}

News DeviceObserver::pools_changed(const std::vector<PoolId>& pools) {
  for (const PoolId pool : pools) {
    tables_.use.ledger().recount(pool);
    for (const DeviceId device : tables_.inventory.pool(pool).devices)
      tables_.attributes.forget(device);
  }
  tables_.use.devices_changed();
  return pools.empty() ? News::none : News::answers;
}

News DeviceObserver::classes_changed() {
  tables_.extended.classes_changed();
  tables_.use.note_wide_change();
  tables_.claims.note_change();
  return News::answers;
}

News DeviceObserver::set_claim(std::shared_ptr<const model::ResourceClaim> object) {
  const model::OwnerReference* pod = model::extended_owner(*object);
  if (pod != nullptr) adopt(*object, pod->uid);
  const ClaimId id = tables_.claims.open(object->meta.ns, object->meta.name);
  if (pod != nullptr) tables_.claims.set_extended(pod->uid, id);
  const auto holds =
      object->allocation ? holds_of(tables_.inventory, *object->allocation) : std::vector<Hold>{};
  Claim& claim = tables_.claims[id];
  claim.pod_uid = pod != nullptr ? pod->uid : std::string();
  const auto before = std::exchange(claim.object, std::move(object));
  groups_.list_claim(id, before.get());
  // No API server lets a spec change; whoever rehearses one does.
  const PlanId planned = std::exchange(claim.plan, tables_.plans.intern(claim.object->spec));
  const bool replanned = before != nullptr && planned != claim.plan;
  const bool same = !replanned && before != nullptr &&
                    before->allocation == claim.object->allocation &&
                    before->reserved_for == claim.object->reserved_for &&
                    before->meta.deletion == claim.object->meta.deletion;
  if (same) return News::none;
  tables_.claims.note_change();
  tables_.claims.count_users(claim);
  std::vector<Hold> expected;
  const bool ours = claim.granted && claim.allocated();
  if (ours) {
    for (const Pick& pick : claim.grant) {
      if (!pick.admin) expected.push_back(pick.hold);
    }
    tables_.use.give_back(claim.grant);
    claim.grant.clear();
    claim.granted = false;
    ++claim.grants;
    movable_.remove(id);
  } else {
    expected = claim.observed;
  }
  for (const Hold& hold : claim.observed) tables_.use.ledger().give_back(hold);
  for (const Hold& hold : holds) tables_.use.ledger().take(hold);
  claim.observed = holds;
  if (!claim.allocated() && !claim.granted) claim.fixed = false;
  if (replanned && expected == holds) return News::answers;
  // What we decided ourselves has come back: nobody's answer is another.
  if (expected == holds) return ours ? News::none : News::waiters;
  for (const Hold& hold : expected) tables_.use.touch(hold.device);
  for (const Hold& hold : holds) tables_.use.touch(hold.device);
  return News::answers;
}

// A claim that was granted before it was made has come: from now on it goes by its real name.
void DeviceObserver::adopt(const model::ResourceClaim& object, const std::string& pod_uid) {
  const ClaimId id = tables_.claims.find_extended(pod_uid);
  if (!id.valid()) return;
  const Claim& claim = tables_.claims[id];
  const bool awaited = claim.object == nullptr && claim.granted && !object.allocation &&
                       claim.plan == tables_.plans.intern(object.spec);
  if (!awaited || tables_.claims.find(object.meta.ns, object.meta.name).valid()) return;
  tables_.claims.rename(id, object.meta.ns, object.meta.name);
}

News DeviceObserver::remove_claim(std::string_view ns, std::string_view name) {
  const ClaimId id = tables_.claims.find(ns, name);
  if (!id.valid() || tables_.claims[id].object == nullptr) return News::none;
  Claim& claim = tables_.claims[id];
  const bool held = !claim.observed.empty() || claim.granted;
  for (const Hold& hold : claim.observed) {
    tables_.use.ledger().give_back(hold);
    tables_.use.touch(hold.device);
  }
  if (claim.granted) {
    tables_.use.give_back(claim.grant);
    tables_.use.touch(claim.grant);
  }
  movable_.remove(id);
  claim.observed.clear();
  claim.grant.clear();
  claim.granted = claim.fixed = false;
  const auto before = std::exchange(claim.object, nullptr);
  groups_.list_claim(id, before.get());
  tables_.claims.note_change();
  tables_.claims.release(id);
  return held ? News::answers : News::waiters;
}

}  // namespace tutti::devices
