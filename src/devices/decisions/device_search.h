// DeviceSearch: whether devices for a pod are there, which they would be, and what such an answer
// rests on.
#pragma once

#include "base/std.h"
#include "devices/allocation/allocator.h"
#include "devices/allocation/fragmentation.h"
#include "devices/claims/claim_questions.h"
#include "devices/claims/confined_pods.h"
#include "devices/claims/device_tables.h"
#include "devices/decisions/claim_reach.h"
#include "devices/decisions/joint_search.h"
#include "devices/decisions/movable_grants.h"

namespace tutti::devices {

// What an answer for the node rests on. Equal stamps, equal answers: a node that comes back to an
// earlier state comes back to its stamp. Left out is what happens on other nodes beside a claim
// that might yet move between their devices and those that all nodes see.
struct Stamp {
  std::uint64_t own = 0;     // digest of what is held of its own devices, and what of it may move
  std::uint64_t wide = 0;    // how often devices changed that other nodes use too
  std::uint64_t claims = 0;  // how often grants of the shared claims among those wanted changed
  bool operator==(const Stamp&) const = default;
};

// What the node would give for what is wanted.
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

class DeviceSearch {
 public:
  // All must outlive it.
  DeviceSearch(DeviceTables& tables, const ConfinedPods& confined, const ClaimQuestions& questions,
               const MovableGrants& movable, ClaimReach& reach);
  DeviceSearch(const DeviceSearch&) = delete;
  DeviceSearch& operator=(const DeviceSearch&) = delete;

  // Whether one more pod that wants these claims can be served on the node, given what is granted.
  Solution::Outcome fits(NodeIndex node, std::span<const Wanted> wanted, std::string* fault);
  // Domains that these attributes name are kept whole where that can be, widest first.
  Prospect prospect(NodeIndex node, std::span<const Wanted> wanted,
                    std::span<const std::string> domains);
  // What Prospect::preference can come to at best; 0 when nothing has alternatives.
  std::int64_t best_preference(std::span<const Wanted> wanted) const;
  // Chooses devices for one more pod that wants these claims, named and of a known plan each.
  // Found: they are taken, first for the claims without a grant, then for those that `moved`.
  // `known` is what prospect() says now of the node, what is wanted and the domains, or null; it
  // spares looking for the same devices again.
  Solution choose(NodeIndex node, std::span<const Wanted> wanted,
                  std::span<const std::string> domains, const Prospect* known,
                  std::vector<ClaimId>& moved);

  Stamp stamp(NodeIndex node, std::span<const Wanted> wanted) const;
  // The part of it that is the same for all nodes.
  Stamp common_stamp(std::span<const Wanted> wanted) const;

  // Whether some grant may still be chosen anew.
  bool may_move_grants() const { return movable_.any(); }
  // What searches for devices have cost so far, and how many of them ended before a proof.
  struct Effort {
    std::uint64_t steps = 0;
    std::uint64_t unproven = 0;
  };
  Effort effort() const { return {allocator_.steps(), unproven_}; }

 private:
  Solution solve_alone(std::span<const Problem> problems, Allocator::Order order,
                       std::span<const AttributeId> domains);
  Solution as_chosen(const Prospect& known, std::size_t claims);

  DeviceTables& tables_;
  const ClaimQuestions& questions_;
  const MovableGrants& movable_;
  ClaimReach& reach_;
  Allocator allocator_;
  JointSearch joint_;
  std::uint64_t unproven_ = 0;
};

}  // namespace tutti::devices
