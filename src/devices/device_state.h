// DeviceState: all that is known about devices and claims, and the decisions about them that the
// cluster does not show yet.
//
//   observed objects ──> inventory, plans, claims ──┐
//                                                   ├──> ledger: what is held
//   reserve() / unreserve() ──> grants of claims ───┘
//
//   claim:  open ──reserve──> granted ──written()──> granted, fixed ──observed──> allocated
//            ^──unreserve of the last pod──┘                     ^──withdraw()──┘
//
// A claim is granted for the pods that were placed because of it, its holders. As long as a grant
// was not handed to the cluster it may be chosen anew for the sake of another pod: one pod's
// devices never stand in another's way when both could be served. unreserve() in reverse order of
// reserve() restores every grant exactly.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "base/interner.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/constraints.h"
#include "devices/allocation/fragmentation.h"
#include "devices/allocation/interconnect.h"
#include "devices/allocation/ledger.h"
#include "devices/inventory/confinement.h"
#include "devices/inventory/inventory.h"
#include "devices/inventory/selectors.h"
#include "devices/plan/extended.h"
#include "devices/plan/plans.h"
#include "model/device.h"
#include "model/group.h"

namespace tutti::devices {

// What an observation may change: nothing; whether pods that wait for it can go on; any answer.
enum class News : std::uint8_t { none, waiters, answers };

struct Holder {
  PodIndex pod = 0;
  NodeIndex node = 0;
  std::string user;  // uid of who is in status.reservedFor for it, or will be
  ConfinementId confinement = {};
  bool operator==(const Holder&) const = default;
};

struct Claim {
  std::pair<std::string, std::string> name;  // namespace, name
  // Of one for the extended resources of a pod: the pod, and what it asks for if we granted it.
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
    return imagined_gone > 0 && imagined_gone == object->reserved_for.size();
  }

  bool extended() const { return !pod_uid.empty(); }
  bool allocated() const { return object != nullptr && object->allocation.has_value(); }
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

class DeviceState {
 public:
  explicit DeviceState(const Places& places);
  ~DeviceState();
  DeviceState(const DeviceState&) = delete;
  DeviceState& operator=(const DeviceState&) = delete;

  // --- observation -------------------------------------------------------------------------------
  // Other kinds are ignored.
  News set(const model::ObjectPtr& object);
  News remove(const model::Object& object);
  // Reaches whose devices came, changed or went since the last call.
  std::set<ReachId> take_changed_reaches() { return inventory_.take_changed_reaches(); }
  // Groups with claims of their own.
  void set_group(const model::PodGroup& group);
  void remove_group(std::string_view ns, std::string_view name);
  bool any_group() const { return !groups_.empty(); }
  bool has_group(std::string_view ns, std::string_view name) const {
    return find_group(ns, name) != nullptr;
  }

