// ResourceColumns: what nodes offer and what of it is used. One flat column per resource, indexed
// by NodeId::index; vacant slots hold zero.
#pragma once

#include <array>

#include "base/bitset.h"
#include "base/interner.h"
#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/shape.h"
#include "core/shapes/work_class.h"
#include "model/node.h"

namespace tutti::core {

class ResourceColumns {
 public:
  std::size_t count() const { return allocatable_.size(); }
  std::string_view name(ResourceId id) const { return names_.text(id.index); }
  std::optional<ResourceId> find(std::string_view name) const;

  // Where devices decide (see through_devices) there is plenty: it is not for counting.
  std::span<const std::int64_t> allocatable(ResourceId id) const { return allocatable_[id.index]; }
  // Nodes that do not advertise the resource themselves while a device class stands for it: there
  // it comes through claims. Empty when no class does.
  const Bitset& through_devices(ResourceId id) const { return through_devices_[id.index]; }
  // What the node itself has on offer, for people.
  std::int64_t offered(ResourceId id, NodeId node) const {
    const Bitset& devices = through_devices(id);
    return devices.size() > 0 && devices.test(node.index) ? 0 : allocatable_[id.index][node.index];
  }
  std::span<const std::int64_t> used(ResourceId id) const { return used_[id.index]; }
  std::span<const std::int64_t> nonzero_used_cpu() const { return nonzero_cpu_; }
  std::span<const std::int64_t> nonzero_used_memory() const { return nonzero_memory_; }
  // How many demanding pods (PodShape) of a declared class each node has.
  std::span<const std::uint32_t> demanding(WorkClass work) const {
    return demanding_[static_cast<std::size_t>(work)];
  }

  // The id of a name, with a column for it.
  ResourceId intern(std::string_view name);
  void make_room(std::size_t node_slots);
  // Takes what the live node offers into the columns, all of whose names are interned; and out of
  // them again.
  void read(NodeId id, const model::Node& node);
  void unread(NodeId id);
  // Leaves the resource to devices on all live nodes that do not advertise it, and on those to
  // come; or ends that.
  void leave_to_devices(ResourceId resource, bool leave, const Bitset& live_nodes);
  // Counts a pod on a node (+1) or off it (-1).
  void tally(const PodShape& shape, WorkClass work, NodeId node, std::int32_t sign);

 private:
  void leave_to_devices_on(ResourceId resource, NodeId node);

  Interner names_;
  std::size_t node_slots_ = 0;
  std::vector<std::vector<std::int64_t>> allocatable_;
  std::vector<std::vector<std::int64_t>> used_;
  std::vector<Bitset> through_devices_;  // of no size where no class stands for the resource
  std::vector<std::int64_t> nonzero_cpu_;
  std::vector<std::int64_t> nonzero_memory_;
  std::array<std::vector<std::uint32_t>, kWorkClassCount> demanding_;
};

}  // namespace tutti::core
