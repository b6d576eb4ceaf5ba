#include "sim/controllers/resource_claims.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/digest.h"
#include "core/framework/ports.h"
#include "sim/plane/event_recorder.h"
#include "store/typed.h"
#include "wire/decode/decode.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::sim {
namespace {

using model::ClaimReference;
using model::ClaimStatus;
using model::Kind;
using model::Pod;
using model::PodGroup;
using model::ResourceClaim;

constexpr std::string_view kClaimController = "resourceclaim-controller";
constexpr std::size_t kBaseMax = 57;  // of generated names, before the five random letters
constexpr std::string_view kLetters = "bcdfghjklmnpqrstvwxz2456789";

bool over(const Pod& pod) { return pod.terminal() || (pod.meta.deletion && pod.node_name.empty()); }

// "<owner>-<entry>-", both parts cut in proportion where that is too long.
std::string base_name(std::string owner, std::string entry) {
  const std::size_t whole = owner.size() + entry.size() + 2;
  if (whole > kBaseMax) {
    const std::size_t room = kBaseMax - 2;
    const std::size_t of_owner = owner.size() * room / (owner.size() + entry.size());
    owner.resize(of_owner);
    entry.resize(room - of_owner);
  }
  return owner + "-" + entry + "-";
}

std::vector<std::string> uids_of(const ResourceClaim& claim) {
  std::vector<std::string> uids;
  for (const auto& owner : claim.meta.owners) uids.push_back(owner.uid);
  for (const auto& consumer : claim.reserved_for) uids.push_back(consumer.uid);
  return uids;
}

bool owned_by(const ResourceClaim& claim, const model::Object& owner, const std::string& entry) {
  const std::string* name = model::find(claim.meta.annotations, model::kPodClaimName);
  return name != nullptr && *name == entry &&
         std::ranges::any_of(claim.meta.owners, [&](const model::OwnerReference& reference) {
           return reference.controller && reference.uid == owner.meta.uid;
         });
}

void record(std::vector<ClaimStatus>& statuses, const std::string& entry,
            const std::string& claim) {
  const auto at = std::ranges::lower_bound(statuses, entry, {}, &ClaimStatus::name);
  statuses.insert(at, {entry, claim});
}

// The document of a claim made from a template: the template's inner spec, fields that we do not
// know included.
std::shared_ptr<ResourceClaim> document_of(const model::ResourceClaimTemplate& from) {
  auto claim = std::make_shared<ResourceClaim>();
  claim->api_version = from.api_version;
  claim->spec = from.spec;
  if (from.document == nullptr) return claim;
  // What an object was written as can be read again.
  (void)wire::read_json(*from.document, [&](wire::Document&& document) -> Status {
    wire::Value* outer = document.root().find("spec");
    wire::Value* inner = outer != nullptr ? outer->find("spec") : nullptr;
    if (inner == nullptr) return ok_status();
    wire::Value root = wire::Value::object();
    root.set_member(document.arena(), "spec", inner->clone(document.arena()));
    claim->document = std::make_shared<const std::string>(wire::to_json(root));
    return ok_status();
  });
  return claim;
}

}  // namespace

// --- what happened -------------------------------------------------------------------------------

void ResourceClaims::observe(const store::WatchEvent& event) {
  switch (event.object().kind) {
    case Kind::pod:
      return observe_pod(event);
    case Kind::pod_group:
      return observe_group(event);
    case Kind::resource_claim:
      return observe_claim(event);
    case Kind::resource_claim_template:
      dirty_.insert(waiting_.begin(), waiting_.end());
      return;
    default:
      return;
  }
}

void ResourceClaims::concerns(const std::string& uid) {
  const auto at = claims_of_.find(uid);
  if (at != claims_of_.end()) dirty_.insert(at->second.begin(), at->second.end());
}

void ResourceClaims::observe_pod(const store::WatchEvent& event) {
  const auto key = model::key_of(event.object());
  // The scheduler may have made one for it.
  if (model::as<Pod>(event.object()).spec->resource_claims.empty() &&
      !claims_of_.contains(event.object().meta.uid)) {
    return;
  }
  if (!event.after || over(model::as<Pod>(*event.after))) {
    waiting_.erase(key);
    return concerns(event.object().meta.uid);
  }
  const auto& after = model::as<Pod>(*event.after);
  const bool arrived =
      event.before == nullptr || model::as<Pod>(*event.before).node_name != after.node_name;
  if (arrived || waiting_.contains(key)) dirty_.insert(key);
}

void ResourceClaims::observe_group(const store::WatchEvent& event) {
  const auto key = model::key_of(event.object());
  if (!event.after) {
    waiting_.erase(key);
    return concerns(event.object().meta.uid);
  }
  if (model::as<PodGroup>(*event.after).spec.resource_claims.empty() && event.before) return;
  dirty_.insert(key);
  // Pods of the group wait to learn whose claims theirs are.
  dirty_.insert(waiting_.begin(), waiting_.end());
}

