// Preemption under fair sharing. The queue to take from is found by going down from the root into
// the child with the largest share; whether its candidate may go is decided where the two queues
// part: by the shares of the two children of their lowest common ancestor.
//
// The preemptor's request is charged during the whole search, so that shares are what they will be.
// Sparing victims of the own queue raises the preemptor's share again. Victims of other queues are
// therefore judged once more in the end; who fails then is not taken, and the search is repeated.
#include <algorithm>
#include <optional>

#include "quota/candidates.h"
#include "quota/share.h"
#include "quota/victims.h"

namespace tutti::quota {
namespace {

// Searches that ended in a set that may not be evicted, before there is no answer.
constexpr int kSearchesMax = 64;

// Why a victim may leave: what it is judged by in the end.
enum class Ground : std::uint8_t {
  own_queue,
  burst,  // leaves for anyone
  preemptor_within_nominal,
  final_share,
  initial_share
};

struct Taken {
  Victim victim;
  Ground ground;
};

// Shares that are computed when they are asked for and forgotten along a path.
class Shares {
 public:
  explicit Shares(const Tree& tree) : tree_(tree), known_(tree.slots()) {}

  const Share& of(QuotaNodeId node) {
    auto& share = known_[node.index];
    if (!share) share = share_of(tree_, node);
    return *share;
  }
  void clear() { known_.assign(tree_.slots(), std::nullopt); }
  void forget(QuotaNodeId queue) {
    for (QuotaNodeId node = queue; node.valid(); node = tree_.parent(node)) {
      known_[node.index].reset();
    }
  }

 private:
  const Tree& tree_;
  std::vector<std::optional<Share>> known_;  // by node
};

class FairSearch {
 public:
  FairSearch(Tree& tree, const Preemptor& preemptor, const PreemptionPolicy& policy,
             std::span<const Running> running, FairStrategies strategies, const Suffices& suffices)
      : tree_(tree),
        preemptor_(preemptor),
        running_(running),
        strategies_(strategies),
        suffices_(suffices),
        shares_(tree) {
    for (std::size_t i = 0; i < running.size(); ++i) {
      const Running& each = running[i];
      if (right_over(tree, preemptor, policy, each) != Right::by_policy) continue;
      const bool own = each.queue == preemptor.queue;
      if (own || over_quota(tree, each.queue, preemptor.needed)) allowed_.push_back(i);
    }
    std::sort(allowed_.begin(), allowed_.end(), [this](std::size_t left, std::size_t right) {
      return taken_first(preemptor_, running_[left], running_[right]);
    });
  }

  std::vector<Victim> victims() {
    for (int search = 0; search < kSearchesMax && !allowed_.empty(); ++search) {
      const auto found = search_once();
      if (illegal_.empty()) return found;
      std::erase_if(allowed_, [this](std::size_t index) {
        return std::find(illegal_.begin(), illegal_.end(), index) != illegal_.end();
      });
    }
    return {};
  }

 private:
  std::vector<Victim> search_once() {
    illegal_.clear();
    taken_.clear();
    Rehearsal rehearsal(tree_, running_);
    rehearsal.join(preemptor_);
    shares_.clear();
    if (preemptor_.tenure == Tenure::burst && !within_nominal()) return {};
    if (!burst_round(rehearsal) && !first_round(rehearsal) && !second_round(rehearsal)) return {};
    rehearsal.spare([&] { return fits(rehearsal); });
    judge_again(rehearsal.victims());
    return {rehearsal.victims().begin(), rehearsal.victims().end()};
  }

  // --- who is there to be taken ---

  void queue_up(const std::vector<std::size_t>& candidates) {
    waiting_.assign(tree_.slots(), {});
    below_.assign(tree_.slots(), 0);
    for (auto index = candidates.rbegin(); index != candidates.rend(); ++index) {
      waiting_[running_[*index].queue.index].push_back(*index);
      count(running_[*index].queue, 1);
    }
  }
  bool empty(QuotaNodeId node) const { return below_[node.index] == 0; }
  std::size_t head(QuotaNodeId queue) const { return waiting_[queue.index].back(); }
  std::size_t pop(QuotaNodeId queue) {
    const std::size_t index = head(queue);
    waiting_[queue.index].pop_back();
    count(queue, -1);
    return index;
  }
  void drop(QuotaNodeId queue) {
    while (!empty(queue)) pop(queue);
  }
  void count(QuotaNodeId queue, int change) {
    for (QuotaNodeId node = queue; node.valid(); node = tree_.parent(node)) {
      below_[node.index] += change;
    }
  }

  // --- whom to take from ---

