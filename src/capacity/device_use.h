// Where every device is: held, idle and usable, or idle and of no use to anyone, each counted once.
//
//   total = held + usable + sum over reasons of unusable
//
// Devices are extended resources, which nodes count, and devices of ResourceSlices, which claims
// hold. An idle device is usable when a pod of some shape of the work that asks for such a device
// could be placed beside it now, and as many such pods as fit would take it. Where no work asks for
// it, a pod that asks for it and nothing else stands in.
#pragma once

#include <set>

#include "base/std.h"
#include "capacity/copy/cluster_copy.h"
#include "capacity/copy/imagined_gang.h"
#include "capacity/copy/refusals.h"

namespace tutti::capacity {

// In the order in which a device is looked at: the first that applies counts.
enum class IdleReason : std::uint8_t {
  unhealthy,
  pool_incomplete,
  node_missing,
  node_not_ready,
  node_cordoned,
  node_tainted,
  excluded,
  too_few_left,
  claims_unserved,
  no_cpu,
  no_memory,
  no_pod_slots,
  no_other_resource,
  partition_in_use,
};
inline constexpr std::size_t kIdleReasons =
    static_cast<std::size_t>(IdleReason::partition_in_use) + 1;
// The stable word: "nodeCordoned".
std::string_view name(IdleReason reason);
// For people: "their node is cordoned".
std::string_view text(IdleReason reason);

struct IdleCount {
  struct Place {
    std::string node;
    std::size_t devices = 0;
  };
  IdleReason reason = IdleReason::unhealthy;
  std::size_t devices = 0;
  std::vector<Place> places;  // by name; devices of no particular node are in none
};
// The names of the first few places: "n1, n2, n3 and 4 more".
std::string places_text(const IdleCount& idle);

struct DeviceUse {
  std::string name;      // of the resource, or the driver
  bool claimed = false;  // devices of ResourceSlices
  // Where devices are told by a label of their nodes: its value; empty: nodes without it.
  std::optional<std::string> part{};
  std::size_t total = 0;
  std::size_t held = 0;
  std::size_t held_by_incomplete = 0;  // of them, by groups below their minimum
  std::size_t usable = 0;              // idle
  std::vector<IdleCount> unusable;     // idle; most devices first

  std::size_t idle() const { return total - held; }
};

// A shape that may take part, with what keeps it from nodes.
// The number of the troupe that stands in where no work asks for a device.
inline constexpr std::size_t kStandInTroupe = 1'000'000;

struct Candidate {
  const ImaginedGang& troupe;
  const core::PodShape& shape;
  bool counts = false;  // see ImaginedGang::counts()
  Refusals refusals;
  std::set<std::string> drivers{};  // whose devices its claims may take
};
Candidate candidate_of(ClusterCopy& twin, const ImaginedGang& troupe);

// A resource that counts devices: has a domain of its own, such as nvidia.com/gpu.
bool counts_devices(std::string_view resource);

// By name, extended resources first. `candidates` are the shapes of the work, or those asked about.
// `by` is a node label that divides the lines; empty: nothing does.
std::vector<DeviceUse> device_use(ClusterCopy& twin, std::span<const Candidate> candidates,
                                  const std::string& by = {});
// The value of the label on the node, by which its devices are told.
std::string part_of(const model::Node& node, const std::string& by);

}  // namespace tutti::capacity
