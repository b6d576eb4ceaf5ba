#include "capacity/claimed_devices.h"

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>

#include "capacity/idle_reason.h"
#include "capacity/idle_tally.h"
#include "devices/device_capacity.h"
#include "devices/device_state.h"
#include "devices/inventory/health.h"

namespace tutti::capacity {
namespace {

using devices::DeviceEntry;
using devices::DeviceId;
using devices::Pool;

std::vector<const Candidate*> asking_for(std::span<const Candidate> candidates,
                                         const std::string& driver) {
  std::vector<const Candidate*> asking;
  for (const Candidate& candidate : candidates) {
    if (candidate.drivers.contains(driver)) asking.push_back(&candidate);
  }
  return asking;
}

// Devices on offer, by driver.
std::map<std::string, std::vector<DeviceId>> devices_by_driver(const devices::Inventory& all) {
  std::map<std::string, std::vector<DeviceId>> by_driver;
  for (std::uint32_t i = 0; i < all.device_count(); ++i) {
    if (all.device({i}).device != nullptr) by_driver[all.pool_of({i}).driver].push_back({i});
  }
  return by_driver;
}

bool takes_any(devices::DeviceState& device_state, const devices::WishPlan& wish,
               std::span<const DeviceId> devices) {
  const devices::Tally counts = devices::tally(device_state, wish, devices);
  return counts.suitable() + counts.unhealthy.size() > 0;
}

Shape empty_shape() {
  Shape shape;
  auto spec = std::make_shared<model::PodSpec>();
  spec->containers.emplace_back();
  shape.spec = std::move(spec);
  return shape;
}

class ClaimedDevices {
 public:
  ClaimedDevices(const core::Cluster& cluster, std::span<const Candidate> candidates,
                 const Candidate& stand_in, const std::string& by)
      : cluster_(cluster),
        device_state_(cluster.devices()),
        candidates_(candidates),
        stand_in_(stand_in),
        by_(by) {}

  std::vector<DeviceUse> count() {
    for (const auto& [driver, devices] : devices_by_driver(device_state_.inventory())) {
      count(driver, devices);
    }
    for (const auto& [pool, names] : unpublished()) count_unpublished(pool, names);
    std::vector<DeviceUse> uses;
    for (auto& [name, line] : lines_) {
      line.use.name = name.first;
      if (!by_.empty()) line.use.part = name.second;
      line.use.claimed = true;
      line.use.unusable = line.idle.counts();
      uses.push_back(std::move(line.use));
    }
    return uses;
  }

 private:
  struct Line {
    DeviceUse use;
    IdleTally idle;
  };
  using PoolName = std::pair<std::string, std::string>;  // driver, pool

  void count(const std::string& driver, const std::vector<DeviceId>& devices) {
    auto asking = asking_for(candidates_, driver);
    if (asking.empty()) asking.push_back(&stand_in_);
    const IdleReasons judge(cluster_, std::move(asking), core::ResourceId{});
    by_reach_.clear();
    for (const DeviceId device : devices) count(device, judge, lines_[{driver, part_at(device)}]);
  }

  // By what label of its node the device is told.
  std::string part_at(DeviceId id) const {
    const auto reach = device_state_.inventory().device(id).reach;
    if (by_.empty() || device_state_.inventory().is_wide(reach)) return {};
    const auto node = cluster_.nodes().find(device_state_.inventory().reach(reach).node);
    return node ? part_of(cluster_.node(*node), by_) : std::string();
  }

  void count(DeviceId id, const IdleReasons& judge, Line& line) {
    const DeviceEntry& entry = device_state_.inventory().device(id);
    ++line.use.total;
    if (device_state_.ledger().held(id)) {
      ++line.use.held;
      return;
    }
    const std::string& node = device_state_.inventory().reach(entry.reach).node;
    if (const auto reason = obstacle(id, entry, judge)) {
      line.idle.add(*reason, 1, node);
    } else {
      ++line.use.usable;
    }
  }

  std::optional<IdleReason> obstacle(DeviceId id, const DeviceEntry& entry,
                                     const IdleReasons& judge) {
    if (devices::forbidding_taint(entry, {}) != nullptr) return IdleReason::unhealthy;
    if (const auto reason = obstacle_at(entry.reach, judge)) return reason;
    if (!device_state_.ledger().counters_allow(id)) return IdleReason::partition_in_use;
    return std::nullopt;
  }

  // Where devices can be used from is common to many of them.
  std::optional<IdleReason> obstacle_at(devices::ReachId reach, const IdleReasons& judge) {
    const auto [at, fresh] = by_reach_.try_emplace(reach);
    if (fresh) at->second = judge_reach(reach, judge);
    return at->second;
  }

