#include "plugins/classes/class_score.h"

#include <algorithm>
#include <utility>

#include "devices/device_capacity.h"

namespace tutti::plugins {
namespace {

using Nodes = core::ClassRule::Nodes;

constexpr std::int64_t kPoint = core::kMaxPackingScore / core::kMaxNodeScore;
constexpr std::int64_t kAlone = 60 * kPoint;
constexpr std::int64_t kInCompany = 20 * kPoint;  // less a point for each
constexpr std::int64_t kSameClass = 15 * kPoint;
constexpr std::int64_t kFull = 25 * kPoint;
// Nothing else makes up for unwanted company.
static_assert(kAlone >= kInCompany + kSameClass + kFull);
static_assert(kAlone + kSameClass + kFull == core::kMaxPackingScore);
constexpr std::int64_t kThousand = 1000;

std::int64_t thousandths(std::int64_t part, std::int64_t whole) {
  if (whole <= 0) return 0;
  if (part >= whole) return kThousand;
  // Exact enough without the product: amounts may be near the largest number.
  return whole > (std::int64_t{1} << 50) ? part / (whole / kThousand) : part * kThousand / whole;
}

}  // namespace

ClassScore::ClassScore(const core::Cluster& cluster, const core::ClassRule& rule,
                       const core::PodClass& pods)
    : cluster_(cluster), rule_(rule), memory_(cluster.shape(pods.shape).nonzero_memory) {
  const core::PodShape& shape = cluster.shape(pods.shape);
  for (const auto& asked : shape.requests) {
    if (core::is_device(cluster.resources().name(asked.resource))) devices_.push_back(asked);
  }
  if (cluster.wants_devices(shape)) open_ = cluster.devices().claims_of(*pods.sample).open;
  seen_ = cluster.devices().search().common_stamp(open_);
}

void ClassScore::score(const Bitset& nodes, std::span<std::int64_t> out) const {
  nodes.for_each_set(
      [&](std::size_t i) { out[i] = score(core::NodeId{static_cast<std::uint32_t>(i)}); });
}

std::int64_t ClassScore::score(core::NodeId node) const { return apart(node) + together(node); }

std::int64_t ClassScore::apart(core::NodeId node) const {
  std::int64_t others = 0;
  for (const core::WorkClass other : rule_.apart_from) {
    others += cluster_.resources().demanding(other)[node.index];
  }
  return others == 0 ? kAlone : std::max<std::int64_t>(0, kInCompany - others * kPoint);
}

std::int64_t ClassScore::together(core::NodeId node) const {
  if (rule_.nodes == Nodes::any) return 0;
  const bool met = cluster_.resources().demanding(rule_.work)[node.index] > 0;
  const std::int64_t full = fullness(node);
  if (rule_.nodes == Nodes::packed) return (met ? kSameClass : 0) + kFull * full / kThousand;
  return (met ? 0 : kSameClass) + kFull * (kThousand - full) / kThousand;
}

std::int64_t ClassScore::fullness(core::NodeId node) const {
  std::int64_t total = thousandths(cluster_.resources().nonzero_used_memory()[node.index] + memory_,
                                   cluster_.resources().allocatable(core::kMemory)[node.index]);
  std::int64_t parts = 1;
  for (const auto& [resource, amount] : devices_) {
    const std::int64_t offered = cluster_.resources().offered(resource, node);
    if (offered <= 0) continue;
    total += thousandths(cluster_.resources().used(resource)[node.index] + amount, offered);
    ++parts;
  }
  if (!open_.empty()) {
    total += claimed(node);
    ++parts;
  }
  return total / parts;
}

std::int64_t ClassScore::claimed(core::NodeId node) const {
  claimed_.resize(cluster_.nodes().slots());
  Fullness& known = claimed_[node.index];
  const auto stamp = cluster_.devices().search().stamp(node.index, open_);
  if (known.stamp == stamp) return known.thousandths;
  known = {stamp, devices::fullness_at(cluster_.devices(), open_, node.index)};
  return known.thousandths;
}

core::Effect ClassScore::changed(const core::Change& change) {
  if (open_.empty() || !cluster_.wants_devices(cluster_.shape(change.shape))) {
    return core::Effect::node;
  }
  const auto now = cluster_.devices().search().common_stamp(open_);
  return std::exchange(seen_, now) == now ? core::Effect::node : core::Effect::everything;
}

}  // namespace tutti::plugins
