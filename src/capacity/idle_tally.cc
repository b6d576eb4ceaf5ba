#include "capacity/idle_tally.h"

#include <algorithm>

namespace tutti::capacity {

std::vector<IdleCount> IdleTally::counts() const {
  std::vector<IdleCount> counts;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i].empty()) continue;
    IdleCount& count = counts.emplace_back();
    count.reason = static_cast<IdleReason>(i);
    for (const auto& [node, devices] : counts_[i]) {
      count.devices += devices;
      if (!node.empty()) count.places.push_back({node, devices});
    }
  }
  std::ranges::stable_sort(counts, std::ranges::greater{}, &IdleCount::devices);
  return counts;
}

}  // namespace tutti::capacity
