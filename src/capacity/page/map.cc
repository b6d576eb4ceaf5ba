#include "capacity/page/map.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/text.h"
#include "core/topology/domains.h"
#include "devices/device_state.h"

namespace tutti::capacity {
namespace {

// The widest key that divides the nodes and the narrowest that still joins some.
std::vector<std::string> nesting(const Report& report) {
  std::vector<std::string> keys;
  for (const Level& level : report.levels) {
    const bool divides = level.domains > 1 && level.domains < report.nodes;
    if (!level.key.empty() && divides) keys.push_back(level.key);
  }
  if (keys.size() > 2) keys = {keys.front(), keys.back()};
  return keys;
}

// Lone pods that nobody made are told together.
std::string holder_name(const core::GroupTable& groups, const model::Pod& pod,
                        const NameInUse& name_in_use) {
  const auto leaf = groups.find(pod.meta.ns, pod.spec->scheduling_group, false);
  if (pod.spec->scheduling_group.empty() || !leaf) {
    const std::string own = fmt::format("Pod {}/{}", pod.meta.ns, pod.meta.name);
    const std::string name = name_in_use ? name_in_use(own) : own;
    return name == own ? "pods of " + pod.meta.ns : name;
  }
  const core::Group& root = groups[groups.root_of(*leaf).value_or(*leaf)];
  const std::string own = fmt::format("{} {}/{}", root.composite ? "CompositePodGroup" : "PodGroup",
                                      root.ns, root.name);
  return name_in_use ? name_in_use(own) : own;
}

// What pods share that are told together: their group, or the object that made them.
std::string kin_of(const model::Pod& pod) {
  if (!pod.spec->scheduling_group.empty()) return "group " + pod.spec->scheduling_group;
  for (const auto& owner : pod.meta.owners) {
    if (owner.controller) return "owner " + owner.uid;
  }
  return {};
}

class Drawer {
 public:
  Drawer(const core::Scheduler& scheduler, const Report& report, const NameInUse& name_in_use)
      : scheduler_(scheduler),
        cluster_(scheduler.cluster()),
        report_(report),
        name_in_use_(name_in_use) {}

  Map draw() {
    map_.keys = nesting(report_);
    find_idle();
    count_claimed();
    cluster_.nodes().live().for_each_set([&](std::size_t i) { add_node(i); });
    name_holders();
    sort(map_.whole);
    return std::move(map_);
  }

 private:
  struct Idle {
    std::int64_t devices = 0;
    std::string_view why;  // of the most
    std::size_t most = 0;
  };

  void find_idle() {
    for (const DeviceUse& use : report_.devices) {
      for (const IdleCount& count : use.unusable) {
        for (const auto& [node, devices] : count.places) {
          Idle& idle = idle_[node];
          idle.devices += static_cast<std::int64_t>(devices);
          if (devices > idle.most) idle.most = devices, idle.why = text(count.reason);
        }
      }
    }
  }

  // Devices of slices that belong to one node.
  void count_claimed() {
    const devices::Inventory& inventory = cluster_.devices().inventory();
    for (std::uint32_t i = 0; i < inventory.device_count(); ++i) {
      const devices::DeviceEntry& entry = inventory.device({i});
      if (entry.device != nullptr && !inventory.is_wide(entry.reach)) {
        ++claimed_[inventory.reach(entry.reach).node];
      }
    }
  }

  std::int64_t devices_on(std::size_t node) const {
    std::int64_t devices = 0;
    for (std::uint32_t i = 0; i < cluster_.resources().count(); ++i) {
      if (counts_devices(cluster_.resources().name({i}))) {
        devices += cluster_.resources().offered({i}, {static_cast<std::uint32_t>(node)});
      }
    }
    const auto at = claimed_.find(cluster_.node_name({static_cast<std::uint32_t>(node)}));
    return devices + (at == claimed_.end() ? 0 : at->second);
  }

