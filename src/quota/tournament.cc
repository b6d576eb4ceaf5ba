#include "quota/tournament.h"

#include <algorithm>
#include <tuple>
#include <utility>

namespace tutti::quota {

Tournament::Tournament(const Tree& tree)
    : tree_(tree), heads_(tree.slots()), places_(tree.slots()) {}

void Tournament::nominate(QuotaNodeId queue, Head head) {
  heads_[queue.index] = std::move(head);
  play_upwards(queue);
}

void Tournament::withdraw(QuotaNodeId queue) {
  heads_[queue.index].reset();
  play_upwards(queue);
}

std::optional<QuotaNodeId> Tournament::winner(QuotaNodeId node) const {
  const QuotaNodeId champion = places_[node.index].champion;
  if (!champion.valid()) return std::nullopt;
  return champion;
}

void Tournament::play_upwards(QuotaNodeId node) {
  for (; node.valid(); node = tree_.parent(node)) places_[node.index] = place_of(node);
}

Tournament::Place Tournament::place_of(QuotaNodeId node) const {
  Place place;
  if (tree_.kind(node) == Tree::Kind::queue) {
    if (heads_[node.index]) place.champion = node;
  } else {
    const Place* best = nullptr;
    for (const QuotaNodeId child : tree_.children(node)) {
      const Place& other = places_[child.index];
      if (other.champion.valid() && (best == nullptr || beats(other, *best))) best = &other;
    }
    if (best != nullptr) place.champion = best->champion;
  }
  if (!place.champion.valid()) return place;
  std::vector<Charge> arriving = heads_[place.champion.index]->charges;
  const auto asked = arriving;
  for (QuotaNodeId at = place.champion; at != node; at = tree_.parent(at)) {
    arriving = above_of(tree_, at, arriving);
  }
  place.share = share_of(tree_, node, arriving);
  for (std::size_t i = 0; i < asked.size(); ++i) {
    const Amount beyond = tree_.borrowed(node, asked[i].of, arriving[i].amount);
    place.borrows = place.borrows || (asked[i].amount > 0 && beyond > 0);
  }
  return place;
}

bool Tournament::beats(const Place& left, const Place& right) const {
  const Head& l = head(left.champion);
  const Head& r = head(right.champion);
  if (l.victims_leaving != r.victims_leaving) return l.victims_leaving;
  if (left.borrows != right.borrows) return right.borrows;
  if (const auto order = compare(left.share, right.share); order != 0) return order < 0;
  if (l.priority != r.priority) return l.priority > r.priority;
  return std::tie(l.timestamp, l.uid) < std::tie(r.timestamp, r.uid);
}

}  // namespace tutti::quota
