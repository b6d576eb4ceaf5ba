// Observation and questions. Decisions are in grants.cc.
#include "devices/device_state.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <unordered_set>

#include "base/check.h"
#include "base/digest.h"
#include "devices/allocation/result.h"
#include "devices/inventory/health.h"

namespace tutti::devices {
namespace {

constexpr std::size_t kConsumersMax = 256;

std::pair<std::string, std::string> claim_key(std::string_view ns, std::string_view name) {
  return {std::string(ns), std::string(name)};
}

bool owned_by(const model::ResourceClaim& claim, std::string_view kind, std::string_view name,
              std::string_view uid) {
  return std::ranges::any_of(claim.meta.owners, [&](const model::OwnerReference& owner) {
    return owner.kind == kind && owner.name == name && (uid.empty() || owner.uid == uid);
  });
}

bool is_among_users(const Claim& claim, const std::string& uid) {
  const auto& reserved = claim.object->reserved_for;
  return std::ranges::find(reserved, uid, &model::ConsumerReference::uid) != reserved.end() ||
         std::ranges::find(claim.holders, uid, &Holder::user) != claim.holders.end();
}

}  // namespace

DeviceState::DeviceState(const Places& places)
    : places_(places),
      inventory_(selectors_),
      attributes_(inventory_),
      plans_(selectors_),
      extended_(plans_),
      ledger_(inventory_),
      spans_(inventory_, ledger_, attributes_),
      allocator_(inventory_, selectors_, attributes_, places) {}

DeviceState::~DeviceState() = default;

// --- observation ---------------------------------------------------------------------------------

News DeviceState::set(const model::ObjectPtr& object) {
  using model::Kind;
  switch (object->kind) {
    case Kind::resource_slice:
      return pools_changed(
          inventory_.set_slice(std::static_pointer_cast<const model::ResourceSlice>(object)));
    case Kind::device_taint_rule:
      return pools_changed(
          inventory_.set_rule(std::static_pointer_cast<const model::DeviceTaintRule>(object)));
    case Kind::device_class:
      plans_.set_class(std::static_pointer_cast<const model::DeviceClass>(object));
      return classes_changed();
    case Kind::resource_claim:
      return set_claim(std::static_pointer_cast<const model::ResourceClaim>(object));
    default:
      return News::none;
  }
}

News DeviceState::remove(const model::Object& object) {
  using model::Kind;
  switch (object.kind) {
    case Kind::resource_slice:
      return pools_changed(inventory_.remove_slice(object.meta.name));
    case Kind::device_taint_rule:
      return pools_changed(inventory_.remove_rule(object.meta.name));
    case Kind::device_class:
      plans_.remove_class(object.meta.name);
      return classes_changed();
    case Kind::resource_claim:
      return remove_claim(object.meta.ns, object.meta.name);
    default:
      return News::none;
  }
}

News DeviceState::pools_changed(const std::vector<PoolId>& pools) {
  for (const PoolId pool : pools) {
    ledger_.recount(pool);
    for (const DeviceId device : inventory_.pool(pool).devices) attributes_.forget(device);
  }
  spans_.devices_changed();
  ++wide_stamp_;
  return pools.empty() ? News::none : News::answers;
}

News DeviceState::classes_changed() {
  extended_.classes_changed();
  ++wide_stamp_;
  ++claims_version_;
  return News::answers;
}

ClaimId DeviceState::claim_id(std::string_view ns, std::string_view name) {
  const auto known = claim_ids_.find(claim_key(ns, name));
  if (known != claim_ids_.end()) return known->second;
  ClaimId id{static_cast<std::uint32_t>(claims_.size())};
  if (vacant_.empty()) {
    claims_.emplace_back();
  } else {
    id = vacant_.back();
    vacant_.pop_back();
    TUTTI_CHECK(claims_[id.index].object == nullptr && claims_[id.index].holders.empty());
  }
  claims_[id.index].name = claim_key(ns, name);
  claim_ids_.emplace(claim_key(ns, name), id);
  return id;
}

ClaimId DeviceState::find_claim(std::string_view ns, std::string_view name) const {
  const auto at = claim_ids_.find(claim_key(ns, name));
  return at == claim_ids_.end() ? ClaimId{} : at->second;
}

News DeviceState::set_claim(std::shared_ptr<const model::ResourceClaim> object) {
  const model::OwnerReference* pod = model::extended_owner(*object);
  if (pod != nullptr) adopt(*object, pod->uid);
  const ClaimId id = claim_id(object->meta.ns, object->meta.name);
  if (pod != nullptr) extended_claims_[pod->uid] = id;
  const auto holds =
      object->allocation ? holds_of(inventory_, *object->allocation) : std::vector<Hold>{};
  Claim& claim = claims_[id.index];
  claim.pod_uid = pod != nullptr ? pod->uid : std::string();
  const auto before = std::exchange(claim.object, std::move(object));
  list_group_claim(id, before.get());
  // No API server lets a spec change; whoever rehearses one does.
  const PlanId planned = std::exchange(claim.plan, plans_.intern(claim.object->spec));
  const bool replanned = before != nullptr && planned != claim.plan;
  const bool same = !replanned && before != nullptr &&
                    before->allocation == claim.object->allocation &&
                    before->reserved_for == claim.object->reserved_for &&
                    before->meta.deletion == claim.object->meta.deletion;
  if (same) return News::none;
  ++claims_version_;
  count_users(claim);
  std::vector<Hold> expected;
  const bool ours = claim.granted && claim.allocated();
  if (ours) {
    for (const Pick& pick : claim.grant) {
      if (!pick.admin) expected.push_back(pick.hold);
    }
    give_back(claim.grant);
    claim.grant.clear();
    claim.granted = false;
    ++claim.grants;
    fix(id);
  } else {
    expected = claim.observed;
  }
  for (const Hold& hold : claim.observed) ledger_.give_back(hold);
  for (const Hold& hold : holds) ledger_.take(hold);
  claim.observed = holds;
  if (!claim.allocated() && !claim.granted) claim.fixed = false;
  if (replanned && expected == holds) return News::answers;
  // What we decided ourselves has come back: nobody's answer is another.
  if (expected == holds) return ours ? News::none : News::waiters;
  for (const Hold& hold : expected) touch(hold.device);
  for (const Hold& hold : holds) touch(hold.device);
  return News::answers;
}

// A claim that was granted before it was made has come: from now on it goes by its real name.
void DeviceState::adopt(const model::ResourceClaim& object, const std::string& pod_uid) {
  const auto at = extended_claims_.find(pod_uid);
  if (at == extended_claims_.end()) return;
  Claim& claim = claims_[at->second.index];
  const bool awaited = claim.object == nullptr && claim.granted && !object.allocation &&
                       claim.plan == plans_.intern(object.spec);
  if (!awaited || find_claim(object.meta.ns, object.meta.name).valid()) return;
  claim_ids_.erase(claim.name);
  claim.name = claim_key(object.meta.ns, object.meta.name);
  claim_ids_.emplace(claim.name, at->second);
}

News DeviceState::remove_claim(std::string_view ns, std::string_view name) {
  const ClaimId id = find_claim(ns, name);
  if (!id.valid() || claims_[id.index].object == nullptr) return News::none;
  Claim& claim = claims_[id.index];
  const bool held = !claim.observed.empty() || claim.granted;
  for (const Hold& hold : claim.observed) {
    ledger_.give_back(hold);
    touch(hold.device);
  }
  if (claim.granted) {
    give_back(claim.grant);
    touch(claim.grant);
  }
  fix(id);
  claim.observed.clear();
  claim.grant.clear();
  claim.granted = claim.fixed = false;
  const auto before = std::exchange(claim.object, nullptr);
  list_group_claim(id, before.get());
  ++claims_version_;
  release_slot(id);
  return held ? News::answers : News::waiters;
}

// A slot is free for another claim when nobody remembers this one.
void DeviceState::release_slot(ClaimId id) {
  Claim& claim = claims_[id.index];
  if (claim.object != nullptr || !claim.holders.empty()) return;
  TUTTI_CHECK(!claim.granted, "a slot goes with devices that nobody can give back");
  TUTTI_CHECK(claim_ids_.erase(claim.name) == 1, "a slot is given up twice");
  if (const auto at = extended_claims_.find(claim.pod_uid);
      at != extended_claims_.end() && at->second == id) {
    extended_claims_.erase(at);
  }
  // Answers about the slot's former claim must not pass for answers about the next.
  const std::uint64_t grants = claim.grants + 1;
  claim = {};
  claim.grants = grants;
  vacant_.push_back(id);
}

// --- questions -----------------------------------------------------------------------------------

// Only the pod it was made for may use it.
bool DeviceState::exclusive(const Claim& claim) const {
  return std::ranges::any_of(claim.object->meta.owners, [](const model::OwnerReference& owner) {
    return owner.kind == "Pod" && owner.controller;
  });
}

// Why the pod may not use the claim; empty: it may.
std::string DeviceState::refusal(const model::Pod& pod, const model::ClaimReference& entry,
                                 const Claim& claim) const {
  const auto& object = *claim.object;
  if (object.meta.deletion) {
    return fmt::format("resource claim {} is being deleted", object.meta.name);
  }
  const bool generated = entry.claim_name.empty();
  if (generated && !owned_by(object, "Pod", pod.meta.name, pod.meta.uid) &&
      !owned_by(object, "PodGroup", pod.spec->scheduling_group, {})) {
    return fmt::format("resource claim {} was not made for the pod", object.meta.name);
  }
  const auto consumer = consumer_of(pod, entry);
  if (claim.users >= kConsumersMax && !is_among_users(claim, consumer.uid)) {
    return fmt::format("resource claim {} has {} users, as many as it may have", object.meta.name,
                       claim.users);
  }
  return claim.allocated() ? evicting_taint(claim) : "";
}

// Whoever starts on a device with such a taint is ended at once.
std::string DeviceState::evicting_taint(const Claim& claim) const {
  for (const Hold& hold : claim.observed) {
    for (const auto& taint : inventory_.device(hold.device).taints) {
      if (taint.effect != "NoExecute") continue;
      const std::string name = inventory_.text(hold.device);
      const bool endured = std::ranges::any_of(
          claim.object->allocation->results, [&](const model::DeviceResult& result) {
            return fmt::format("{}/{}/{}", result.driver, result.pool, result.device) == name &&
                   tolerated(taint, result.tolerations);
          });
      if (endured) continue;
      return fmt::format("resource claim {} holds {}, which has taint {}", claim.object->meta.name,
                         name, text_of(taint));
    }
  }
  return {};
}

// Only near the limit does it matter who is counted twice. Waiting pods are another class beyond
// it.
void DeviceState::count_users(Claim& claim) {
  const bool was_full = claim.users >= kConsumersMax;
  claim.users = claim.holders.size();
  if (claim.object != nullptr) claim.users += claim.object->reserved_for.size();
  if (claim.users >= kConsumersMax && claim.object != nullptr) {
    std::unordered_set<std::string_view> uids;
    for (const auto& each : claim.object->reserved_for) uids.insert(each.uid);
    for (const Holder& holder : claim.holders) uids.insert(holder.user);
    claim.users = uids.size();
  }
  if (was_full != (claim.users >= kConsumersMax)) ++claims_version_;
}

ClaimId DeviceState::extended_claim_of(const model::Pod& pod) const {
  const auto at = extended_claims_.find(pod.meta.uid);
  return at == extended_claims_.end() ? ClaimId{} : at->second;
}

std::vector<model::ExtendedRequest> DeviceState::uses_of(ClaimId id) const {
  const Claim& claim = claims_[id.index];
  const auto& requests = plans_.plan(claim.plan).spec.requests;
  std::vector<model::ExtendedRequest> uses;
  for (const ExtendedNeed& need : extended_.needs(claim.needs)) {
    std::ranges::copy_if(need.uses, std::back_inserter(uses), [&](const auto& use) {
      return std::ranges::find(requests, use.request, &model::DeviceRequest::name) !=
             requests.end();
    });
  }
  return uses;
}

// A claim that was made for the pod and whose decision is no more is of no use to the next: what it
// asks for was meant for one node.
void DeviceState::add_extended(const model::Pod& pod, PodClaims& result) const {
  const ClaimId made = extended_claim_of(pod);
  const Claim* claim = made.valid() ? &claims_[made.index] : nullptr;
  if (claim != nullptr && claim->object != nullptr) {
    if (claim->holders.empty() && pod.node_name.empty() && result.problem.empty()) {
      result.problem = fmt::format("resource claim {} is left from an earlier attempt",
                                   claim->object->meta.name);
    }
    if (claim->allocated()) {
      result.claims.push_back(made);
      result.settled.push_back(made);
      return;
    }
  }
  result.extended = extended_.find(pod.spec);
  if (result.extended.valid()) result.open.push_back({{}, {}, result.extended});
}

PodClaims DeviceState::claims_of(const model::Pod& pod) const {
  PodClaims result;
  const auto hold_up = [&](std::string problem, bool waiting) {
    if (!result.problem.empty()) return;
    result.problem = std::move(problem);
    result.waiting = waiting;
  };
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr) {
      hold_up(fmt::format("waiting for a resource claim to be made for \"{}\" from template {}",
                          entry.name, entry.template_name),
              true);
      continue;
    }
    if (name->empty()) continue;
    const ClaimId id = find_claim(pod.meta.ns, *name);
    if (!id.valid() || claims_[id.index].object == nullptr) {
      hold_up(fmt::format("resource claim {} does not exist", *name), true);
      continue;
    }
    const Claim& claim = claims_[id.index];
    if (auto problem = refusal(pod, entry, claim); !problem.empty()) {
      hold_up(std::move(problem), false);
    }
    if (is_withheld(pod, entry, claim)) {
      hold_up(fmt::format("resource claim {} is being given back", *name), true);
    }
    if (std::ranges::find(result.claims, id) != result.claims.end()) continue;
    result.claims.push_back(id);
    if (claim.allocated()) {
      result.settled.push_back(id);
      continue;
    }
    const ClaimPlan& plan = plans_.plan(claim.plan);
    if (!plan.problem.empty()) {
      hold_up(fmt::format("resource claim {}: {}", *name, plan.problem), false);
    }
    result.open.push_back({claim.plan, exclusive(claim) ? ClaimId{} : id});
  }
  add_extended(pod, result);
  result.confinement = confinement_of(pod);
  for (Wanted& wanted : result.open) wanted.confinement = result.confinement;
  return result;
}

