// The resource claim controller of a bare control plane: makes claims from templates, and lets go
// of devices whose users are gone.
//
//   PodGroup entry with a template ──> one claim, owned by the group, recorded in its status
//   pod entry equal to its group's ──> the group's claim, recorded in the pod's status
//   any other pod entry with a template ──> a claim of the pod's own
//
//   user of a claim is gone (pod ended or deleted, group deleted) ──> off reservedFor
//   last user gone ──> allocation cleared, finalizer removed
//   owner gone, or the pod of a claim of its own has ended ──> claim deleted
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "model/device.h"
#include "model/group.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

class ResourceClaims : public Controller {
 public:
  // The plane must outlive it.
  explicit ResourceClaims(Plane& plane) : plane_(plane) {}

  void observe(const store::WatchEvent& event) override;
  void settle() override;

 private:
  using Claim = model::ResourceClaim;
  using Key = model::ObjectKey;

  void observe_claim(const store::WatchEvent& event);
  void observe_pod(const store::WatchEvent& event);
  void observe_group(const store::WatchEvent& event);
  void concerns(const std::string& uid);

  void serve(const model::Pod& pod);
  void serve(const model::PodGroup& group);
  // The claim of an entry, made if need be; empty when it has to wait.
  std::optional<std::string> claim_for(const model::Object& owner,
                                       const model::ClaimReference& entry);
  std::optional<std::string> group_claim(const model::Pod& pod, const model::ClaimReference& entry,
                                         bool& of_group) const;
  std::shared_ptr<Claim> made_from(const model::ResourceClaimTemplate& claim_template,
                                   const model::Object& owner, const std::string& entry) const;
  std::string fresh_name(const model::Object& owner, const std::string& entry) const;
  void report_missing(const model::Object& owner, const model::ClaimReference& entry);
  void reserve_for_running(const model::Pod& pod);

  void look_after(const Claim& claim);
  bool uses(const Claim& claim, const model::ConsumerReference& consumer) const;
  bool orphaned(const Claim& claim) const;

  Plane& plane_;
  std::set<Key> dirty_;    // pods, groups and claims that something happened to
  std::set<Key> waiting_;  // pods and groups that lack a claim
  std::set<Key> reported_;
  std::map<std::string, std::set<Key>> claims_of_;  // by uid of owner or user
};

}  // namespace tutti::sim
