// Random trees under random charges and edits, against the definitions of quota written as they are
// said: over rows, by recursion, nothing kept.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <vector>

#include "quota/tree.h"
#include "support/random_quota.h"

namespace tutti::quota {
namespace {

struct Plain {
  const std::vector<PlainNode>& nodes;
  std::size_t flavor;

  const PlainQuota& quota(int n) const { return nodes[static_cast<std::size_t>(n)].quota[flavor]; }
  int parent(int n) const { return nodes[static_cast<std::size_t>(n)].parent; }
  std::vector<int> children(int n) const {
    std::vector<int> found;
    for (int i = 0; i < static_cast<int>(nodes.size()); ++i) {
      if (parent(i) == n) found.push_back(i);
    }
    return found;
  }
  std::int64_t subtree(int n) const {
    std::int64_t sum = quota(n).nominal;
    for (const int child : children(n)) sum += subtree(child) - local(child);
    return sum;
  }
  std::int64_t local(int n) const {
    return quota(n).lend ? std::max<std::int64_t>(0, subtree(n) - *quota(n).lend) : 0;
  }
  std::int64_t usage(int n) const {
    std::int64_t sum = nodes[static_cast<std::size_t>(n)].used[flavor];
    for (const int child : children(n)) {
      sum += std::max<std::int64_t>(0, usage(child) - local(child));
    }
    return sum;
  }
  std::int64_t available(int n) const {
    if (parent(n) < 0) return subtree(n) - usage(n);
    std::int64_t above = available(parent(n));
    if (quota(n).borrow) {
      above =
          std::min(above, (subtree(n) - local(n)) - std::max<std::int64_t>(0, usage(n) - local(n)) +
                              *quota(n).borrow);
    }
    return std::max<std::int64_t>(0, local(n) - usage(n)) + above;
  }
  std::int64_t potential(int n) const {
    if (parent(n) < 0) return subtree(n);
    const std::int64_t all = local(n) + potential(parent(n));
    return quota(n).borrow ? std::min(all, subtree(n) + *quota(n).borrow) : all;
  }
  bool below(int n, int top) const {
    while (n >= 0 && n != top) n = parent(n);
    return n == top;
  }
  int root(int n) const { return parent(n) < 0 ? n : root(parent(n)); }
};

void expect_equal_figures(const RandomQuota& scene) {
  for (std::size_t f = 0; f < kRandomFlavors; ++f) {
    const Plain plain{scene.nodes, f};
    for (std::size_t i = 0; i < scene.nodes.size(); ++i) {
      const int n = static_cast<int>(i);
      const QuotaNodeId id = scene.ids[i];
      const FlavorResourceId of = scene.of[f];
      RC_ASSERT(to_int64(scene.tree.subtree_quota(id, of)) == plain.subtree(n));
      RC_ASSERT(to_int64(scene.tree.local_quota(id, of)) == plain.local(n));
      RC_ASSERT(to_int64(scene.tree.usage(id, of)) == plain.usage(n));
      RC_ASSERT(to_int64(scene.tree.available(id, of)) == plain.available(n));
      RC_ASSERT(to_int64(scene.tree.potential(id, of)) == plain.potential(n));
    }
  }
  RC_ASSERT(scene.tree.check_consistency() == "");
}

// What nobody may ever see while nothing was cut and only what fits was charged.
void expect_nothing_overused(const RandomQuota& scene) {
  for (std::size_t f = 0; f < kRandomFlavors; ++f) {
    const Plain plain{scene.nodes, f};
    const int count = static_cast<int>(scene.nodes.size());
    for (int n = 0; n < count; ++n) {
      // I2: no queue exceeds its potential. I1 and I3: everybody else lives on what everybody else
      // owns and what this node lends; at a root, nobody lives on more than everybody owns.
      if (scene.nodes[static_cast<std::size_t>(n)].queue) {
        RC_ASSERT(plain.usage(n) <= plain.potential(n));
      }
      std::int64_t owned_by_others = plain.subtree(n) - plain.local(n), used_by_others = 0;
      for (int other = 0; other < count; ++other) {
        const bool counts = plain.parent(n) < 0
                                ? plain.below(other, n)
                                : plain.root(other) == plain.root(n) && !plain.below(other, n);
        if (!counts) continue;
        used_by_others += scene.nodes[static_cast<std::size_t>(other)].used[f];
        owned_by_others += plain.quota(other).nominal;
      }
      if (plain.parent(n) < 0) owned_by_others -= plain.subtree(n) - plain.local(n);
      RC_ASSERT(used_by_others <= owned_by_others);
    }
  }
}

std::vector<Charge> any_charges(const RandomQuota& scene) {
  std::vector<Charge> charges;
  for (const FlavorResourceId of : scene.of) {
    charges.push_back({of, *rc::gen::inRange<std::int64_t>(0, 7)});
  }
  return charges;
}

bool charge_if_it_fits(RandomQuota& scene, std::size_t row, const std::vector<Charge>& charges) {
  bool fits = true;
  for (std::size_t f = 0; f < kRandomFlavors; ++f) {
    const auto room = Plain{scene.nodes, f}.available(static_cast<int>(row));
    fits = fits && (charges[f].amount == 0 || charges[f].amount <= room);
  }
  RC_ASSERT(scene.tree.fits(scene.ids[row], charges) == fits);
  if (!fits) return false;
  scene.tree.add_usage(scene.ids[row], charges);
  for (std::size_t f = 0; f < kRandomFlavors; ++f) scene.nodes[row].used[f] += charges[f].amount;
  return true;
}

RC_GTEST_PROP(QuotaTreeProperty, neverLetsAnybodyUseWhatIsNotTheirs, ()) {
  RandomQuota scene(any_plain_nodes(4, 5));
  const auto queues = scene.queues();
  for (int step = 0; step < 25; ++step) {
    charge_if_it_fits(scene, *rc::gen::elementOf(queues), any_charges(scene));
  }
  expect_equal_figures(scene);
  expect_nothing_overused(scene);
}

RC_GTEST_PROP(QuotaTreeProperty, keepsItsFiguresThroughChargesAndEdits, ()) {
  RandomQuota scene(any_plain_nodes(4, 5));
  const auto queues = scene.queues();
  struct Held {
    std::size_t row;
    std::vector<Charge> charges;
  };
  std::vector<Held> held;
  for (int step = 0; step < 25; ++step) {
    const int what = *rc::gen::inRange(0, 6);
    if (what < 3) {
      const std::size_t row = *rc::gen::elementOf(queues);
      auto charges = any_charges(scene);
      if (charge_if_it_fits(scene, row, charges)) held.push_back({row, std::move(charges)});
    } else if (what < 5 && !held.empty()) {
      const auto at = *rc::gen::inRange<std::size_t>(0, held.size());
      scene.tree.remove_usage(scene.ids[held[at].row], held[at].charges);
      for (std::size_t f = 0; f < kRandomFlavors; ++f) {
        scene.nodes[held[at].row].used[f] -= held[at].charges[f].amount;
      }
      held.erase(held.begin() + static_cast<std::ptrdiff_t>(at));
    } else {
      const auto row = *rc::gen::inRange<std::size_t>(0, scene.nodes.size());
      PlainNode& node = scene.nodes[row];
      const int above = node.queue ? static_cast<int>(queues.front()) : static_cast<int>(row);
      node.parent = *rc::gen::inRange(-1, above);
      for (PlainQuota& quota : node.quota) quota = any_plain_quota(node.parent >= 0);
      RC_ASSERT((scene.put(row) == scene.ids[row]));
      scene.tree.settle();
    }
    expect_equal_figures(scene);
  }
}

RC_GTEST_PROP(QuotaTreeProperty, forgetsWhatWasTakenBack, ()) {
  RandomQuota scene(any_plain_nodes(4, 5));
  const auto queues = scene.queues();
  for (int step = 0; step < 6; ++step) {
    charge_if_it_fits(scene, *rc::gen::elementOf(queues), any_charges(scene));
  }
  // More than fits is legal: what ran before may be adopted.
  const QuotaNodeId queue = scene.ids[*rc::gen::elementOf(queues)];
  const auto first = any_charges(scene), second = any_charges(scene);
  scene.tree.add_usage(queue, first);
  scene.tree.add_usage(queue, second);
  scene.tree.remove_usage(queue, first);
  scene.tree.remove_usage(queue, second);
  expect_equal_figures(scene);
}

RC_GTEST_PROP(QuotaTreeProperty, findsEveryCycleAndNothingElse, ()) {
  const int count = *rc::gen::inRange(1, 9);
  std::vector<int> parents;
  Tree tree;
  for (int i = 0; i < count; ++i) parents.push_back(*rc::gen::inRange(-1, count));
  for (int i = 0; i < count; ++i) {
    const int parent = parents[static_cast<std::size_t>(i)];
    tree.put(Tree::Kind::cohort, std::to_string(i),
             {.parent = parent < 0 ? "" : std::to_string(parent)});
  }
  tree.settle();
  for (int i = 0; i < count; ++i) {
    int top = i;
    for (int step = 0; step <= count && top >= 0; ++step) {
      top = parents[static_cast<std::size_t>(top)];
    }
    RC_ASSERT(tree.active(*tree.find(Tree::Kind::cohort, std::to_string(i))) == (top < 0));
  }
}

}  // namespace
}  // namespace tutti::quota
