// Random trees full of work, and what must hold of every set of victims whatever the search did.
#include <gtest/gtest.h>
#include <rapidcheck/gtest.h>

#include <algorithm>
#include <set>
#include <string>

#include "quota/share.h"
#include "quota/victims.h"
#include "support/random_quota.h"

namespace tutti::quota {
namespace {

using WithinQueue = PreemptionPolicy::WithinQueue;
using Reclaim = PreemptionPolicy::Reclaim;

struct Busy {
  RandomQuota scene{any_plain_nodes(4, 5)};
  std::vector<Running> running;
  Preemptor preemptor;
  PreemptionPolicy policy;

  std::vector<Charge> any_charges(std::int64_t most) const {
    std::vector<Charge> charges;
    for (const auto of : scene.of) {
      charges.push_back({of, *rc::gen::inRange<std::int64_t>(0, most)});
    }
    return charges;
  }

  Busy() {
    const auto queues = scene.queues();
    for (int i = 0; i < 14; ++i) {
      Running each{.queue = scene.ids[*rc::gen::elementOf(queues)],
                   .charges = any_charges(5),
                   .priority = *rc::gen::inRange<std::int64_t>(0, 3),
                   .timestamp = *rc::gen::inRange<std::int64_t>(0, 4),
                   .reserved_at = *rc::gen::inRange<std::int64_t>(0, 4),
                   .uid = std::string(1, static_cast<char>('a' + i)),
                   .leaving = *rc::gen::inRange(0, 8) == 0};
      if (!scene.tree.fits(each.queue, each.charges)) continue;
      scene.tree.add_usage(each.queue, each.charges);
      running.push_back(std::move(each));
    }
    preemptor = {.queue = scene.ids[*rc::gen::elementOf(queues)],
                 .charges = any_charges(8),
                 .priority = *rc::gen::inRange<std::int64_t>(0, 4),
                 .timestamp = *rc::gen::inRange<std::int64_t>(0, 4)};
    for (const Charge& charge : preemptor.charges) {
      if (charge.amount > 0 && charge.amount > scene.tree.available(preemptor.queue, charge.of)) {
        preemptor.needed.push_back(charge.of);
      }
    }
    policy.within_queue = *rc::gen::element(WithinQueue::never, WithinQueue::lower_priority,
                                            WithinQueue::lower_or_newer_equal_priority);
    policy.reclaim = *rc::gen::element(Reclaim::never, Reclaim::lower_priority, Reclaim::any);
    policy.borrow_within_cohort = policy.reclaim != Reclaim::never && *rc::gen::arbitrary<bool>();
    if (*rc::gen::arbitrary<bool>()) policy.threshold = *rc::gen::inRange<std::int64_t>(0, 3);
  }

