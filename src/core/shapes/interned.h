// Interned: values that pods share, each kept once under a dense id, with how many pods have it.
//
// A value that no pod has any more keeps its id until sweep(), so that what was computed for it is
// still good when the next pod like it comes.
#pragma once

#include <unordered_map>

#include "base/check.h"
#include "base/std.h"
#include "core/shapes/slots.h"

namespace tutti::core {

template <typename IdType, typename Value>
class Interned {
 public:
  std::size_t slots() const { return slots_.size(); }
  const Value& at(IdType id) const { return *slots_[id.index].value; }
  // How many pods on live nodes have it. Zero for a vacant slot.
  std::uint32_t placed(IdType id) const { return slots_[id.index].placed; }

  // The value of that hash of which `is_same` is true; an invalid id where there is none.
  template <typename IsSame>
  IdType find(std::uint64_t hash, const IsSame& is_same) const {
    const auto [first, last] = ids_.equal_range(hash);
    for (auto known = first; known != last; ++known) {
      if (is_same(at(known->second))) return known->second;
    }
    return {};
  }
  // Keeps a value that was not found.
  IdType add(std::uint64_t hash, Value value) {
    const IdType id = take_slot(slots_, vacant_);
    slots_[id.index] = {std::make_unique<Value>(std::move(value)), hash, 0, 0};
    ids_.emplace(hash, id);
    ++unused_;
    return id;
  }

  // One more pod is known to have it, or one less.
  void use(IdType id) {
    TUTTI_CHECK(slots_[id.index].value != nullptr, "a vacant slot is used");
    if (slots_[id.index].users++ == 0) --unused_;
  }
  void release(IdType id) {
    TUTTI_CHECK(slots_[id.index].users > 0, "nobody has what is released");
    if (--slots_[id.index].users == 0) ++unused_;
  }
  // One pod more on a live node has it (+1), or one less (-1).
  void count(IdType id, std::int32_t sign) {
    std::uint32_t& placed = slots_[id.index].placed;
    TUTTI_CHECK(sign > 0 || placed > 0, "counted off more often than on");
    placed += static_cast<std::uint32_t>(sign);
  }

  // Frees what no pod has when that is the majority. True: ids will be given out again, and whoever
  // remembers one must forget it.
  bool sweep() {
    constexpr std::size_t kWorthIt = 1024;
    TUTTI_CHECK(unused_ + vacant_.size() <= slots_.size(), "more is unused than there is");
    if (unused_ < kWorthIt || unused_ * 2 < slots_.size() - vacant_.size()) return false;
    unused_ = 0;
    ids_.clear();
    vacant_.clear();
    for (std::uint32_t index = 0; index < slots_.size(); ++index) {
      if (slots_[index].users == 0) {
        slots_[index] = {};
        vacant_.push_back({index});
      } else {
        ids_.emplace(slots_[index].hash, IdType{index});
      }
    }
    return true;
  }

 private:
  struct Slot {
    std::unique_ptr<Value> value;
    std::uint64_t hash = 0;
    std::uint32_t users = 0;   // pods known, placed or pending
    std::uint32_t placed = 0;  // pods on live nodes
  };

  std::vector<Slot> slots_;
  std::vector<IdType> vacant_;
  std::unordered_multimap<std::uint64_t, IdType> ids_;
  std::size_t unused_ = 0;  // kept, but no pod has it
};

}  // namespace tutti::core
