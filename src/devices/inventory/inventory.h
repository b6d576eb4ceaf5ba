// Inventory: the devices that drivers publish, by pool.
//
//   ResourceSlices ──> pools (driver, name): highest generation only
//                          │  complete: exactly as many slices as they say, names unique,
//                          │            counters known        ──> its devices count
//                          └─ incomplete or invalid           ──> none of its devices count
//
// Ids of devices belong to names: a device that is published anew keeps its id and gets another
// version. A pool that shows a higher generation anywhere is judged by that generation alone, so
// one in the middle of an update offers nothing until it is whole; kube-scheduler goes on using an
// old generation on nodes that do not see the new one.
#pragma once

#include <bitset>
#include <deque>
#include <map>
#include <set>
#include <unordered_map>

#include "base/check.h"
#include "base/std.h"
#include "devices/inventory/ids.h"
#include "devices/inventory/selectors.h"
#include "model/device.h"

namespace tutti::devices {

// From where a device can be used. Nodes are named, the rest is for Places to work out.
struct Reach {
  model::DeviceReach::Kind kind = model::DeviceReach::Kind::unknown;  // node, selector or all
  std::string node;
  std::vector<model::NodeSelectorTerm> selector;
};

// A counter's amount that a device takes, in thousandths.
struct Charge {
  std::uint32_t counter = 0;  // of its pool
  std::int64_t amount = 0;
  bool operator==(const Charge&) const = default;
};

struct DeviceEntry {
  PoolId pool;
  std::string name;
  const model::Device* device = nullptr;  // null: not on offer
  ReachId reach;
  std::vector<Charge> charges;             // by counter
  std::vector<model::DeviceTaint> taints;  // its own, and those of rules
  std::string unhealthy_rule;              // a rule that taints it; empty: none
};

struct Counter {
  std::string set;
  std::string name;
  std::int64_t capacity = 0;  // thousandths
};

struct Pool {
  enum class State : std::uint8_t { complete, incomplete, invalid };
  std::string driver;
  std::string name;
  State state = State::incomplete;
  std::string problem;  // why it is not complete
  std::int64_t generation = 0;
  std::vector<DeviceId> devices;  // on offer, in published order
  std::vector<Counter> counters;
  bool has_binding_conditions = false;
  std::vector<ReachId> reaches;  // of its slices, where it is not complete
};

// Names of counters and devices are found by the pool they belong to; everything else is in the
// slices themselves, which the inventory keeps.
class Inventory {
 public:
  explicit Inventory(SelectorTable& selectors) : selectors_(selectors) {}
  Inventory(const Inventory&) = delete;
  Inventory& operator=(const Inventory&) = delete;

  // Each returns the pools whose devices, counters or taints may have changed.
  std::vector<PoolId> set_slice(std::shared_ptr<const model::ResourceSlice> slice);
  std::vector<PoolId> remove_slice(const std::string& name);
  std::vector<PoolId> set_rule(std::shared_ptr<const model::DeviceTaintRule> rule);
  std::vector<PoolId> remove_rule(const std::string& name);

  // The id of a device by name, made if it is new: allocations may name what is not on offer.
  DeviceId device_id(std::string_view driver, std::string_view pool, std::string_view device);
  const DeviceEntry& device(DeviceId id) const {
    TUTTI_CHECK(id.index < devices_.size(), "a device that nobody named");
    return devices_[id.index];
  }
  std::size_t device_count() const { return devices_.size(); }
  const Pool& pool(PoolId id) const {
    TUTTI_CHECK(id.index < pools_.size(), "a pool that nobody named");
    return pools_[id.index].pool;
  }
  const Pool& pool_of(DeviceId id) const { return pool(device(id).pool); }
  std::size_t pool_count() const { return pools_.size(); }

  // Pools that some device of is usable from this node only; and those with devices that more than
  // one node may use. A pool may be among both. In the order of allocation: by driver and name,
  // pools with binding conditions last.
  std::span<const PoolId> pools_at(ReachId node) const;
  std::span<const PoolId> wide_pools() const { return wide_; }

  // Reaches whose devices came, changed or went since the last call.
  std::set<ReachId> take_changed_reaches() { return std::exchange(changed_reaches_, {}); }

  // Pools that are not complete: what they hold is not known.
  std::span<const PoolId> troubled_pools() const { return troubled_; }

  const Reach& reach(ReachId id) const {
    TUTTI_CHECK(id.index < reaches_.size(), "from where is not known");
    return reaches_[id.index];
  }
  std::size_t reach_count() const { return reaches_.size(); }
  // The reach of devices that belong to a node; made if it is new.
  ReachId reach_of_node(std::string_view node);
  // Invalid when no device of such a reach was ever seen.
  ReachId find_node_reach(const std::string& node) const;
  bool is_wide(ReachId id) const {
    return reaches_[id.index].kind != model::DeviceReach::Kind::node;
  }
  // False: no device ever had an attribute of that name, whatever its domain. For those who would
  // otherwise look at every device.
  bool may_publish(std::string_view attribute_name) const;
  // Whether `a` comes before `b` where both are looked through.
  bool before(PoolId a, PoolId b) const;

  // "gpu.example.com/pool-1/gpu-3"
  std::string text(DeviceId id) const;

 private:
  using SlicePtr = std::shared_ptr<const model::ResourceSlice>;
  struct PoolSlot {
    Pool pool;
    std::map<std::string, SlicePtr> slices;  // of all generations, by name
    std::vector<ReachId> listed_at;          // nodes whose list has it
    std::vector<ReachId> listed_wide;        // wide reaches because of which it is among the wide
  };

  PoolId pool_id(std::string_view driver, std::string_view name);
  ReachId intern(const model::DeviceReach& reach);
  void rebuild(PoolId id);
  void withdraw(PoolSlot& slot);
  bool judge(PoolSlot& slot, const std::vector<SlicePtr>& current);
  bool add_counters(Pool& pool, const std::vector<SlicePtr>& current);
  bool charge(const Pool& pool, const model::Device& device, std::vector<Charge>& charges);
  void offer(PoolId id, const model::ResourceSlice& slice, const model::Device& device);
  void list(PoolId id);
  void note_trouble(PoolId id, const std::vector<SlicePtr>& current);
  void apply_rules(DeviceEntry& entry);
  std::vector<PoolId> pools_under(const model::DeviceTaintRule& rule) const;
  void sort(std::vector<PoolId>& pools) const;

  SelectorTable& selectors_;
  std::vector<DeviceEntry> devices_;
  std::unordered_map<std::string, DeviceId> device_ids_;
  std::deque<PoolSlot> pools_;  // never moved: facts about devices view the names
  std::unordered_map<std::string, PoolId> pool_ids_;
  std::vector<Reach> reaches_;
  std::unordered_map<std::string, ReachId> node_reaches_;
  std::unordered_map<std::string, SlicePtr> slices_;
  std::map<std::string, std::shared_ptr<const model::DeviceTaintRule>> rules_;
  std::unordered_map<ReachId, std::vector<PoolId>> local_;
  std::vector<PoolId> wide_;
  std::bitset<4096> attribute_names_;  // by hash; of bounded size, so never forgotten
  std::vector<PoolId> troubled_;
  std::set<ReachId> changed_reaches_;
};

// Thousandths of the unit, as counters and shared capacity are counted.
std::int64_t thousandths(const Quantity& quantity);

}  // namespace tutti::devices
