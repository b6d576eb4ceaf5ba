#include "devices/claims/claim_questions.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/check.h"
#include "devices/inventory/health.h"

namespace tutti::devices {
namespace {

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

// Only the pod it was made for may use it.
bool is_exclusive(const Claim& claim) {
  return std::ranges::any_of(claim.object->meta.owners, [](const model::OwnerReference& owner) {
    return owner.kind == "Pod" && owner.controller;
  });
}

}  // namespace

std::string ClaimQuestions::refusal(const model::Pod& pod, const model::ClaimReference& entry,
                                    const Claim& claim) const {
  TUTTI_CHECK(claim.object != nullptr, "a claim that does not exist refuses nobody");
  const auto& object = *claim.object;
  if (object.meta.deletion) {
    return fmt::format("resource claim {} is being deleted", object.meta.name);
  }
  const bool generated = entry.claim_name.empty();
  if (generated && !owned_by(object, "Pod", pod.meta.name, pod.meta.uid) &&
      !owned_by(object, "PodGroup", pod.spec->scheduling_group, {})) {
    return fmt::format("resource claim {} was not made for the pod", object.meta.name);
  }
  const auto consumer = groups_.consumer_of(pod, entry);
  if (claim.users >= ClaimTable::kUsersMax && !is_among_users(claim, consumer.uid)) {
    return fmt::format("resource claim {} has {} users, as many as it may have", object.meta.name,
                       claim.users);
  }
  return claim.allocated() ? evicting_taint(claim) : "";
}

// Whoever starts on a device with such a taint is ended at once.
std::string ClaimQuestions::evicting_taint(const Claim& claim) const {
  for (const Hold& hold : claim.observed) {
    for (const auto& taint : tables_.inventory.device(hold.device).taints) {
      if (taint.effect != "NoExecute") continue;
      const std::string name = tables_.inventory.text(hold.device);
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

std::vector<model::ExtendedRequest> ClaimQuestions::uses_of(ClaimId id) const {
  const Claim& claim = tables_.claims[id];
  const auto& requests = tables_.plans.plan(claim.plan).spec.requests;
  std::vector<model::ExtendedRequest> uses;
  for (const ExtendedNeed& need : tables_.extended.needs(claim.needs)) {
    std::ranges::copy_if(need.uses, std::back_inserter(uses), [&](const auto& use) {
      return std::ranges::find(requests, use.request, &model::DeviceRequest::name) !=
             requests.end();
    });
  }
  return uses;
}

// A claim that was made for the pod and whose decision is no more is of no use to the next: what it
// asks for was meant for one node.
void ClaimQuestions::add_extended(const model::Pod& pod, PodClaims& result) const {
  const ClaimId made = extended_claim_of(pod);
  const Claim* claim = made.valid() ? &tables_.claims[made] : nullptr;
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
  result.extended = tables_.extended.find(pod.spec);
  if (result.extended.valid()) result.open.push_back({{}, {}, result.extended});
}

PodClaims ClaimQuestions::claims_of(const model::Pod& pod) const {
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
    const ClaimId id = tables_.claims.find(pod.meta.ns, *name);
    if (!id.valid() || tables_.claims[id].object == nullptr) {
      hold_up(fmt::format("resource claim {} does not exist", *name), true);
      continue;
    }
    const Claim& claim = tables_.claims[id];
    if (auto problem = refusal(pod, entry, claim); !problem.empty()) {
      hold_up(std::move(problem), false);
    }
    if (groups_.is_withheld(pod, entry, claim)) {
      hold_up(fmt::format("resource claim {} is being given back", *name), true);
    }
    if (std::ranges::find(result.claims, id) != result.claims.end()) continue;
    result.claims.push_back(id);
    if (claim.allocated()) {
      result.settled.push_back(id);
      continue;
    }
    const ClaimPlan& plan = tables_.plans.plan(claim.plan);
    if (!plan.problem.empty()) {
      hold_up(fmt::format("resource claim {}: {}", *name, plan.problem), false);
    }
    result.open.push_back({claim.plan, is_exclusive(claim) ? ClaimId{} : id});
  }
  add_extended(pod, result);
  result.confinement = confined_.confinement_of(pod);
  for (Wanted& wanted : result.open) wanted.confinement = result.confinement;
  return result;
}

std::vector<DeviceId> ClaimQuestions::devices_of(const model::Pod& pod) const {
  std::vector<ClaimId> claims = claims_of(pod).claims;
  const ClaimId extended = extended_claim_of(pod);
  if (extended.valid() && std::ranges::find(claims, extended) == claims.end()) {
    claims.push_back(extended);
  }
  std::vector<DeviceId> found;
  const auto add = [&](const Hold& hold) {
    if (tables_.inventory.device(hold.device).device != nullptr) found.push_back(hold.device);
  };
  for (const ClaimId id : claims) {
    for (const Hold& hold : tables_.claims[id].observed) add(hold);
    for (const Pick& pick : tables_.claims[id].grant) {
      if (!pick.admin) add(pick.hold);
    }
  }
  return found;
}

std::vector<Wanted> ClaimQuestions::wanted_at(NodeIndex node,
                                              std::span<const Wanted> wanted) const {
  std::vector<Wanted> here;
  for (const Wanted& want : wanted) {
    if (!want.extended.valid()) {
      here.push_back(want);
      continue;
    }
    const PlanId plan = tables_.extended.plan(want.extended, [&](const std::string& resource) {
      return tables_.places.advertises(node, resource);
    });
    if (plan.valid()) here.push_back({plan, {}, {}, want.confinement});
  }
  return here;
}

const ClaimPlan& ClaimQuestions::plan_of(const Wanted& wanted) const {
  if (!wanted.extended.valid()) return tables_.plans.plan(wanted.plan);
  return tables_.plans.plan(
      tables_.extended.plan(wanted.extended, [](const std::string&) { return false; }));
}

std::vector<const Claim*> ClaimQuestions::allocated_on(NodeIndex node) const {
  const ReachId own = tables_.places.own(node);
  const auto is_here = [&](const Hold& hold) {
    return tables_.inventory.device(hold.device).reach == own;
  };
  std::vector<const Claim*> found;
  for (const Claim& claim : tables_.claims.slots()) {
    if (claim.allocated() && std::ranges::any_of(claim.observed, is_here)) found.push_back(&claim);
  }
  return found;
}

}  // namespace tutti::devices
