#include "core/cluster/resource_columns.h"

#include <algorithm>

#include "base/check.h"

namespace tutti::core {
namespace {

// What a column says where devices decide: more than a node's pods can ask for, and little enough
// for the sum over all nodes.
constexpr std::int64_t kPlenty = std::int64_t{1} << 40;

// Thousands of pods at the cap could overflow one node's sum; unsigned arithmetic keeps even that
// defined and reversible.
void add_amount(std::int64_t& sum, std::int64_t amount, std::int32_t sign) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                  static_cast<std::uint64_t>(sign * amount));
}

}  // namespace

std::optional<ResourceId> ResourceColumns::find(std::string_view name) const {
  const auto id = names_.find(name);
  if (!id) return std::nullopt;
  return ResourceId{*id};
}

ResourceId ResourceColumns::intern(std::string_view name) {
  const ResourceId id{names_.intern(name)};
  TUTTI_CHECK(id.index <= allocatable_.size(), "a resource without a column");
  if (id.index == allocatable_.size()) {
    allocatable_.emplace_back(node_slots_, 0);
    used_.emplace_back(node_slots_, 0);
    through_devices_.emplace_back();
  }
  return id;
}

void ResourceColumns::make_room(std::size_t node_slots) {
  node_slots_ = node_slots;
  for (auto& column : allocatable_) column.resize(node_slots);
  for (auto& column : used_) column.resize(node_slots);
  for (auto& nodes : through_devices_) {
    if (nodes.size() > 0) nodes.resize(node_slots);
  }
  nonzero_cpu_.resize(node_slots);
  nonzero_memory_.resize(node_slots);
  for (auto& column : demanding_) column.resize(node_slots);
}

void ResourceColumns::read(NodeId id, const model::Node& node) {
  unread(id);
  for (const auto& [name, quantity] : node.allocatable) {
    const auto resource = find(name);
    TUTTI_CHECK(resource.has_value(), "a node offers what has no column");
    const std::int64_t amount = *resource == kCpu ? quantity.milli() : quantity.units();
    allocatable_[resource->index][id.index] = std::min(amount, kAmountMax - 1);
  }
  for (std::uint32_t r = 0; r < through_devices_.size(); ++r) {
    if (through_devices_[r].size() > 0) leave_to_devices_on({r}, id);
  }
}

void ResourceColumns::unread(NodeId id) {
  for (auto& column : allocatable_) column[id.index] = 0;
  for (auto& nodes : through_devices_) {
    if (nodes.size() > 0) nodes.reset(id.index);
  }
}

void ResourceColumns::leave_to_devices(ResourceId resource, bool leave, const Bitset& live_nodes) {
  Bitset& nodes = through_devices_[resource.index];
  if (leave == (nodes.size() > 0)) return;
  if (leave) {
    // A cluster without nodes has room for one, too.
    nodes.resize(std::max<std::size_t>(1, node_slots_));
    live_nodes.for_each_set(
        [&](std::size_t i) { leave_to_devices_on(resource, {static_cast<std::uint32_t>(i)}); });
  } else {
    nodes.for_each_set([&](std::size_t i) { allocatable_[resource.index][i] = 0; });
    nodes = {};
  }
}

void ResourceColumns::leave_to_devices_on(ResourceId resource, NodeId node) {
  std::int64_t& amount = allocatable_[resource.index][node.index];
  if (amount > 0) return;
  amount = kPlenty;
  through_devices_[resource.index].set(node.index);
}

void ResourceColumns::tally(const PodShape& shape, WorkClass work, NodeId node, std::int32_t sign) {
  for (const auto& [resource, amount] : shape.requests) {
    add_amount(used_[resource.index][node.index], amount, sign);
  }
  add_amount(nonzero_cpu_[node.index], shape.nonzero_cpu, sign);
  add_amount(nonzero_memory_[node.index], shape.nonzero_memory, sign);
  if (work == WorkClass::none || !shape.demanding) return;
  std::uint32_t& demanding = demanding_[static_cast<std::size_t>(work)][node.index];
  TUTTI_CHECK(sign > 0 || demanding > 0, "a class of work is counted off more often than on");
  demanding += static_cast<std::uint32_t>(sign);
}

}  // namespace tutti::core
