// Tournament: the best of n scored entries under single-entry updates.
//
//            best            update of one entry replays only its path to the top: O(log n)
//           /    \           best() reads the top: O(1)
//         a        b         best_where() looks into the subtrees of those that beat the rest until
//        / \      / \        someone is wanted
//       0   1    2   3
#pragma once

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/std.h"

namespace tutti::core {

class Tournament {
 public:
  static constexpr std::uint32_t kNobody = 0xffffffffU;

  // `better(a, b)`: whether entry a beats entry b; a strict total order over entries in play.
  template <typename InPlay, typename Better>
  void build(std::size_t size, const InPlay& in_play, const Better& better) {
    leaves_ = std::bit_ceil(size < 1 ? std::size_t{1} : size);
    winner_.assign(leaves_ * 2, kNobody);
    for (std::size_t i = 0; i < size; ++i) {
      if (in_play(i)) winner_[leaves_ + i] = static_cast<std::uint32_t>(i);
    }
    for (std::size_t at = leaves_ - 1; at > 0; --at) play(at, better);
  }

  template <typename Better>
  void update(std::size_t entry, bool in_play, const Better& better) {
    TUTTI_CHECK(entry < leaves_, "an entry beyond those it was built for");
    std::size_t at = leaves_ + entry;
    winner_[at] = in_play ? static_cast<std::uint32_t>(entry) : kNobody;
    for (at /= 2; at > 0; at /= 2) play(at, better);
  }

  std::uint32_t best() const { return winner_[1]; }

  // The best of those that are wanted; kNobody: there is none. Nothing when more than `tries` that
  // are not are better than it.
  template <typename Wanted, typename Better>
  std::optional<std::uint32_t> best_where(const Wanted& wanted, const Better& better,
                                          std::size_t tries) const {
    // Subtrees in which the best may be: a heap, the one with the best winner on top.
    std::vector<std::size_t> open;
    const auto worse = [&](std::size_t a, std::size_t b) { return better(winner_[b], winner_[a]); };
    const auto add = [&](std::size_t subtree) {
      if (winner_[subtree] == kNobody) return;
      open.push_back(subtree);
      std::ranges::push_heap(open, worse);
    };
    add(1);
    while (!open.empty()) {
      std::ranges::pop_heap(open, worse);
      std::size_t at = open.back();
      open.pop_back();
      const std::uint32_t winner = winner_[at];
      if (wanted(winner)) return winner;
      if (tries-- == 0) return std::nullopt;
      while (at < leaves_) {
        const std::size_t won = winner_[at * 2] == winner ? at * 2 : at * 2 + 1;
        add(won ^ 1U);
        at = won;
      }
    }
    return kNobody;
  }

 private:
  template <typename Better>
  void play(std::size_t at, const Better& better) {
    const std::uint32_t left = winner_[at * 2];
    const std::uint32_t right = winner_[at * 2 + 1];
    if (left == kNobody) {
      winner_[at] = right;
    } else if (right == kNobody) {
      winner_[at] = left;
    } else {
      winner_[at] = better(right, left) ? right : left;
    }
  }

  std::size_t leaves_ = 1;
  std::vector<std::uint32_t> winner_;  // heap order: node i has children 2i and 2i+1
};

}  // namespace tutti::core
