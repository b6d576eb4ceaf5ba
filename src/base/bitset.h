// A set of small numbers below a width chosen at run time, 64 to a word, for filter results over
// nodes. The unused bits of the last word are always zero, so counts and comparisons need no mask.
//
// Single-bit calls require index < size() and do not check it: they sit in the innermost loops.
#pragma once

#include <algorithm>
#include <bit>

#include "base/check.h"
#include "base/std.h"

namespace tutti {

class Bitset {
 public:
  using Word = std::uint64_t;
  static constexpr std::size_t kWordBits = 64;

  Bitset() = default;
  explicit Bitset(std::size_t size) { resize(size); }

  std::size_t size() const { return size_; }

  // Bits below the new size are kept, new ones are zero.
  void resize(std::size_t size) {
    size_ = size;
    words_.resize((size + kWordBits - 1) / kWordBits, 0);
    clear_tail();
  }

  void set(std::size_t index) { words_[index / kWordBits] |= mask(index); }
  void reset(std::size_t index) { words_[index / kWordBits] &= ~mask(index); }
  bool test(std::size_t index) const { return (words_[index / kWordBits] & mask(index)) != 0; }

  // All bits on, all bits off.
  void fill() {
    std::fill(words_.begin(), words_.end(), ~Word{0});
    clear_tail();
  }
  void clear() { std::fill(words_.begin(), words_.end(), Word{0}); }

  std::size_t count() const {
    std::size_t total = 0;
    for (const Word word : words_) total += static_cast<std::size_t>(std::popcount(word));
    return total;
  }
  bool any() const {
    return std::any_of(words_.begin(), words_.end(), [](Word word) { return word != 0; });
  }
  bool none() const { return !any(); }

  // The lowest member, or size() when there is none.
  std::size_t find_first() const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      if (words_[i] != 0) return i * kWordBits + lowest(words_[i]);
    }
    return size_;
  }

  // Calls fn(index) for every member, lowest first. fn may change bits of this set; members of the
  // word being visited are those it had when the walk reached it.
  template <typename Fn>
  void for_each_set(Fn&& fn) const {
    for (std::size_t i = 0; i < words_.size(); ++i) {
      for (Word rest = words_[i]; rest != 0; rest &= rest - 1) fn(i * kWordBits + lowest(rest));
    }
  }

  // Set algebra in place. Both sides must have the same size.
  void and_with(const Bitset& other) {
    combine(other, [](Word a, Word b) { return a & b; });
  }
  void and_not(const Bitset& other) {
    combine(other, [](Word a, Word b) { return a & ~b; });
  }
  void or_with(const Bitset& other) {
    combine(other, [](Word a, Word b) { return a | b; });
  }

  // Word access: bit b of word w is member 64 w + b.
  std::span<const Word> words() const { return words_; }
  Word word(std::size_t at) const { return words_[at]; }
  // Bits beyond size() are dropped.
  void set_word(std::size_t at, Word word) {
    words_[at] = word;
    if (at + 1 == words_.size()) clear_tail();
  }

  bool operator==(const Bitset&) const = default;

 private:
  static Word mask(std::size_t index) { return Word{1} << (index % kWordBits); }
  static std::size_t lowest(Word word) { return static_cast<std::size_t>(std::countr_zero(word)); }

  void clear_tail() {
    if (size_ % kWordBits != 0) words_.back() &= mask(size_) - 1;
  }

  template <typename Op>
  void combine(const Bitset& other, Op op) {
    TUTTI_CHECK(size_ == other.size_);
    for (std::size_t i = 0; i < words_.size(); ++i) words_[i] = op(words_[i], other.words_[i]);
  }

  std::size_t size_ = 0;
  std::vector<Word> words_;
};

}  // namespace tutti
