// Units: work that runs, in the portions in which someone would end it. Pods of a controller end
// with its object, members of a gang or of a tree of groups with the whole, others by themselves.
//
// A cluster runs tens of thousands of them, and an answer names a few: names are made when asked.
#pragma once

#include "base/std.h"
#include "core/shapes/ids.h"
#include "explain/verdict/way.h"
#include "whatif/rehearsal.h"

namespace tutti::whatif {

class Units {
 public:
  // Lists everyone but the asker, in an order that depends on names only. Pods that are leaving,
  // and those that belong to a node (DaemonSets, static pods), are nobody's to end.
  explicit Units(Rehearsal& rehearsal);

  std::size_t size() const { return units_.size(); }
  // Returns the unit's pods on nodes first, then those that wait.
  std::span<const core::PodId> pods(std::uint32_t unit) const {
    return std::span(pods_).subspan(units_[unit].first, units_[unit].count);
  }
  // On nodes.
  std::span<const core::PodId> running(std::uint32_t unit) const {
    return pods(unit).first(units_[unit].running);
  }
  // "PodGroup t/v".
  std::string name(std::uint32_t unit) const;
  // Deleting these ends it.
  std::vector<explain::ObjectName> end(std::uint32_t unit) const;

 private:
  struct Unit {
    std::uint32_t first = 0;  // into pods_
    std::uint32_t count = 0;
    std::uint32_t running = 0;
    std::uint32_t owner = core::kNoIndex;  // into owners_; none: its pods are
    core::GroupId group;                   // whose members end together
  };
  class Sorter;

  const Rehearsal& rehearsal_;
  std::vector<Unit> units_;
  std::vector<core::PodId> pods_;
  std::vector<explain::ObjectName> owners_;
};

}  // namespace tutti::whatif
