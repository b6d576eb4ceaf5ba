// NameRanks: the position of every name in alphabetical order, kept while names come and go.
//
// Lists arrive in order of names, so a name mostly goes to the end and has its rank at once; others
// are sorted and merged in when somebody asks. Only a number that is given to another name in
// between costs sorting everything.
#pragma once

#include <algorithm>

#include "base/check.h"
#include "base/std.h"
#include "core/shapes/ids.h"

namespace tutti::core {

// `name_of(index)` gives the name behind a number, for all that were added and not removed. Names
// differ from each other.
class NameRanks {
 public:
  template <typename NameOf>
  void add(std::uint32_t index, const NameOf& name_of) {
    if (ranks_.size() <= index) ranks_.resize(index + std::size_t{1}, kNoIndex);
    if (ranks_[index] == kGone) start_over_ = true;
    const bool last = !stale_ && (order_.empty() || name_of(order_.back()) < name_of(index));
    if (last) {
      ranks_[index] = static_cast<std::uint32_t>(order_.size());
      order_.push_back(index);
      return;
    }
    ranks_[index] = kFresh;
    fresh_.push_back(index);
    stale_ = true;
  }

  void remove(std::uint32_t index) {
    TUTTI_CHECK(index < ranks_.size() && ranks_[index] != kGone, "a name goes twice");
    // What was never merged in need not be told apart from what comes after it.
    if (ranks_[index] == kFresh) start_over_ = true;
    ranks_[index] = kGone;
    stale_ = true;
  }

  // By number; kNoIndex for one that has no name now.
  template <typename NameOf>
  std::span<const std::uint32_t> ranks(const NameOf& name_of) {
    settle(name_of);
    return ranks_;
  }
  // The numbers in order of their names.
  template <typename NameOf>
  std::span<const std::uint32_t> order(const NameOf& name_of) {
    settle(name_of);
    return order_;
  }

 private:
  // Besides ranks proper.
  static constexpr std::uint32_t kFresh = kNoIndex - 1;  // waits in fresh_
  static constexpr std::uint32_t kGone = kNoIndex - 2;   // removed, perhaps still in order_

  template <typename NameOf>
  void settle(const NameOf& name_of) {
    if (!stale_) return;
    const auto before = [&](std::uint32_t a, std::uint32_t b) { return name_of(a) < name_of(b); };
    if (start_over_) {
      collect_all();
      std::ranges::sort(order_, before);
    } else {
      std::erase_if(order_, [&](std::uint32_t index) { return ranks_[index] == kGone; });
      const auto middle = static_cast<std::ptrdiff_t>(order_.size());
      std::ranges::sort(fresh_, before);
      order_.insert(order_.end(), fresh_.begin(), fresh_.end());
      std::inplace_merge(order_.begin(), order_.begin() + middle, order_.end(), before);
    }
    number();
  }

  void collect_all() {
    order_.clear();
    for (std::uint32_t index = 0; index < ranks_.size(); ++index) {
      if (ranks_[index] != kNoIndex && ranks_[index] != kGone) order_.push_back(index);
    }
  }

  void number() {
    std::ranges::fill(ranks_, kNoIndex);
    for (std::uint32_t rank = 0; rank < order_.size(); ++rank) ranks_[order_[rank]] = rank;
    fresh_.clear();
    stale_ = start_over_ = false;
  }

  std::vector<std::uint32_t> ranks_;  // by number
  std::vector<std::uint32_t> order_;
  std::vector<std::uint32_t> fresh_;
  bool stale_ = false;
  bool start_over_ = false;
};

}  // namespace tutti::core