  // --- questions ---------------------------------------------------------------------------------
  PodClaims claims_of(const model::Pod& pod) const;
  // What is wanted on the node: needs for extended resources become a claim of its own, or nothing.
  // What has nothing of the kind stays as it is.
  std::vector<Wanted> wanted_at(NodeIndex node, std::span<const Wanted> wanted) const;
  // What a claim comes to where nothing is advertised.
  const ClaimPlan& plan_of(const Wanted& wanted) const;
  const ExtendedNeeds& extended_needs(ExtendedId id) const { return extended_.needs(id); }
  // Which containers use which requests of a claim that was granted for extended resources.
  std::vector<model::ExtendedRequest> uses_of(ClaimId id) const;
  // The claim for the extended resources of the pod, made or still to be made; invalid: none.
  ClaimId extended_claim_of(const model::Pod& pod) const;
  // Pods whose claims ask for the same have equal keys.
  std::uint32_t class_of(const model::Pod& pod);
  // Rises whenever class_of() may answer anew.
  std::uint64_t claims_version() const { return claims_version_; }
  // Whether one more pod that wants these claims can be served on the node, given what is granted.
  Solution::Outcome fits(NodeIndex node, std::span<const Wanted> wanted, std::string* fault);
  // What searches for devices have cost so far, and how many of them ended before a proof.
  struct Effort {
    std::uint64_t steps = 0;
    std::uint64_t unproven = 0;
  };
  Effort effort() const { return {allocator_.steps(), unproven_}; }
  // Whether some grant may still be chosen anew.
  bool moves() const { return !flexible_.empty(); }
  // From where the devices can be used that the claim's first request might be given, each once.
  // Whoever uses the claim is within one of them.
  std::vector<ReachId> reaches_of(ClaimId id);
  // What Prospect::preference can come to at best; 0 when nothing has alternatives.
  std::int64_t best_preference(std::span<const Wanted> wanted) const;
  // What the node would give for what is wanted. `domains` as for reserve().
  struct Prospect {
    // A device of its own for one of the claims that have none yet, in their order.
    struct Choice {
      std::uint16_t claim = 0;
      std::uint8_t request = 0;
      std::uint8_t wish = 0;
      DeviceId device;
    };
    bool found = false;
    // How good the alternatives are: 8 for the first of a request, 7 for the second, …
    std::int64_t preference = 0;
    Loss loss;
    std::vector<Choice> choices;  // empty also where they cannot be told so briefly
  };
  Prospect prospect(NodeIndex node, std::span<const Wanted> wanted,
                    std::span<const std::string> domains);
  // What devices of several nodes have in common, and whether any of them is in use.
  InterconnectTable& spans() { return spans_; }
  // What an answer for the node rests on. Equal stamps, equal answers: a node that comes back to an
  // earlier state comes back to its stamp. Left out is what happens on other nodes beside a claim
  // that might yet move between their devices and those that all nodes see.
  struct Stamp {
    std::uint64_t own = 0;     // digest of what is held of its own devices, and what of it may move
    std::uint64_t wide = 0;    // how often devices changed that other nodes use too
    std::uint64_t claims = 0;  // how often grants of the shared claims among those wanted changed
    bool operator==(const Stamp&) const = default;
  };
  Stamp stamp(NodeIndex node, std::span<const Wanted> wanted) const;
  // The part of it that is the same for all nodes.
  Stamp common_stamp(std::span<const Wanted> wanted) const;
  const Claim& claim(ClaimId id) const { return claims_[id.index]; }
  ClaimId find_claim(std::string_view ns, std::string_view name) const;
  // The claims to which devices of this very node are allocated. Looks at all claims.
  std::vector<const Claim*> allocated_on(NodeIndex node) const;
  const Inventory& inventory() const { return inventory_; }
  const PlanTable& plans() const { return plans_; }
  const Ledger& ledger() const { return ledger_; }
  SelectorTable& selectors() { return selectors_; }
  AttributeTable& attributes() { return attributes_; }
  const Places& places() const { return places_; }
  ConfinementTable& confinements() { return confinements_; }
  // What the pod is confined to; invalid: nothing.
  ConfinementId confinement_of(const model::Pod& pod) const;
  // Those of the bounds that devices, not labels, must keep to on the node.
  Bounds bounds_at(ConfinementId id, NodeIndex node) const;
  // Whether devices that the claim has already, if any, lie within these bounds.
  bool stays_within(const Claim& claim, const Bounds& bounds) const;
  // The devices that claims of the pod have, those on offer, looking on not counted.
  std::vector<DeviceId> devices_of(const model::Pod& pod) const;
  // Nothing was ever published or claimed.
  bool empty() const { return claims_.empty() && inventory_.pool_count() == 0; }