ConfinementId DeviceState::confinement_of(const model::Pod& pod) const {
  const auto at = confined_.find(pod.meta.uid);
  return at == confined_.end() ? ConfinementId{} : at->second;
}

void DeviceState::confine(const model::Pod& pod, ConfinementId to) {
  if (to.valid()) {
    confined_.insert_or_assign(pod.meta.uid, to);
  } else {
    confined_.erase(pod.meta.uid);
  }
}

Bounds DeviceState::bounds_at(ConfinementId id, NodeIndex node) const {
  Bounds bounds = confinements_.bounds(id);
  std::erase_if(bounds,
                [&](const Bound& bound) { return places_.labelled(node, bound.attribute); });
  return bounds;
}

bool DeviceState::stays_within(const Claim& claim, const Bounds& bounds) const {
  if (bounds.empty()) return true;
  const auto is_within = [&](const Hold& hold) {
    return inventory_.device(hold.device).device == nullptr ||
           lies_within(inventory_, hold.device, bounds);
  };
  return std::ranges::all_of(claim.observed, is_within) &&
         std::ranges::all_of(claim.grant,
                             [&](const Pick& pick) { return pick.admin || is_within(pick.hold); });
}

std::vector<DeviceId> DeviceState::devices_of(const model::Pod& pod) const {
  std::vector<ClaimId> claims = claims_of(pod).claims;
  const ClaimId extended = extended_claim_of(pod);
  if (extended.valid() && std::ranges::find(claims, extended) == claims.end()) {
    claims.push_back(extended);
  }
  std::vector<DeviceId> found;
  const auto add = [&](const Hold& hold) {
    if (inventory_.device(hold.device).device != nullptr) found.push_back(hold.device);
  };
  for (const ClaimId id : claims) {
    for (const Hold& hold : claims_[id.index].observed) add(hold);
    for (const Pick& pick : claims_[id.index].grant) {
      if (!pick.admin) add(pick.hold);
    }
  }
  return found;
}