  // The queue below `node` that is most over its fair share; nothing if nobody there can give.
  std::optional<QuotaNodeId> target(QuotaNodeId node) {
    if (empty(node)) return std::nullopt;
    if (tree_.kind(node) == Tree::Kind::queue) return node;
    std::vector<QuotaNodeId> givers;
    for (const QuotaNodeId child : tree_.children(node)) {
      const bool may_give = shares_.of(child).borrowing || above_preemptor(child);
      if (!empty(child) && may_give) givers.push_back(child);
    }
    while (!givers.empty()) {
      const auto most = std::min_element(
          givers.begin(), givers.end(),
          [this](QuotaNodeId left, QuotaNodeId right) { return gives_before(left, right); });
      if (const auto found = target(*most)) return found;
      givers.erase(most);
    }
    return std::nullopt;
  }

  // Among equal cohorts neither does: children come in the order of their names, which decides.
  bool gives_before(QuotaNodeId left, QuotaNodeId right) {
    if (const auto by_share = compare(shares_.of(left), shares_.of(right)); by_share != 0) {
      return by_share > 0;
    }
    const bool left_is_queue = tree_.kind(left) == Tree::Kind::queue;
    const bool right_is_queue = tree_.kind(right) == Tree::Kind::queue;
    if (left_is_queue != right_is_queue) return right_is_queue;
    return left_is_queue && taken_first(preemptor_, running_[head(left)], running_[head(right)]);
  }

  bool above_preemptor(QuotaNodeId node) const {
    QuotaNodeId at = preemptor_.queue;
    while (at.valid() && at != node) at = tree_.parent(at);
    return at == node;
  }

  // --- whether it may be taken ---

  struct Sides {
    QuotaNodeId preemptor, target;
  };
  // The children of the lowest common ancestor. Requires another queue.
  Sides sides(QuotaNodeId queue) const {
    const QuotaNodeId meets_at = tree_.common_ancestor(preemptor_.queue, queue);
    const auto child_above = [&](QuotaNodeId node) {
      while (tree_.parent(node) != meets_at) node = tree_.parent(node);
      return node;
    };
    return {child_above(preemptor_.queue), child_above(queue)};
  }

  bool within_nominal() const { return !over_quota(tree_, preemptor_.queue, preemptor_.needed); }

  bool passes(FairStrategy strategy, std::size_t index) {
    const Sides side = sides(running_[index].queue);
    const Share preemptor = shares_.of(side.preemptor);
    if (strategy == FairStrategy::less_than_initial_share) {
      return compare(preemptor, shares_.of(side.target)) < 0;
    }
    const Running& each = running_[index];
    tree_.remove_usage(each.queue, each.charges);
    const Share kept = share_of(tree_, side.target);
    tree_.add_usage(each.queue, each.charges);
    return compare(preemptor, kept) <= 0;
  }

  bool take(Rehearsal& rehearsal, std::size_t index, Ground ground) {
    const bool own = running_[index].queue == preemptor_.queue;
    const bool reclaims = ground == Ground::preemptor_within_nominal || ground == Ground::burst;
    const Reason reason = own        ? Reason::in_cluster_queue
                          : reclaims ? Reason::in_cohort_reclamation
                                     : Reason::in_cohort_fair_sharing;
    taken_.push_back({.victim = {.running = index, .reason = reason}, .ground = ground});
    rehearsal.take(taken_.back().victim);
    shares_.forget(running_[index].queue);
    return fits(rehearsal);
  }

  // --- the rounds; each says whether the request fits now ---

  bool burst_round(Rehearsal& rehearsal) {
    for (const std::size_t index : allowed_) {
      const Running& each = running_[index];
      if (!leaves_first(preemptor_, each)) continue;
      const bool own = each.queue == preemptor_.queue;
      if (!own && !over_quota(tree_, each.queue, preemptor_.needed)) continue;
      if (take(rehearsal, index, Ground::burst)) return true;
    }
    return false;
  }

  bool first_round(Rehearsal& rehearsal) {
    std::vector<std::size_t> firm;
    std::copy_if(allowed_.begin(), allowed_.end(), std::back_inserter(firm),
                 [&](std::size_t index) { return !leaves_first(preemptor_, running_[index]); });
    queue_up(firm);
    failed_.clear();
    const QuotaNodeId root = tree_.root(preemptor_.queue);
    while (const auto queue = target(root)) {
      if (*queue == preemptor_.queue) {
        if (take(rehearsal, pop(*queue), Ground::own_queue)) return true;
      } else if (within_nominal()) {
        if (take(rehearsal, pop(*queue), Ground::preemptor_within_nominal)) return true;
      } else if (take_first_that_passes(rehearsal, *queue)) {
        return true;
      }
    }
    return false;
  }

  bool take_first_that_passes(Rehearsal& rehearsal, QuotaNodeId queue) {
    while (!empty(queue)) {
      const std::size_t index = pop(queue);
      if (passes(strategies_.front(), index)) {
        return take(rehearsal, index, ground_of(strategies_.front()));
      }
      failed_.push_back(index);
    }
    return false;
  }