  // --- decisions ---------------------------------------------------------------------------------
  // From now on the pod's claims may only be granted devices within these bounds; what is granted
  // so far stays as it is. Invalid: any.
  void confine(const model::Pod& pod, ConfinementId to);
  // The pod goes to the node: grants its claims, with one for its extended resources where it needs
  // one there. Anything but found changes nothing. Domains that these attributes name are kept
  // whole where that can be, widest first. `known` is what prospect() says now of the node, what is
  // wanted and the domains; it spares looking for the same devices again.
  Solution reserve(PodIndex pod, NodeIndex node, const model::Pod& object,
                   std::span<const std::string> domains = {}, const Prospect* known = nullptr);
  Solution reserve(PodIndex pod, NodeIndex node, std::span<const ClaimId> claims,
                   std::span<const std::string> domains = {}, ConfinementId confinement = {},
                   const Prospect* known = nullptr);
  // The decision is taken back. Claims that were written for it and that nobody else holds are to
  // be released; see take_releases().
  void unreserve(PodIndex pod, const model::Pod& object);
  // The decision was carried out: its grants stand, and the pod stays their holder.
  void settle(PodIndex pod);
  // The pod is gone; what was reserved for it is for others to release.
  void forget(PodIndex pod);
  // The pod is imagined to be gone, or to be back: allocated claims that only such pods use give
  // their devices back meanwhile. Nothing may be observed in between.
  void imagine_gone(const model::Pod& pod);
  void imagine_back(const model::Pod& pod);
  // The same for a group: nobody of it is on a node. The claims whose devices came free, or are
  // held again.
  std::vector<ClaimId> imagine_group_gone(std::string_view ns, std::string_view name);
  std::vector<ClaimId> imagine_group_back(std::string_view ns, std::string_view name);

  // --- claims of groups that are on their way out ------------------------------------------------
  // Nobody is placed by what is reserved for the group until it is free, or until this ends.
  void withhold(std::string_view ns, std::string_view name, bool withheld);
  // What is reserved for the group and nobody was placed by since. Asked for with release_group();
  // see take_releases().
  bool holds_for_group(std::string_view ns, std::string_view name) const;
  void release_group(std::string_view ns, std::string_view name);

  // --- carrying out ------------------------------------------------------------------------------
  // The allocation to be written for a granted claim.
  model::Allocation allocation(ClaimId id, std::string_view node) const;
  // It was handed to the cluster.
  void written(ClaimId id);
  // Who uses the claim on behalf of this pod: its group, if the group has the same entry, or
  // itself.
  model::ConsumerReference consumer_of(const model::Pod& pod,
                                       const model::ClaimReference& entry) const;
  // Claims that were written for decisions taken back since: the consumer is to be taken off, and
  // the devices with it if it was the only one.
  struct Release {
    ClaimId claim;
    std::string consumer_uid;
    bool remove = false;  // the claim itself was made for the decision
  };
  std::vector<Release> take_releases() { return std::exchange(releases_, {}); }

  // Rebuilds the ledger from the claims and compares; empty when all agree.
  std::string check() const;

 private:
  struct Change {
    ClaimId claim;
    bool granted = false;
    Grant grant;
  };
  struct Entry {
    PodIndex pod;
    std::vector<Change> before;  // of every claim whose grant changed
  };
  struct GroupEntry {
    std::string uid;
    std::vector<model::ClaimReference> claims;
    bool withheld = false;
  };

  News set_claim(std::shared_ptr<const model::ResourceClaim> object);
  News remove_claim(std::string_view ns, std::string_view name);
  News pools_changed(const std::vector<PoolId>& pools);
  News classes_changed();
  void release_slot(ClaimId id);
  ClaimId open_extended(const model::Pod& pod, NodeIndex node);
  void adopt(const model::ResourceClaim& object, const std::string& pod_uid);
  void add_extended(const model::Pod& pod, PodClaims& result) const;
  ClaimId claim_id(std::string_view ns, std::string_view name);
  bool exclusive(const Claim& claim) const;
  std::string refusal(const model::Pod& pod, const model::ClaimReference& entry,
                      const Claim& claim) const;
  // Why nobody new can use what the claim was given; empty: they can.
  std::string evicting_taint(const Claim& claim) const;
  const GroupEntry* group_of(const model::Pod& pod) const;
  const GroupEntry* find_group(std::string_view ns, std::string_view name) const;
  void list_group_claim(ClaimId id, const model::ResourceClaim* before);
  std::vector<ClaimId> reserved_for(const GroupEntry& group) const;
  // Whether the claim is reserved for the pod's group, which gives it back.
  bool is_withheld(const model::Pod& pod, const model::ClaimReference& entry,
                   const Claim& claim) const;
  // One more consumer of the claim is imagined to be gone, or one less. True: its devices came
  // free, or are held again.
  bool lose_consumer(Claim& claim);
  bool regain_consumer(Claim& claim);