std::uint32_t DeviceState::class_of(const model::Pod& pod) {
  const PodClaims claims = claims_of(pod);
  std::vector<std::uint64_t> key;
  constexpr std::uint64_t kShared = std::uint64_t{1} << 32;
  for (const Wanted& wanted : claims.open) {
    key.push_back(wanted.extended.valid() ? 4 * kShared + wanted.extended.index
                  : wanted.claim.valid()  ? kShared + wanted.claim.index
                                          : wanted.plan.index);
  }
  for (const ClaimId id : claims.settled) key.push_back(2 * kShared + id.index);
  if (!claims.problem.empty()) key.push_back(3 * kShared + problems_.intern(claims.problem));
  if (claims.confinement.valid()) key.push_back(5 * kShared + claims.confinement.index);
  const auto [at, fresh] =
      classes_.try_emplace(std::move(key), static_cast<std::uint32_t>(classes_.size() + 1));
  return at->second;
}

std::vector<Wanted> DeviceState::wanted_at(NodeIndex node, std::span<const Wanted> wanted) const {
  std::vector<Wanted> here;
  for (const Wanted& want : wanted) {
    if (!want.extended.valid()) {
      here.push_back(want);
      continue;
    }
    const PlanId plan = extended_.plan(want.extended, [&](const std::string& resource) {
      return places_.advertises(node, resource);
    });
    if (plan.valid()) here.push_back({plan, {}, {}, want.confinement});
  }
  return here;
}

