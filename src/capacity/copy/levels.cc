#include "capacity/copy/levels.h"

#include <algorithm>
#include <array>
#include <set>
#include <string_view>
#include <tuple>
#include <utility>

#include "core/topology/topology_request.h"
#include "model/device.h"
#include "model/topology.h"

namespace tutti::capacity {
namespace {

using Keys = std::set<std::string, std::less<>>;

constexpr std::array<std::string_view, 16> kPlaces = {
    "region", "zone", "datacenter", "block",  "rack",   "row",    "cell",   "switch",
    "spine",  "leaf", "nvlink",     "fabric", "island", "clique", "domain", "hostname"};

// What client libraries of before 1.17 read; the same as topology.kubernetes.io.
constexpr std::string_view kOldKeys = "failure-domain.beta.kubernetes.io/";

bool names_a_place(std::string_view key) {
  if (key.starts_with(kOldKeys)) return false;
  const std::string_view word = key.substr(key.rfind('/') + 1);
  return std::ranges::any_of(
      kPlaces, [&](std::string_view place) { return word.find(place) != std::string_view::npos; });
}

void add_labels(const core::Cluster& cluster, Keys& keys) {
  cluster.nodes().live().for_each_set([&](std::size_t i) {
    for (const auto& [key, value] : cluster.node({static_cast<std::uint32_t>(i)}).meta.labels) {
      if (names_a_place(key) && !keys.contains(key)) keys.insert(key);
    }
  });
}

void add_attributes(const core::Cluster& cluster, Keys& keys) {
  std::set<std::pair<std::string_view, std::string_view>> seen;  // driver, name
  const auto add = [&](std::string_view driver, const std::string& name) {
    if (!seen.emplace(driver, name).second || !names_a_place(name)) return;
    keys.insert(name.find('/') != std::string::npos ? name : std::string(driver) + "/" + name);
  };
  for (const auto& [name, object] : cluster.objects(model::Kind::resource_slice)) {
    const auto& slice = model::as<model::ResourceSlice>(*object);
    for (const auto& device : slice.devices) {
      for (const auto& attribute : device.attributes) add(slice.driver, attribute.name);
    }
  }
}

void add_topologies(const core::Cluster& cluster, Keys& keys) {
  for (const auto& [name, object] : cluster.objects(model::Kind::topology)) {
    const auto& levels = model::as<model::Topology>(*object).levels;
    keys.insert(levels.begin(), levels.end());
  }
}

void add_groups(const core::GroupTable& groups, Keys& keys) {
  for (std::uint32_t i = 0; i < groups.slots(); ++i) {
    if (groups.alive({i}) && groups[{i}].seen()) keys.insert(groups[{i}].spec().topology_key);
  }
}

void add_pods(const core::Cluster& cluster, Keys& keys) {
  for (std::uint32_t i = 0; i < cluster.pods().slots(); ++i) {
    const auto& pod = cluster.pod({i}).object;
    if (!pod || pod->meta.annotations.empty()) continue;
    const auto request = core::topology_request(*pod);
    if (request.ok()) keys.insert({request->required, request->preferred, request->slice_key});
  }
}

std::size_t live_domains(const core::Cluster& cluster, const std::string& key) {
  const auto& counts = cluster.group_domains(key).node_count;
  return static_cast<std::size_t>(
      std::ranges::count_if(counts, [](std::uint32_t nodes) { return nodes > 0; }));
}

}  // namespace

std::vector<Level> levels_of(const core::Scheduler& scheduler, std::span<const std::string> asked) {
  const core::Cluster& cluster = scheduler.cluster();
  Keys keys(asked.begin(), asked.end());
  add_labels(cluster, keys);
  add_attributes(cluster, keys);
  add_topologies(cluster, keys);
  add_groups(scheduler.groups(), keys);
  add_pods(cluster, keys);
  std::vector<Level> levels = {{}};
  for (const std::string& key : keys) {
    const std::size_t domains = key.empty() ? 0 : live_domains(cluster, key);
    if (domains > 0) levels.push_back({key, domains});
  }
  std::ranges::sort(levels, {}, [](const Level& level) {
    return std::tuple(!level.key.empty(), level.domains, level.key);
  });
  return levels;
}

}  // namespace tutti::capacity
