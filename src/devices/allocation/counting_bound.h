// CountingBound: whether what is still to be picked for requests can be had at all, by counting. It
// never says no to what could be had; a yes is no promise.
//
//   devices    every pick needs a device of its own: requests and devices are matched
//   distinct   every pick under distinctAttribute needs a value of its own; under two of them, a
//              pair of values, which are matched likewise
#pragma once

#include "base/std.h"
#include "devices/allocation/constraints.h"
#include "devices/plan/plans.h"

namespace tutti::devices {

class CountingBound {
 public:
  struct Need {
    std::size_t request = 0;        // of the plan
    std::size_t wish = 0;           // of the request
    std::size_t count = 0;          // picks
    std::vector<DeviceId> devices;  // that each of them may be
  };

  // Both must outlive it.
  CountingBound(std::span<const ConstraintPlan> constraints, AttributeTable& attributes)
      : constraints_(constraints), attributes_(attributes) {}

  void add(Need need) { needs_.push_back(std::move(need)); }
  bool holds() const;

 private:
  bool devices_suffice() const;
  bool values_suffice(const ConstraintPlan& distinct) const;
  // Another distinctAttribute that all these requests are under; null: none.
  const ConstraintPlan* second(const ConstraintPlan& first,
                               std::span<const Need* const> under) const;

  std::span<const ConstraintPlan> constraints_;
  AttributeTable& attributes_;
  std::vector<Need> needs_;
};

}  // namespace tutti::devices
