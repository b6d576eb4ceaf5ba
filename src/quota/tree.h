// The quota tree: ClusterQueues below Cohorts of any depth, and who may still take how much.
//
//             root cohort            available = subtreeQuota − usage
//             /        \             .
//        cohort        queue         available = what is private and unused
//        /    \                                  + what the parent has, up to the borrowing limit
//    queue    queue
//
// Per node and flavor-resource: a node owns its nominal quota and what its children let others have
// (subtreeQuota). A lending limit makes the rest of it private (localQuota): the parent sees
// neither that quota nor the usage that stays within it. Usage is charged to queues; a change walks
// one path to the root and ends where it is private. Nothing here says who is charged, or for what.
//
// Edits name the whole of a queue or cohort and are cheap; settle() then rebuilds what follows from
// them and keeps all usage. Reading an unsettled tree is a mistake of the caller.
#pragma once

#include <map>

#include "base/std.h"
#include "quota/amount.h"
#include "quota/flavor_resources.h"
#include "quota/ids.h"
#include "quota/weight.h"

namespace tutti::quota {

// Quota of one flavor-resource, as an object says it. All amounts are at least 0.
struct Quota {
  FlavorResourceId of;
  std::int64_t nominal = 0;
  std::optional<std::int64_t> borrowing_limit{};  // absent: no limit
  std::optional<std::int64_t> lending_limit{};    // absent: no limit
};

// What a ClusterQueue or Cohort object says. Each flavor-resource has at most one quota.
struct NodeSpec {
  std::string parent{};  // a Cohort, which need not have an object; empty: none
  std::vector<Quota> quotas{};
  Weight weight{};
};

// An amount of one flavor-resource that is asked for, held or given back. At least 0; a list of
// charges names each flavor-resource once.
struct Charge {
  FlavorResourceId of;
  std::int64_t amount = 0;
  friend bool operator==(const Charge&, const Charge&) = default;
};

// How far up a queue must reach for an amount.
struct Reach {
  // 0: its own quota is enough. Otherwise the height of the lowest cohort whose quota is, or of the
  // root where none is: the edges to its deepest leaf.
  std::uint32_t borrow_level = 0;
  // Whether the quota found is less than the whole tree's, so that its owner has a right to it.
  bool within_subtree = false;
  friend bool operator==(const Reach&, const Reach&) = default;
};

class Tree {
 public:
  enum class Kind : std::uint8_t { queue, cohort };

  FlavorResources& flavor_resources() { return flavor_resources_; }
  const FlavorResources& flavor_resources() const { return flavor_resources_; }

  // --- edits ---

  // Adds a queue or cohort, or replaces what is said of it. Its id stays while it is known.
  QuotaNodeId put(Kind kind, std::string_view name, NodeSpec spec);
  // Forgets the object. A queue must hold nothing any more; a cohort that others name as their
  // parent lives on without quota.
  void remove(QuotaNodeId node);
  // Brings everything up to date after edits.
  void settle();

  // --- shape ---

  std::optional<QuotaNodeId> find(Kind kind, std::string_view name) const;
  // One more than the largest index of a node, for tables beside this one.
  std::size_t slots() const { return nodes_.size(); }
  Kind kind(QuotaNodeId node) const { return at(node).kind; }
  std::string_view name(QuotaNodeId node) const { return at(node).name; }
  Weight weight(QuotaNodeId node) const { return at(node).spec.weight; }
  // Invalid at a root.
  QuotaNodeId parent(QuotaNodeId node) const { return at(node).parent; }
  bool has_parent(QuotaNodeId node) const { return parent(node).valid(); }
  QuotaNodeId root(QuotaNodeId node) const { return at(node).root; }
  // Cohorts first, then queues, each in order of their names.
  std::span<const QuotaNodeId> children(QuotaNodeId node) const { return at(node).children; }
  std::uint32_t height(QuotaNodeId node) const { return at(node).height; }
  std::uint32_t depth(QuotaNodeId node) const { return at(node).depth; }
  // False for cohorts on a cycle and all below them. Each then stands alone: usage stays with its
  // queue, and nobody may take anything.
  bool active(QuotaNodeId node) const { return at(node).active; }
  // Every node, parents before their children, in an order that depends on names alone.
  std::span<const QuotaNodeId> nodes() const { return order_; }
  // The lowest node above or at both. Requires one root.
  QuotaNodeId common_ancestor(QuotaNodeId left, QuotaNodeId right) const;
  // The flavor-resources that any node of this root lists or uses: by resource name, then flavor.
  std::span<const FlavorResourceId> flavor_resources_of(QuotaNodeId root) const;

  // --- figures ---