void ResourceClaims::observe_claim(const store::WatchEvent& event) {
  const auto key = model::key_of(event.object());
  if (event.before) {
    for (const auto& uid : uids_of(model::as<Claim>(*event.before))) {
      const auto at = claims_of_.find(uid);
      if (at == claims_of_.end()) continue;
      at->second.erase(key);
      if (at->second.empty()) claims_of_.erase(at);
    }
  }
  if (!event.after) return;
  for (const auto& uid : uids_of(model::as<Claim>(*event.after))) claims_of_[uid].insert(key);
  dirty_.insert(key);
}

void ResourceClaims::settle() {
  const auto due = std::exchange(dirty_, {});
  // Groups first: their pods take over their claims.
  for (const Kind kind : {Kind::pod_group, Kind::pod, Kind::resource_claim}) {
    for (const auto& key : due) {
      if (key.kind != kind) continue;
      const auto object = plane_.store.get(key);
      if (!object) continue;
      if (kind == Kind::pod_group) serve(model::as<PodGroup>(*object));
      if (kind == Kind::pod) serve(model::as<Pod>(*object));
      if (kind == Kind::resource_claim) look_after(model::as<Claim>(*object));
    }
  }
}

// --- claims from templates -----------------------------------------------------------------------

void ResourceClaims::serve(const PodGroup& group) {
  const auto key = model::key_of(group);
  waiting_.erase(key);
  if (group.meta.deletion) return;
  auto statuses = group.claim_statuses;
  for (const auto& entry : group.spec.resource_claims) {
    if (model::claim_name_of(entry, statuses) != nullptr) continue;
    const auto claim = claim_for(group, entry);
    if (claim) {
      record(statuses, entry.name, *claim);
    } else {
      waiting_.insert(key);
    }
  }
  if (statuses == group.claim_statuses) return;
  must(plane_.store.patch(
      key, [&](model::Object& object) { static_cast<PodGroup&>(object).claim_statuses = statuses; },
      plane_.write()));
}

void ResourceClaims::serve(const Pod& pod) {
  const auto key = model::key_of(pod);
  waiting_.erase(key);
  if (over(pod) || pod.meta.deletion) return;
  auto statuses = pod.status.claim_statuses.list();
  for (const auto& entry : pod.spec->resource_claims) {
    if (model::claim_name_of(entry, statuses) != nullptr) continue;
    bool of_group = false;
    auto claim = group_claim(pod, entry, of_group);
    if (!of_group) claim = claim_for(pod, entry);
    if (claim) {
      record(statuses, entry.name, *claim);
    } else {
      waiting_.insert(key);
    }
  }
  if (statuses != pod.status.claim_statuses.list()) {
    must(plane_.store.patch(
        key,
        [&](model::Object& object) { static_cast<Pod&>(object).status.claim_statuses = statuses; },
        plane_.write()));
  }
  if (!pod.node_name.empty()) reserve_for_running(pod);
}

// `of_group`: the entry is the group's, or may turn out to be once the group is there.
std::optional<std::string> ResourceClaims::group_claim(const Pod& pod, const ClaimReference& entry,
                                                       bool& of_group) const {
  if (pod.spec->scheduling_group.empty()) return std::nullopt;
  const auto group = plane_.store.find<PodGroup>(pod.meta.ns, pod.spec->scheduling_group);
  const auto& entries = group ? group->spec.resource_claims : std::vector<ClaimReference>{};
  of_group = !group || std::ranges::find(entries, entry) != entries.end();
  if (!group || !of_group) return std::nullopt;
  const std::string* name = model::claim_name_of(entry, group->claim_statuses);
  return name != nullptr ? std::optional(*name) : std::nullopt;
}

std::optional<std::string> ResourceClaims::claim_for(const model::Object& owner,
                                                     const ClaimReference& entry) {
  if (const auto known = claims_of_.find(owner.meta.uid); known != claims_of_.end()) {
    for (const auto& key : known->second) {
      const auto claim = plane_.store.find<Claim>(key.ns, key.name);
      if (claim && owned_by(*claim, owner, entry.name)) return claim->meta.name;
    }
  }
  const auto from =
      plane_.store.find<model::ResourceClaimTemplate>(owner.meta.ns, entry.template_name);
  if (!from) {
    report_missing(owner, entry);
    return std::nullopt;
  }
  const auto made = made_from(*from, owner, entry.name);
  made->meta.name = fresh_name(owner, entry.name);
  const auto created = plane_.store.create(*made, plane_.write());
  if (!created.ok()) return std::nullopt;
  for (const auto& uid : uids_of(model::as<Claim>(**created))) {
    claims_of_[uid].insert(model::key_of(**created));
  }
  return made->meta.name;
}

std::shared_ptr<ResourceClaim> ResourceClaims::made_from(
    const model::ResourceClaimTemplate& claim_template, const model::Object& owner,
    const std::string& entry) const {
  auto claim = document_of(claim_template);
  claim->meta.ns = owner.meta.ns;
  claim->meta.labels = claim_template.claim_labels;
  auto annotations = claim_template.claim_annotations.list();
  std::erase_if(annotations, [](const auto& each) { return each.first == model::kPodClaimName; });
  annotations.emplace_back(model::kPodClaimName, entry);
  std::ranges::sort(annotations);
  claim->meta.annotations = std::move(annotations);
  model::OwnerReference reference;
  reference.api_version = owner.kind == Kind::pod ? std::string("v1") : owner.api_version;
  reference.kind = model::facts(owner.kind).name;
  reference.name = owner.meta.name;
  reference.uid = owner.meta.uid;
  reference.controller = true;
  reference.block_owner_deletion = owner.kind == Kind::pod;
  claim->meta.owners = {reference};
  return claim;
}

