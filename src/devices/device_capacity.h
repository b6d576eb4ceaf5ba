// Counting devices for people: why a node cannot serve a claim, and how much there is of what is
// asked for.
#pragma once

#include "base/std.h"
#include "devices/device_state.h"

namespace tutti::devices {

// The devices a wish may look at, each counted once, at the first thing that rules it out.
struct Tally {
  std::size_t of_class = 0;              // that the class selects
  std::vector<std::size_t> by_selector;  // ruled out by each of the request's own selectors
  std::size_t failed = 0;                // on which a selector fails
  std::string fault;                     // how, for the first of them
  std::vector<DeviceId> unhealthy;       // taints that are not tolerated
  std::size_t unfit = 0;                 // do not offer the capacity asked for
  std::size_t held = 0;                  // in use
  std::size_t full = 0;                  // shared, without room for the capacity asked for
  std::size_t blocked = 0;               // partitions beside which no counters are left
  std::size_t free = 0;
  // Would serve if nothing were in use.
  std::size_t suitable() const { return held + full + blocked + free; }
};
Tally tally(DeviceState& device_state, const WishPlan& wish, std::span<const DeviceId> devices);

// What stands between a node and the claims of a pod, short enough to be counted over nodes.
struct Reason {
  std::string text;
  bool curable = false;    // devices that others hold would do
  bool unhealthy = false;  // devices that are unwell would do
};
// Says why fits() found the node impossible. Never empty.
std::vector<Reason> reasons_at(DeviceState& device_state, std::span<const Wanted> wanted,
                               NodeIndex node);

// At most how many such claims the node's free devices can serve.
std::int64_t room_at(DeviceState& device_state, const Wanted& wanted, NodeIndex node);

// At most how many pods with these claims of their own the devices within these nodes can serve
// together, those that several nodes can use counted once.
std::int64_t room_within(DeviceState& device_state, std::span<const Wanted> wanted,
                         std::span<const NodeIndex> nodes);

// How full the node's devices of the kinds wanted would be with one more pod, in thousandths.
std::int64_t fullness_at(DeviceState& device_state, std::span<const Wanted> wanted, NodeIndex node);

// The reason where a search for devices ended before a proof.
inline constexpr std::string_view kUnproven = "the search for devices ended before a proof";
// How reasons about unhealthy devices begin.
inline constexpr std::string_view kUnhealthy = "unhealthy devices";

}  // namespace tutti::devices
