#include "devices/allocation/counting_bound.h"

#include <algorithm>
#include <cstdint>
#include <unordered_map>
#include <unordered_set>

namespace tutti::devices {
namespace {

constexpr std::size_t kNobody = ~std::size_t{0};

// Maximum matching of left to right by augmenting paths; each left may have several partners.
class Matching {
 public:
  std::size_t add_left(std::vector<std::uint32_t> partners) {
    partners_.push_back(std::move(partners));
    return partners_.size() - 1;
  }
  // One more partner for this left; false: there is none, whatever the others do.
  bool extend(std::size_t left) {
    seen_.clear();
    return augment(left);
  }

 private:
  bool augment(std::size_t left) {
    for (const std::uint32_t right : partners_[left]) {
      if (owner_.try_emplace(right, kNobody).first->second != kNobody) continue;
      owner_[right] = left;
      return true;
    }
    for (const std::uint32_t right : partners_[left]) {
      if (!seen_.insert(right).second) continue;
      std::size_t& owner = owner_[right];
      if (owner == left || !augment(owner)) continue;
      owner_[right] = left;
      return true;
    }
    return false;
  }

  std::vector<std::vector<std::uint32_t>> partners_;
  std::unordered_map<std::uint32_t, std::size_t> owner_;  // by right
  std::unordered_set<std::uint32_t> seen_;
};

bool applies(const ConstraintPlan& constraint, const CountingBound::Need& need) {
  return ((constraint.wishes[need.request] >> need.wish) & 1U) != 0;
}

}  // namespace

bool CountingBound::holds() const {
  if (!std::ranges::all_of(needs_, [](const Need& n) { return n.devices.size() >= n.count; })) {
    return false;
  }
  const auto hopeless = [&](const ConstraintPlan& each) {
    return each.distinct && !values_suffice(each);
  };
  return devices_suffice() && std::ranges::none_of(constraints_, hopeless);
}

bool CountingBound::devices_suffice() const {
  if (needs_.size() < 2) return true;
  Matching matching;
  for (const Need& need : needs_) {
    std::vector<std::uint32_t> devices;
    for (const DeviceId device : need.devices) devices.push_back(device.index);
    const std::size_t left = matching.add_left(std::move(devices));
    for (std::size_t i = 0; i < need.count; ++i) {
      if (!matching.extend(left)) return false;
    }
  }
  return true;
}

const ConstraintPlan* CountingBound::second(const ConstraintPlan& first,
                                            std::span<const Need* const> under) const {
  for (const ConstraintPlan& each : constraints_) {
    if (!each.distinct || each.attribute == first.attribute) continue;
    const auto is_under = [&](const Need* need) { return applies(each, *need); };
    if (std::ranges::all_of(under, is_under)) return &each;
  }
  return nullptr;
}

// Whether there are enough different values. The first value of a device stands for all of its own:
// sets that have no value in common differ in that one, too.
bool CountingBound::values_suffice(const ConstraintPlan& distinct) const {
  std::vector<const Need*> under;
  std::size_t wanted = 0;
  for (const Need& need : needs_) {
    if (!applies(distinct, need)) continue;
    under.push_back(&need);
    wanted += need.count;
  }
  const ConstraintPlan* other = second(distinct, under);
  std::unordered_map<std::uint32_t, std::vector<std::uint32_t>> pairs;
  for (const Need* need : under) {
    for (const DeviceId device : need->devices) {
      auto& partners = pairs[attributes_.values(distinct.attribute, device).front()];
      if (other != nullptr) {
        partners.push_back(attributes_.values(other->attribute, device).front());
      }
    }
  }
  if (other == nullptr || pairs.size() < wanted) return pairs.size() >= wanted;
  Matching matching;
  std::size_t matched = 0;
  for (auto& [value, partners] : pairs) {
    matched += matching.extend(matching.add_left(std::move(partners))) ? 1 : 0;
  }
  return matched >= wanted;
}

}  // namespace tutti::devices