// Five letters out of the owner and the entry stand in for chance: whatever else is in the cluster,
// the name is this one unless it is taken.
std::string ResourceClaims::fresh_name(const model::Object& owner, const std::string& entry) const {
  const std::string base = base_name(owner.meta.name, entry);
  for (std::uint64_t attempt = 0;; ++attempt) {
    Digest digest;
    digest.add(owner.meta.uid);
    digest.add(entry);
    digest.add(attempt);
    std::string name = base;
    for (std::uint64_t rest = digest.value(), i = 0; i < 5; ++i, rest /= kLetters.size()) {
      name += kLetters[rest % kLetters.size()];
    }
    if (!plane_.store.find<Claim>(owner.meta.ns, name)) return name;
  }
}

void ResourceClaims::report_missing(const model::Object& owner, const ClaimReference& entry) {
  if (!reported_.insert(model::key_of(owner)).second) return;
  record_event(plane_, {.about = plane_.store.get(model::key_of(owner)),
                        .type = "Warning",
                        .reason = "FailedResourceClaimCreation",
                        .action = {},
                        .message = fmt::format("resource claim {}: template {} does not exist",
                                               entry.name, entry.template_name),
                        .scheduler = std::string(kClaimController)});
}

// A pod that came with its node keeps what its claims hold.
void ResourceClaims::reserve_for_running(const Pod& pod) {
  for (const auto& entry : pod.spec->resource_claims) {
    const std::string* name = model::claim_name_of(entry, pod.status.claim_statuses);
    if (name == nullptr || name->empty()) continue;
    const auto claim = plane_.store.find<Claim>(pod.meta.ns, *name);
    if (!claim || !claim->allocation || !claim->reserved_for.empty() || claim->meta.deletion) {
      continue;
    }
    must(plane_.store.patch(
        model::key_of(*claim),
        [&](model::Object& object) {
          static_cast<Claim&>(object).reserved_for.push_back(
              {{}, "pods", pod.meta.name, pod.meta.uid});
        },
        plane_.write()));
  }
}

// --- letting go ----------------------------------------------------------------------------------

bool ResourceClaims::uses(const Claim& claim, const model::ConsumerReference& consumer) const {
  if (consumer.api_group.empty() && consumer.resource == "pods") {
    const auto pod = plane_.store.find<Pod>(claim.meta.ns, consumer.name);
    return pod && pod->meta.uid == consumer.uid && !over(*pod);
  }
  if (consumer.resource == "podgroups") {
    const auto group = plane_.store.find<PodGroup>(claim.meta.ns, consumer.name);
    return group && group->meta.uid == consumer.uid;
  }
  return true;  // who knows
}

// Its owner is gone, or is a pod that has ended.
bool ResourceClaims::orphaned(const Claim& claim) const {
  return std::ranges::any_of(claim.meta.owners, [&](const model::OwnerReference& owner) {
    if (!owner.controller) return false;
    if (owner.kind == "Pod") {
      const auto pod = plane_.store.find<Pod>(claim.meta.ns, owner.name);
      return !pod || pod->meta.uid != owner.uid || pod->terminal();
    }
    if (owner.kind != "PodGroup") return false;
    const auto group = plane_.store.find<PodGroup>(claim.meta.ns, owner.name);
    return !group || group->meta.uid != owner.uid;
  });
}

void ResourceClaims::look_after(const Claim& claim) {
  const auto key = model::key_of(claim);
  auto users = claim.reserved_for;
  std::erase_if(users, [&](const auto& consumer) { return !uses(claim, consumer); });
  const bool emptied = users.empty() && !claim.reserved_for.empty();
  const bool ending = users.empty() && claim.meta.deletion.has_value();
  const bool held = claim.allocation.has_value() ||
                    std::ranges::find(claim.meta.finalizers, model::kClaimFinalizer) !=
                        claim.meta.finalizers.end();
  const bool frees = (emptied || ending) && held;
  if (users.size() != claim.reserved_for.size() || frees) {
    must(plane_.store.patch(
        key,
        [&](model::Object& object) {
          auto& next = static_cast<Claim&>(object);
          next.reserved_for = users;
          if (!frees) return;
          next.allocation.reset();
          next.device_statuses.clear();
          std::erase(next.meta.finalizers.edit(), model::kClaimFinalizer);
        },
        plane_.write()));
  }
  const auto now = plane_.store.find<Claim>(key.ns, key.name);
  if (now && !now->meta.deletion && now->reserved_for.empty() && orphaned(*now)) {
    must(plane_.store.remove(key, plane_.write()));
  }
}

}  // namespace tutti::sim
