// Tournament: the best of n scored entries under single-entry updates.
//
//            best            update of one entry replays only its path to the top: O(log n)
//           /    \           best() reads the top: O(1)
//         a        b
//        / \      / \      .
//       0   1    2   3
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

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
    std::size_t at = leaves_ + entry;
    winner_[at] = in_play ? static_cast<std::uint32_t>(entry) : kNobody;
    for (at /= 2; at > 0; at /= 2) play(at, better);
  }

  std::uint32_t best() const { return winner_[1]; }

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