  std::optional<IdleReason> judge_reach(devices::ReachId id, const IdleReasons& judge) const {
    const devices::Reach& reach = device_state_.inventory().reach(id);
    if (!device_state_.inventory().is_wide(id)) {
      const auto node = cluster_.nodes().find(reach.node);
      return node ? judge_node(node->index, judge) : IdleReason::node_missing;
    }
    std::optional<IdleReason> first = IdleReason::node_missing;
    bool met = false;
    cluster_.nodes().live().for_each_set([&](std::size_t node) {
      if (!first || !device_state_.places().reaches(id, static_cast<std::uint32_t>(node))) return;
      const auto reason = judge_node(node, judge);
      if (!reason || !met) first = reason;
      met = true;
    });
    return first;
  }

  static std::optional<IdleReason> judge_node(std::size_t node, const IdleReasons& judge) {
    if (judge.accepts(node)) return std::nullopt;
    return judge.reason(node, 0);
  }

  // Devices of pools that are in the middle of being published: by name, of the newest generation.
  std::map<PoolName, std::set<std::string>> unpublished() const {
    std::set<PoolName> troubled;
    for (const devices::PoolId id : device_state_.inventory().troubled_pools()) {
      const Pool& pool = device_state_.inventory().pool(id);
      troubled.emplace(pool.driver, pool.name);
    }
    std::map<PoolName, std::pair<std::int64_t, std::set<std::string>>> newest;
    for (const auto& [key, object] : cluster_.objects(model::Kind::resource_slice)) {
      const auto& slice = model::as<model::ResourceSlice>(*object);
      const PoolName name{slice.driver, slice.pool};
      if (!troubled.contains(name)) continue;
      auto& [generation, names] = newest[name];
      if (slice.generation > generation) names.clear();
      if (slice.generation < generation) continue;
      generation = slice.generation;
      for (const model::Device& device : slice.devices) names.insert(device.name);
    }
    std::map<PoolName, std::set<std::string>> all;
    for (auto& [name, known] : newest) all[name] = std::move(known.second);
    return all;
  }

  void count_unpublished(const PoolName& pool, const std::set<std::string>& names) {
    Line& line = lines_[{pool.first, {}}];
    const auto& held = held_of(pool);
    for (const std::string& name : names) {
      ++line.use.total;
      if (held.contains(name)) {
        ++line.use.held;
      } else {
        line.idle.add(IdleReason::pool_incomplete, 1, {});
      }
    }
  }

  std::set<std::string> held_of(const PoolName& pool) const {
    std::set<std::string> names;
    for (std::uint32_t i = 0; i < device_state_.inventory().device_count(); ++i) {
      const DeviceEntry& entry = device_state_.inventory().device({i});
      const Pool& of = device_state_.inventory().pool(entry.pool);
      if (of.driver == pool.first && of.name == pool.second && device_state_.ledger().held({i})) {
        names.insert(entry.name);
      }
    }
    return names;
  }

  const core::Cluster& cluster_;
  devices::DeviceState& device_state_;
  std::span<const Candidate> candidates_;
  const Candidate& stand_in_;
  const std::string& by_;
  std::map<std::pair<std::string, std::string>, Line> lines_;       // by driver and part
  std::map<devices::ReachId, std::optional<IdleReason>> by_reach_;  // of the driver being counted
};

}  // namespace

std::set<std::string> drivers_for(ClusterCopy& twin, const ImaginedGang& troupe) {
  std::set<std::string> drivers;
  if (!twin.cluster().wants_devices(troupe.pod_shape())) return drivers;
  devices::DeviceState& device_state = twin.cluster().devices();
  const auto by_driver = devices_by_driver(device_state.inventory());
  const auto claims = device_state.claims_of(*troupe.pod_class().sample);
  std::vector<const devices::ClaimPlan*> plans;
  for (const devices::ClaimId id : claims.claims) {
    plans.push_back(&device_state.plans().plan(device_state.claim(id).plan));
  }
  if (claims.extended.valid())
    plans.push_back(&device_state.questions().plan_of({{}, {}, claims.extended}));
  for (const devices::ClaimPlan* plan : plans) {
    for (const auto& request : plan->requests) {
      for (const devices::WishPlan& wish : request.wishes) {
        for (const auto& [driver, devices] : by_driver) {
          if (!drivers.contains(driver) && takes_any(device_state, wish, devices)) {
            drivers.insert(driver);
          }
        }
      }
    }
  }
  return drivers;
}

std::vector<DeviceUse> claimed_devices(ClusterCopy& twin, std::span<const Candidate> candidates,
                                       const std::string& by) {
  if (twin.cluster().devices().empty()) return {};
  const Shape nothing = empty_shape();
  const ImaginedGang troupe(twin, nothing, kStandInTroupe);
  const Candidate stand_in = candidate_of(twin, troupe);
  return ClaimedDevices(twin.cluster(), candidates, stand_in, by).count();
}

}  // namespace tutti::capacity
