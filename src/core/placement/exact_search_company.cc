// Members that come before the company that their affinity requires.
#include <algorithm>
#include <utility>

#include "core/placement/device_toll.h"
#include "core/placement/exact_search.h"

namespace tutti::core {

// Who may come before whom. A class that is company to itself may not: its filter lets the first of
// a set in, and where a set exists the others have to join it.
void ExactSearch::find_company() {
  if (independent_) return;
  const auto labels_of = [&](const Class& each) { return cluster_.pod(each.pods.front()).labels; };
  bool order_matters = false;
  for (auto& each : classes_) {
    if (!each.opens_later) continue;
    const Evaluation& answers = evaluation(each);
    const bool own = answers.wants_company_of(labels_of(each));
    order_matters = order_matters || own || answers.may_open_without_company();
    for (std::size_t i = 0; i < classes_.size() && !own; ++i) {
      if (answers.wants_company_of(labels_of(classes_[i]))) each.wanted.push_back(i);
    }
    company_ = company_ || !each.wanted.empty();
  }
  any_order_ = company_ && !order_matters;
  for (const auto& each : classes_) {
    for (const std::size_t which : each.wanted) {
      classes_[which].leads = classes_[which].wanted.empty();
    }
  }
}

// Whether pods that it wants are left to be placed.
bool ExactSearch::may_come_early(const Class& each) const {
  return std::ranges::any_of(each.wanted,
                             [&](std::size_t which) { return classes_[which].left() > 0; });
}

// What else than company speaks against a node is known for all nodes at once: that is one
// comparison each.
Bitset ExactSearch::open_to(const Class& of, Entry entry) {
  Bitset nodes = entry == Entry::early ? Bitset(cluster_.nodes().slots()) : accepted_by(of);
  budget_.take_looks(1 + nodes.count());
  if (entry == Entry::accepted || !may_come_early(of)) return nodes;
  budget_.take(cluster_.nodes().slots());
  Bitset early = evaluation(of).may_accept_with_company();
  if (of.within != nullptr) early.and_with(*of.within);
  nodes.or_with(early);
  return nodes;
}

// Any member may be the one that must be next. Those who find no node because they and others wait
// for each other come before those who find one and may use up what they wait for.
bool ExactSearch::place_someone(Transaction& transaction, std::uint64_t state) {
  std::vector<Choice> open = choices(Entry::accepted);
  if (!in_reach(open)) return false;
  if (!company_) return place_any(transaction, std::move(open), state);
  std::vector<Choice> early = choices(Entry::early);
  const auto stuck = [&](const Choice& choice) {
    return std::ranges::find(open, choice.which, &Choice::which) == open.end() &&
           std::ranges::none_of(classes_[choice.which].wanted, [&](std::size_t which) {
             return classes_[which].leads && classes_[which].left() > 0;
           });
  };
  const auto others = std::stable_partition(early.begin(), early.end(), stuck);
  const std::vector<Choice> rest(others, early.end());
  early.erase(others, early.end());
  return place_any(transaction, std::move(early), state) ||
         place_any(transaction, std::move(open), state) || place_any(transaction, rest, state);
}

// One of those that a member waits for must come to one of the nodes it wishes: now, where nobody
// can come too early; otherwise others may have to be first.
bool ExactSearch::bring_company(Transaction& transaction, const EarlyMembers::Wish& wish,
                                std::uint64_t state) {
  if (place_any(transaction, company_for(wish), state)) return true;
  return !any_order_ && company_may_come(wish) && place_someone(transaction, state);
}

std::vector<ExactSearch::Choice> ExactSearch::company_for(const EarlyMembers::Wish& wish) {
  const DeviceToll toll(cluster_, budget_);
  std::vector<Choice> open;
  for (const std::size_t which : classes_[wish.which].wanted) {
    Class& each = classes_[which];
    if (each.left() == 0) continue;
    Bitset nodes = open_to(each, Entry::either);
    nodes.and_with(wish.where);
    if (nodes.any()) open.push_back({which, each.tightness.order(nodes)});
  }
  return open;
}

bool ExactSearch::company_may_come(const EarlyMembers::Wish& wish) {
  return std::ranges::any_of(classes_[wish.which].wanted, [&](std::size_t which) {
    if (classes_[which].left() == 0) return false;
    Bitset nodes = evaluation(classes_[which]).may_accept();
    if (classes_[which].within != nullptr) nodes.and_with(*classes_[which].within);
    nodes.and_with(wish.where);
    return nodes.any();
  });
}

}  // namespace tutti::core