  bool usable(const Claim& claim, NodeIndex node, ConfinementId confinement) const;
  // Whether devices exist, in use or not, that would serve the claim's holders and this node alike.
  bool could_reach(const Claim& claim, NodeIndex node);
  void name_users(PodIndex pod, const model::Pod& object);
  void count_users(Claim& claim);
  bool flexible(const Claim& claim) const { return claim.granted && !claim.fixed; }
  bool may_go_wide(const ClaimPlan& plan);
  bool wants(const WishPlan& wish, DeviceId device);
  // The claims whose grants may be chosen anew together with these for a pod on the node. False:
  // there are more than can be looked at.
  bool gather_joint(NodeIndex node, std::vector<ClaimId>& claims, bool wide);
  void add_flexible_at(NodeIndex node, std::vector<ClaimId>& claims) const;
  void add_holder(ClaimId id, Holder holder);
  // The grant may be chosen anew from now on, or not any more.
  void make_flexible(ClaimId id);
  void fix(ClaimId id);
  void join(NodeIndex node, ClaimId flexible);
  void leave(NodeIndex node, ClaimId flexible);
  Problem problem_of(const Wanted& wanted, NodeIndex node) const;
  // Of a claim that is granted; `wanted` by one more pod, on this node, if not null.
  Problem problem_of(ClaimId id, const Wanted* wanted, NodeIndex node) const;
  Solution solve_jointly(NodeIndex node, std::span<const Wanted> wanted,
                         std::vector<ClaimId>& moved, Allocator::Order order,
                         std::span<const AttributeId> domains);
  Solution as_chosen(const Prospect& known, std::size_t claims);
  void lift(std::span<const ClaimId> claims);
  void put_back(std::span<const ClaimId> claims);
  void give_back(const Grant& grant);
  void take(const Grant& grant);
  void touch(const Grant& grant);
  void touch(DeviceId device);
  void restore(const Entry& entry);
  void drop_holder(ClaimId id, PodIndex pod);
  void note_release(ClaimId id, const model::Pod& pod);
  // Claims that were written for the pod or its group, with the consumer of each.
  std::vector<Release> written_for(ClaimId id, const model::Pod& pod) const;
  bool can_take(const Grant& grant) const;
  std::vector<ClaimId> used_by(const model::Pod& pod) const;

  const Places& places_;
  SelectorTable selectors_;
  Inventory inventory_;
  AttributeTable attributes_;
  PlanTable plans_;
  mutable ExtendedTable extended_;  // fills up as pods are asked about
  ConfinementTable confinements_;
  std::unordered_map<std::string, ConfinementId> confined_;  // by uid of the pod
  Ledger ledger_;
  InterconnectTable spans_;
  Allocator allocator_;
  std::vector<Claim> claims_;
  std::map<std::pair<std::string, std::string>, ClaimId, std::less<>> claim_ids_;
  std::map<std::pair<std::string, std::string>, GroupEntry, std::less<>> groups_;
  std::unordered_map<std::string, std::set<ClaimId>> group_claims_;  // by uid of the consumer
  std::unordered_map<std::string, ClaimId> extended_claims_;         // by uid of the pod
  std::vector<ClaimId> vacant_;
  std::vector<Entry> journal_;  // reserved and neither taken back nor settled, oldest first
  std::unordered_map<PodIndex, std::vector<ClaimId>> held_by_;
  std::vector<ClaimId> flexible_;                                    // in order of granting
  std::unordered_map<NodeIndex, std::vector<ClaimId>> flexible_at_;  // by node of a holder
  std::map<std::vector<std::uint64_t>, std::uint32_t> classes_;
  Interner problems_;
  std::vector<Release> releases_;
  std::uint64_t wide_stamp_ = 1;  // of what any node may see
  std::uint64_t claims_version_ = 1;
  std::uint64_t unproven_ = 0;
};

}  // namespace tutti::devices