  bool fits() const { return scene.tree.fits(preemptor.queue, preemptor.charges); }
  bool would_borrow() const {
    return std::any_of(preemptor.charges.begin(), preemptor.charges.end(), [&](const Charge& c) {
      return c.amount > 0 && scene.tree.borrowed(preemptor.queue, c.of, c.amount) > 0;
    });
  }
  void put(std::size_t index) {
    scene.tree.add_usage(running[index].queue, running[index].charges);
  }
  void take(std::size_t index) {
    scene.tree.remove_usage(running[index].queue, running[index].charges);
  }
  bool over(QuotaNodeId node) const {
    return std::any_of(preemptor.needed.begin(), preemptor.needed.end(), [&](auto of) {
      return scene.tree.usage(node, of) > scene.tree.subtree_quota(node, of);
    });
  }
  std::vector<Amount> usages() const {
    std::vector<Amount> all;
    for (const QuotaNodeId id : scene.ids) {
      for (const auto of : scene.of) all.push_back(scene.tree.usage(id, of));
    }
    return all;
  }
};

// Whether priorities and the policy's words allow it, shares and quotas aside.
void expect_allowed(const Busy& busy, const Victim& victim) {
  const Running& each = busy.running[victim.running];
  const bool own = each.queue == busy.preemptor.queue;
  RC_ASSERT(own == (victim.reason == Reason::in_cluster_queue));
  RC_ASSERT((busy.scene.tree.root(each.queue) == busy.scene.tree.root(busy.preemptor.queue)));
  const bool lower = each.priority < busy.preemptor.priority;
  if (own) {
    const bool newer =
        each.priority == busy.preemptor.priority && each.timestamp > busy.preemptor.timestamp;
    const auto within = busy.policy.within_queue;
    RC_ASSERT((within != WithinQueue::never));
    RC_ASSERT((lower || (newer && within == WithinQueue::lower_or_newer_equal_priority)));
  } else {
    RC_ASSERT((busy.policy.reclaim == Reclaim::any ||
               (busy.policy.reclaim == Reclaim::lower_priority && lower)));
  }
  if (victim.reason == Reason::in_cohort_reclaim_while_borrowing) {
    RC_ASSERT((busy.policy.borrow_within_cohort && lower));
    RC_ASSERT((!busy.policy.threshold || each.priority <= *busy.policy.threshold));
  }
}

// I5. Without borrowing, sparing one may also be ruled out by what would then be borrowed.
void expect_nobody_spareable(Busy& busy, const std::vector<Victim>& victims) {
  for (const Victim& victim : victims) {
    busy.put(victim.running);
    RC_ASSERT((!busy.fits() || busy.would_borrow()));
    busy.take(victim.running);
  }
}

// I7: neither the order of input nor a second look changes anything, and no trace is left.
template <typename Search>
std::vector<Victim> settled(Busy& busy, const Search& search) {
  const auto before = busy.usages();
  const auto victims = search(busy);
  RC_ASSERT((busy.usages() == before));
  std::vector<std::string> uids, again;
  for (const Victim& each : victims) uids.push_back(busy.running[each.running].uid);
  auto original = busy.running;
  std::reverse(busy.running.begin(), busy.running.end());
  for (const Victim& each : search(busy)) again.push_back(busy.running[each.running].uid);
  busy.running = original;
  RC_ASSERT(uids == again);
  return victims;
}

RC_GTEST_PROP(ClassicalVictimsProperty, areLegalSufficientAndNecessary, ()) {
  Busy busy;
  if (busy.preemptor.needed.empty()) return;
  const auto victims = settled(busy, [](Busy& all) {
    return classical_victims(all.scene.tree, all.preemptor, all.policy, all.running);
  });
  RC_CLASSIFY(!victims.empty(), "victims");
  const Tree& tree = busy.scene.tree;
  for (const Victim& victim : victims) {
    expect_allowed(busy, victim);
    RC_ASSERT((victim.reason != Reason::in_cohort_fair_sharing));
    const QuotaNodeId queue = busy.running[victim.running].queue;
    if (queue != busy.preemptor.queue) {
      const QuotaNodeId meets_at = tree.common_ancestor(queue, busy.preemptor.queue);
      for (QuotaNodeId n = queue; n != meets_at; n = tree.parent(n)) RC_ASSERT(busy.over(n));
    }
    busy.take(victim.running);
  }
  if (!victims.empty()) {
    RC_ASSERT(busy.fits());
    expect_nobody_spareable(busy, victims);
    return;
  }
  // Nobody was found although the own queue alone would have done?
  for (std::size_t i = 0; i < busy.running.size(); ++i) {
    const Running& each = busy.running[i];
    const bool lower = each.priority < busy.preemptor.priority;
    const bool own = each.queue == busy.preemptor.queue;
    if (own && lower && busy.policy.within_queue != WithinQueue::never) busy.take(i);
  }
  RC_ASSERT(!busy.fits());
}

RC_GTEST_PROP(FairVictimsProperty, areLegalSufficientAndNecessary, ()) {
  Busy busy;
  if (busy.preemptor.needed.empty()) return;
  const auto victims = settled(busy, [](Busy& all) {
    return fair_victims(all.scene.tree, all.preemptor, all.policy, all.running);
  });
  RC_CLASSIFY(!victims.empty(), "victims");
  if (victims.empty()) return;
  Tree& tree = busy.scene.tree;
  for (const Victim& victim : victims) {
    expect_allowed(busy, victim);
    const QuotaNodeId queue = busy.running[victim.running].queue;
    RC_ASSERT((queue == busy.preemptor.queue || busy.over(queue)));
  }
  for (const Victim& victim : victims) busy.take(victim.running);
  RC_ASSERT(busy.fits());
  for (const Victim& victim : victims) {  // I5
    busy.put(victim.running);
    RC_ASSERT(!busy.fits());
    busy.take(victim.running);
  }
  // I6: with everybody gone who goes, each other side still has, or had until this victim, at least
  // the preemptor's share; or the preemptor stays within its own quota.
  tree.add_usage(busy.preemptor.queue, busy.preemptor.charges);
  const bool within_nominal = !busy.over(busy.preemptor.queue);
  const auto sides = [&](QuotaNodeId queue) {
    const QuotaNodeId meets_at = tree.common_ancestor(queue, busy.preemptor.queue);
    QuotaNodeId mine = busy.preemptor.queue, theirs = queue;
    while (tree.parent(mine) != meets_at) mine = tree.parent(mine);
    while (tree.parent(theirs) != meets_at) theirs = tree.parent(theirs);
    return std::pair(mine, theirs);
  };
  std::vector<Share> mine, final_share;
  for (const Victim& victim : victims) {
    const QuotaNodeId queue = busy.running[victim.running].queue;
    const bool own = queue == busy.preemptor.queue;
    mine.push_back(own ? Share{} : share_of(tree, sides(queue).first));
    final_share.push_back(own ? Share{} : share_of(tree, sides(queue).second));
  }
  for (std::size_t i = victims.size(); i-- > 0;) {
    busy.put(victims[i].running);
    const QuotaNodeId queue = busy.running[victims[i].running].queue;
    if (victims[i].reason == Reason::in_cohort_reclamation) RC_ASSERT(within_nominal);
    if (victims[i].reason != Reason::in_cohort_fair_sharing) continue;
    const bool keeps_more = compare(mine[i], final_share[i]) <= 0;
    const bool had_more = compare(mine[i], share_of(tree, sides(queue).second)) < 0;
    RC_ASSERT(keeps_more || had_more);
  }
}

}  // namespace
}  // namespace tutti::quota