  void add_node(std::size_t i) {
    const core::NodeId id{static_cast<std::uint32_t>(i)};
    MapNode node;
    node.name = cluster_.node_name(id);
    node.total = devices_on(i);
    node.in_devices = node.total > 0;
    if (!node.in_devices) node.total = cluster_.resources().allocatable(core::kCpu)[i];
    std::map<std::size_t, std::int64_t> parts;
    for (const core::PodId pod : cluster_.pods().on(id)) add_pod(pod, node.in_devices, parts);
    for (const auto& [holder, amount] : parts) {
      if (amount > 0) node.parts.push_back({holder, amount});
    }
    if (const auto at = idle_.find(node.name); node.in_devices && at != idle_.end()) {
      node.unusable = at->second.devices;
      node.why = at->second.why;
    } else if (cluster_.node(id).unschedulable) {
      node.unusable = node.total - std::min(node.total, cluster_.resources().used(core::kCpu)[i]);
      node.why = text(IdleReason::node_cordoned);
    }
    place_of(cluster_.node(id)).nodes.push_back(std::move(node));
  }

  void add_pod(core::PodId pod, bool in_devices, std::map<std::size_t, std::int64_t>& parts) {
    const core::PodEntry& entry = cluster_.pod(pod);
    const std::size_t holder = holder_of(*entry.object);
    DeviceCounts counts;
    add_devices_of(cluster_, pod, seen_, counts);
    std::int64_t devices = 0;
    for (const auto& [name, count] : counts) devices += static_cast<std::int64_t>(count);
    map_.holders[holder].devices += devices;
    ++map_.holders[holder].pods;
    parts[holder] += in_devices ? devices : cluster_.shape(entry.shape).request(core::kCpu);
  }

  std::size_t holder_of(const model::Pod& pod) {
    const auto key = std::pair(pod.meta.ns, kin_of(pod));
    const auto [at, fresh] = holders_.try_emplace(key, map_.holders.size());
    if (!fresh) return at->second;
    std::string name = holder_name(scheduler_.groups(), pod, name_in_use_);
    const auto [named, first] = by_name_.try_emplace(std::move(name), map_.holders.size());
    if (first) map_.holders.push_back({named->first});
    return at->second = named->second;
  }

  MapDomain& place_of(const model::Node& node) {
    MapDomain* at = &map_.whole;
    for (const std::string& key : map_.keys) {
      const auto wanted = core::domain_at(cluster_, key, node.meta.name).value_or("");
      auto inner = std::ranges::find(at->inside, wanted, &MapDomain::value);
      if (inner == at->inside.end()) inner = at->inside.insert(inner, {wanted, {}, {}});
      at = &*inner;
    }
    return *at;
  }

  // Holders are numbered as they are met; those that hold most come first on the page.
  void name_holders() {
    std::vector<std::size_t> order(map_.holders.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::ranges::sort(order, {}, [&](std::size_t i) {
      const MapHolder& holder = map_.holders[i];
      return std::tuple(-holder.devices, -static_cast<std::int64_t>(holder.pods), holder.name);
    });
    rank_.resize(order.size());
    std::vector<MapHolder> sorted;
    for (std::size_t i = 0; i < order.size(); ++i) {
      rank_[order[i]] = i;
      sorted.push_back(std::move(map_.holders[order[i]]));
    }
    map_.holders = std::move(sorted);
  }

  void sort(MapDomain& domain) {
    std::ranges::sort(domain.inside, comes_before, &MapDomain::value);
    for (MapDomain& inner : domain.inside) sort(inner);
    std::ranges::sort(domain.nodes, comes_before, &MapNode::name);
    for (MapNode& node : domain.nodes) {
      for (MapNode::Part& part : node.parts) part.holder = rank_[part.holder];
      std::ranges::sort(node.parts, {}, [](const MapNode::Part& part) {
        return std::tuple(-part.amount, part.holder);
      });
    }
  }

  const core::Scheduler& scheduler_;
  const core::Cluster& cluster_;
  const Report& report_;
  const NameInUse& name_in_use_;
  Map map_;
  std::map<std::string, Idle> idle_;             // by node
  std::map<std::string, std::int64_t> claimed_;  // devices of slices, by node
  std::set<devices::ClaimId> seen_;
  std::map<std::pair<std::string, std::string>, std::size_t> holders_;  // by namespace and kin
  std::map<std::string, std::size_t> by_name_;
  std::vector<std::size_t> rank_;  // where a holder went
};

}  // namespace

Map make_map(const core::Scheduler& scheduler, const Report& report, const NameInUse& name_in_use) {
  return Drawer(scheduler, report, name_in_use).draw();
}

}  // namespace tutti::capacity
