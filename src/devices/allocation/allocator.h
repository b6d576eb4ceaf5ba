// Allocator: finds devices for claims, or proves that there are none.
//
// Depth first over claims, requests, alternatives and devices, with every tentative pick in the
// ledger and every pick undone exactly. What keeps it small:
//   - the k-th device of a request is looked for after the (k-1)-th: combinations, not
//   permutations;
//   - a device that no request of the problem can tell from one that failed is not tried;
//   - a request with fewer candidates than it needs fails at once;
//   - after every pick under a constraint, counting must leave enough for the picks that it ties to
//     (outlook.h); before claims are chosen together, for all of them.
// The first full solution wins. Published order is the order of drivers and pools; packed order
// prefers picks that leave more for others (packing.h).
#pragma once

#include <map>
#include <unordered_map>

#include "base/std.h"
#include "devices/allocation/constraints.h"
#include "devices/allocation/ledger.h"
#include "devices/inventory/confinement.h"
#include "devices/inventory/inventory.h"
#include "devices/inventory/selectors.h"
#include "devices/plan/plans.h"

namespace tutti::devices {

// Where devices can be used from, as whoever keeps the nodes knows it.
class Places {
 public:
  virtual ~Places() = default;
  // The reach of devices that belong to the node; invalid: no such device was ever seen.
  virtual ReachId own(NodeIndex node) const = 0;
  // Whether devices of this wide reach (a selector, or all nodes) can be used from the node.
  virtual bool reaches(ReachId wide, NodeIndex node) const = 0;
  // Whether the node itself has some of an extended resource on offer.
  virtual bool advertises(NodeIndex node, const std::string& resource) const = 0;
  // Whether the node's own labels say where it is under this key, whatever its devices say.
  virtual bool labelled(NodeIndex node, const std::string& key) const = 0;
};

struct Pick {
  std::uint32_t request = 0;
  std::uint32_t wish = 0;
  bool admin = false;  // looks on: holds nothing
  Hold hold;
  bool operator==(const Pick&) const = default;
};
// The devices of one claim, in order of requests.
using Grant = std::vector<Pick>;

// A claim to be allocated, usable from all of these nodes, of devices within these bounds.
struct Problem {
  const ClaimPlan* plan = nullptr;
  std::vector<NodeIndex> nodes;
  Bounds bounds = {};
};

struct Solution {
  enum class Outcome : std::uint8_t {
    found,
    impossible,  // everything was looked at
    exhausted,   // the budget ended first
    fault,       // a selector failed, or a request makes no sense with these devices
  };
  Outcome outcome = Outcome::impossible;
  std::vector<Grant> grants;  // found: one per problem, in their order
  std::string fault;

  bool found() const { return outcome == Outcome::found; }
};

class Allocator {
 public:
  enum class Order : std::uint8_t { published, packed };

  // All must outlive it.
  Allocator(const Inventory& inventory, SelectorTable& selectors, AttributeTable& attributes,
            const Places& places)
      : inventory_(inventory), selectors_(selectors), attributes_(attributes), places_(places) {}

  // Found: the grants are taken in the ledger. Otherwise the ledger is as it was. `steps` bounds
  // the devices looked at. Packed order keeps the domains of these attributes whole, widest first.
  Solution solve(Ledger& ledger, std::span<const Problem> problems, Order order, std::size_t steps,
                 std::span<const AttributeId> domains = {});
  // Returns the steps of all solves so far.
  std::uint64_t steps() const { return steps_; }

 private:
  class Search;

  const Inventory& inventory_;
  SelectorTable& selectors_;
  AttributeTable& attributes_;
  const Places& places_;
  std::uint64_t steps_ = 0;
};

// Why a pool that may have devices for the node is not complete; empty when all are.
std::string trouble_at(const Inventory& inventory, const Places& places, NodeIndex node);

// Returns the devices that the wish's class selects, whatever else the wish says.
std::vector<DeviceId> kin_among(const Inventory& inventory, SelectorTable& selectors,
                                const WishPlan& wish, std::span<const DeviceId> devices);

// Devices usable from the node, in order of allocation.
std::vector<DeviceId> devices_at(const Inventory& inventory, const Places& places, NodeIndex node);

}  // namespace tutti::devices