const ClaimPlan& DeviceState::plan_of(const Wanted& wanted) const {
  if (!wanted.extended.valid()) return plans_.plan(wanted.plan);
  return plans_.plan(extended_.plan(wanted.extended, [](const std::string&) { return false; }));
}

DeviceState::Stamp DeviceState::common_stamp(std::span<const Wanted> wanted) const {
  Stamp stamp{0, wide_stamp_, 0};
  for (const Wanted& want : wanted) {
    if (want.claim.valid()) stamp.claims += claims_[want.claim.index].grants;
  }
  return stamp;
}

DeviceState::Stamp DeviceState::stamp(NodeIndex node, std::span<const Wanted> wanted) const {
  Stamp stamp = common_stamp(wanted);
  const ReachId own = places_.own(node);
  if (own.valid()) stamp.own = ledger_.state(own);
  const auto here = flexible_at_.find(node);
  if (here == flexible_at_.end()) return stamp;
  Digest digest;
  digest.add(stamp.own);
  for (const ClaimId id : here->second) {
    digest.add(std::uint64_t{claims_[id.index].plan.index});
    digest.add(claims_[id.index].holders_state);
    for (const Pick& pick : claims_[id.index].grant) digest.add(digest_of(pick.hold));
  }
  stamp.own = digest.value();
  return stamp;
}

void DeviceState::touch(DeviceId device) {
  spans_.touch(device);
  const DeviceEntry& entry = inventory_.device(device);
  // Counters belong to the pool: what is taken here may be what a device elsewhere lacks.
  const auto elsewhere = [&](DeviceId other) {
    return inventory_.device(other).reach != entry.reach;
  };
  const bool shares_counters =
      !entry.charges.empty() && std::ranges::any_of(inventory_.pool(entry.pool).devices, elsewhere);
  if (!entry.reach.valid() || inventory_.is_wide(entry.reach) || shares_counters) {
    ++wide_stamp_;
  }
}

void DeviceState::touch(const Grant& grant) {
  for (const Pick& pick : grant) touch(pick.hold.device);
}

std::string DeviceState::check() const {
  Ledger rebuilt(inventory_);
  for (const Claim& claim : claims_) {
    if (!claim.deserted()) {
      for (const Hold& hold : claim.observed) rebuilt.take(hold);
    }
    if (!claim.granted) continue;
    for (const Pick& pick : claim.grant) {
      if (!pick.admin) rebuilt.take(pick.hold);
    }
  }
  if (!(rebuilt == ledger_)) return "what is held of devices differs after a rebuild";
  return spans_.check();
}

}  // namespace tutti::devices
