// Claims as they are kept, and as pods ask for them.
#pragma once

#include "base/check.h"
#include "base/std.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/ledger.h"
#include "devices/inventory/ids.h"
#include "model/device.h"

namespace tutti::devices {

struct Holder {
  PodIndex pod = 0;
  NodeIndex node = 0;
  std::string user;  // uid of who is in status.reservedFor for it, or will be
  ConfinementId confinement = {};
  bool operator==(const Holder&) const = default;
};

struct Claim {
  std::pair<std::string, std::string> name;  // namespace, name
  // For the extended resources of a pod: the pod, and what it asks for if we granted it.
  std::string pod_uid;
  ExtendedId needs;
  std::shared_ptr<const model::ResourceClaim> object;  // null: gone, or never seen
  PlanId plan;
  std::vector<Hold> observed;  // by status.allocation
  Grant grant;
  bool granted = false;  // beside what is observed
  bool fixed = false;    // handed to the cluster: not to be chosen anew
  std::vector<Holder> holders;
  std::uint64_t holders_state = 0;  // digest of where they are and what they are confined to
  std::size_t users = 0;            // in status.reservedFor, or on their way there
  std::uint64_t grants = 0;         // how often the grant changed
  std::size_t imagined_gone = 0;    // how many of the consumers in status.reservedFor

  bool deserted() const {
    if (imagined_gone == 0) return false;
    TUTTI_CHECK(object != nullptr, "a claim that does not exist has lost users");
    return imagined_gone == object->reserved_for.size();
  }

  bool extended() const { return !pod_uid.empty(); }
  bool allocated() const { return object != nullptr && object->allocation.has_value(); }
  // Whether the grant may be chosen anew.
  bool movable() const { return granted && !fixed; }
};

// A claim as a pod asks for it: one of its own, of which only the plan matters, or one it shares;
// or what it asks for under names of resources, whose plan depends on the node.
struct Wanted {
  PlanId plan;
  ClaimId claim;             // invalid: one of its own
  ExtendedId extended = {};  // valid: the plan is not
  ConfinementId confinement = {};
  bool operator==(const Wanted&) const = default;
};

// What the claims of a pod come to, as far as nodes have no part in it.
struct PodClaims {
  // Why the pod cannot be placed whatever the nodes are; empty: it may.
  std::string problem;
  bool waiting = false;  // the problem is a claim that is not there yet
  std::vector<ClaimId> claims;
  std::vector<Wanted> open;      // not allocated yet
  std::vector<ClaimId> settled;  // allocated: their node selectors hold
  ExtendedId extended;           // what comes through a claim where nodes do not advertise it
  ConfinementId confinement;     // of all of them
};

// A claim that was written for a decision taken back since: the consumer is to be taken off, and
// the devices with it if it was the only one.
struct Release {
  ClaimId claim;
  std::string consumer_uid;
  bool remove = false;  // the claim itself was made for the decision
};

}  // namespace tutti::devices