  bool second_round(Rehearsal& rehearsal) {
    if (strategies_.size() < 2) return false;
    std::sort(failed_.begin(), failed_.end(), [this](std::size_t left, std::size_t right) {
      return taken_first(preemptor_, running_[left], running_[right]);
    });
    queue_up(failed_);
    const QuotaNodeId root = tree_.root(preemptor_.queue);
    while (const auto queue = target(root)) {
      const std::size_t index = head(*queue);
      if (passes(strategies_[1], index) && take(rehearsal, index, ground_of(strategies_[1]))) {
        return true;
      }
      drop(*queue);
    }
    return false;
  }

  static Ground ground_of(FairStrategy strategy) {
    return strategy == FairStrategy::less_than_initial_share ? Ground::initial_share
                                                             : Ground::final_share;
  }

  // Shares count the request already; whether it fits is asked without it.
  bool fits(const Rehearsal& rehearsal) {
    tree_.remove_usage(preemptor_.queue, preemptor_.charges);
    const bool fit = tree_.fits(preemptor_.queue, preemptor_.charges);
    tree_.add_usage(preemptor_.queue, preemptor_.charges);
    return fit && (!suffices_ || suffices_(rehearsal.victims()));
  }

  // --- the last word ---

  // Judges victims of other queues by the shares as they end up: the preemptor with its request,
  // the other side without any victim, or, by initial shares, with this one and those taken after
  // it. Where both strategies are in force, the initial share will also do against a side of weight
  // 0: whatever it borrows is too much, so it cannot take it back.
  void judge_again(std::span<const Victim> victims) {
    const bool nominal = within_nominal();
    std::vector<Share> preemptor_shares;
    std::vector<bool> by_initial_share;
    for (const Victim& victim : victims) {
      const QuotaNodeId queue = running_[victim.running].queue;
      const bool own = queue == preemptor_.queue;
      const Share ended = own ? Share{} : share_of(tree_, sides(queue).preemptor);
      preemptor_shares.push_back(ended);
      const Ground ground = ground_taken(victim);
      if (ground == Ground::preemptor_within_nominal && !nominal)
        illegal_.push_back(victim.running);
      const bool falls_short =
          ground == Ground::final_share && compare(ended, share_of(tree_, sides(queue).target)) > 0;
      const bool may_be_initial = strategies_.size() > 1 && !own && borrows_for_good(queue);
      by_initial_share.push_back(ground == Ground::initial_share ||
                                 (falls_short && may_be_initial));
      if (falls_short && !may_be_initial) illegal_.push_back(victim.running);
    }
    judge_rights(victims);
    for (std::size_t i = victims.size(); i-- > 0;) {
      const Running& each = running_[victims[i].running];
      tree_.add_usage(each.queue, each.charges);
      if (!by_initial_share[i]) continue;
      const Share initial = share_of(tree_, sides(each.queue).target);
      if (compare(preemptor_shares[i], initial) >= 0) illegal_.push_back(victims[i].running);
    }
    for (const Victim& victim : victims) {
      const Running& each = running_[victim.running];
      tree_.remove_usage(each.queue, each.charges);
    }
  }

  // What its queue owns is its right: a victim that would not make it borrow, now that others of it
  // have gone, would come back at once.
  void judge_rights(std::span<const Victim> victims) {
    for (const Victim& victim : victims) {
      const Running& each = running_[victim.running];
      if (each.queue == preemptor_.queue) continue;
      tree_.add_usage(each.queue, each.charges);
      const bool borrows = over_quota(tree_, each.queue, preemptor_.needed);
      tree_.remove_usage(each.queue, each.charges);
      if (!borrows) illegal_.push_back(victim.running);
    }
  }

  bool borrows_for_good(QuotaNodeId queue) const {
    const Sides side = sides(queue);
    return tree_.weight(side.target).nano == 0 && tree_.weight(side.preemptor).nano > 0;
  }

  Ground ground_taken(const Victim& victim) const {
    return std::find_if(taken_.begin(), taken_.end(),
                        [&](const Taken& each) { return each.victim == victim; })
        ->ground;
  }

  Tree& tree_;
  const Preemptor& preemptor_;
  std::span<const Running> running_;
  FairStrategies strategies_;
  const Suffices& suffices_;
  std::vector<std::size_t> allowed_;  // in the order in which they are taken
  std::vector<std::size_t> illegal_;  // of the latest search
  // State of the search that is going on.
  Shares shares_;
  std::vector<std::vector<std::size_t>> waiting_;  // by queue, its head last
  std::vector<int> below_;                         // by node: how many wait there
  std::vector<std::size_t> failed_;                // by the first strategy
  std::vector<Taken> taken_;
};

}  // namespace

std::vector<Victim> fair_victims(Tree& tree, const Preemptor& preemptor,
                                 const PreemptionPolicy& policy, std::span<const Running> running,
                                 FairStrategies strategies, const Suffices& suffices) {
  if (!tree.active(preemptor.queue) || strategies.empty()) return {};
  return FairSearch(tree, preemptor, policy, running, strategies, suffices).victims();
}

}  // namespace tutti::quota