  // Whether the object gives this flavor-resource a quota, be it 0.
  bool lists(QuotaNodeId node, FlavorResourceId of) const;
  Amount nominal(QuotaNodeId node, FlavorResourceId of) const { return cell(node, of).nominal; }
  std::optional<std::int64_t> borrowing_limit(QuotaNodeId node, FlavorResourceId of) const;
  Amount subtree_quota(QuotaNodeId node, FlavorResourceId of) const;
  Amount local_quota(QuotaNodeId node, FlavorResourceId of) const { return cell(node, of).local; }
  Amount usage(QuotaNodeId node, FlavorResourceId of) const { return cell(node, of).usage; }
  Amount local_available(QuotaNodeId node, FlavorResourceId of) const;
  // May be negative after quota was cut.
  Amount available(QuotaNodeId node, FlavorResourceId of) const;
  // The most this node could ever use, with everybody else gone.
  Amount potential(QuotaNodeId node, FlavorResourceId of) const;
  // What the node uses beyond its quota, and would with `more`.
  Amount borrowed(QuotaNodeId node, FlavorResourceId of, Amount more = 0) const;
  bool borrows(QuotaNodeId node, FlavorResourceId of) const { return borrowed(node, of) > 0; }
  Reach reach(QuotaNodeId queue, FlavorResourceId of, Amount amount) const;
  // Whether the queue may be charged all of this now. Nothing of something always may.
  bool fits(QuotaNodeId queue, std::span<const Charge> charges) const;

  // --- usage ---

  void add_usage(QuotaNodeId queue, std::span<const Charge> charges);
  // Takes away what was added, whatever happened to quotas in between. Requires that it was.
  void remove_usage(QuotaNodeId queue, std::span<const Charge> charges);

  // Rebuilds every figure from the objects and the usage of queues, the slow way, and names the
  // first difference; empty if there is none.
  std::string check_consistency() const;

 private:
  static constexpr std::int64_t kNone = -1;

  struct Cell {  // of one node and one flavor-resource of its root
    std::int64_t nominal = 0;
    std::int64_t borrowing_limit = kNone;
    std::int64_t lending_limit = kNone;
    bool listed = false;
    Amount subtree = 0;
    Amount local = 0;
    Amount usage = 0;
    Amount potential = 0;
  };
  static_assert(sizeof(Cell) <= 128);

  struct Node {
    Kind kind = Kind::queue;
    bool used = false;    // the slot holds a node
    bool object = false;  // somebody said something of it; false for a cohort that is only named
    std::string name;
    NodeSpec spec;
    // What settle() makes.
    QuotaNodeId parent{};
    QuotaNodeId root{};
    bool active = true;
    std::uint32_t height = 0;
    std::uint32_t depth = 0;
    std::uint32_t columns = kNoIndex;  // of its root, in columns_
    std::size_t first_cell = 0;
    std::vector<QuotaNodeId> children;
  };

  struct Definition;  // figures from scratch, for check_consistency()

  struct Columns {  // the flavor-resources of one root
    std::vector<FlavorResourceId> of;
    std::vector<std::uint32_t> place;  // by flavor-resource; kNoIndex where this root has none
  };

  struct Held {
    QuotaNodeId queue;
    FlavorResourceId of;
    Amount amount = 0;
  };

  const Node& at(QuotaNodeId node) const;
  Node& at(QuotaNodeId node);
  std::size_t cell_index(QuotaNodeId node, FlavorResourceId of) const;  // SIZE_MAX: no such cell
  const Cell& cell(QuotaNodeId node, FlavorResourceId of) const;
  static Amount visible(const Cell& cell) { return left_of(cell.usage, cell.local); }
  void change_usage(QuotaNodeId queue, FlavorResourceId of, Amount change);

  // Steps of settle(), in their order.
  std::vector<Held> all_held() const;
  void rebuild(std::vector<Held> held);
  void name_implicit_cohorts();
  void link_parents();
  void isolate_cycles();
  void order_from_the_roots();
  void measure_heights();
  void lay_out_cells(std::span<const Held> held);
  void fill_cells();
  void sum_up_quota();
  QuotaNodeId new_slot(Kind kind, std::string_view name);
  void free_slot(QuotaNodeId node);

  FlavorResources flavor_resources_;
  std::vector<Node> nodes_;
  std::vector<QuotaNodeId> free_;
  std::map<std::string, QuotaNodeId, std::less<>> queues_;
  std::map<std::string, QuotaNodeId, std::less<>> cohorts_;
  std::vector<QuotaNodeId> order_;
  std::vector<Columns> columns_;
  std::vector<Cell> cells_;  // a row per node; rows of one root are equally wide
  bool stale_ = false;       // edited, not settled
};

}  // namespace tutti::quota
