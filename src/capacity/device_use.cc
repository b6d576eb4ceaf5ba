#include "capacity/device_use.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <utility>

#include "base/text.h"
#include "capacity/claimed_devices.h"
#include "capacity/idle_reason.h"
#include "capacity/idle_tally.h"

namespace tutti::capacity {
namespace {

struct Words {
  std::string_view name;
  std::string_view text;
};
constexpr std::array<Words, kIdleReasons> kWords = {{
    {"unhealthy", "unhealthy"},
    {"poolIncomplete", "their pool is not published completely"},
    {"nodeMissing", "their node does not exist"},
    {"nodeNotReady", "their node is not ready"},
    {"nodeCordoned", "their node is cordoned"},
    {"nodeTainted", "no work tolerates their node's taints"},
    {"excluded", "no work may go to their node"},
    {"tooFewLeft", "fewer left on their node than any work asks for"},
    {"claimsUnserved", "what is claimed together with them is not free on their node"},
    {"noCpu", "no cpu left beside them"},
    {"noMemory", "no memory left beside them"},
    {"noPodSlots", "no pod slot left beside them"},
    {"noOtherResource", "another resource is used up beside them"},
    {"partitionInUse", "another partition of the same hardware is in use"},
}};

std::vector<const Candidate*> asking_for(std::span<const Candidate> candidates,
                                         core::ResourceId resource) {
  std::vector<const Candidate*> asking;
  for (const Candidate& candidate : candidates) {
    if (candidate.shape.request(resource) > 0) asking.push_back(&candidate);
  }
  return asking;
}

// Extended resources of one name over all nodes.
class ResourceCounter {
 public:
  ResourceCounter(const core::Cluster& cluster, core::ResourceId resource, const IdleReasons& judge,
                  const std::string& by)
      : cluster_(cluster),
        resource_(resource),
        judge_(judge),
        by_(by),
        name_(cluster.resources().name(resource)) {}

  // A line for every value of the label that nodes with such devices have.
  std::vector<DeviceUse> count() {
    cluster_.nodes().live().for_each_set([&](std::size_t node) { count(node); });
    std::vector<DeviceUse> uses;
    for (auto& [part, line] : lines_) {
      line.use.name = name_;
      if (!by_.empty()) line.use.part = part;
      line.use.unusable = line.idle.counts();
      if (line.use.total > 0) uses.push_back(std::move(line.use));
    }
    return uses;
  }

 private:
  // A node offers what is healthy; what it has beyond that is not.
  std::int64_t installed(const model::Node& node, std::int64_t offered) const {
    const Quantity* capacity = model::find(node.capacity, name_);
    return std::max(offered, capacity == nullptr ? 0 : capacity->units());
  }

  void count(std::size_t i) {
    const model::Node& node = cluster_.node({static_cast<std::uint32_t>(i)});
    const std::int64_t offered =
        cluster_.resources().offered(resource_, {static_cast<std::uint32_t>(i)});
    const std::int64_t total = installed(node, offered);
    const std::int64_t held =
        std::clamp<std::int64_t>(cluster_.resources().used(resource_)[i], 0, total);
    const std::int64_t idle = std::max<std::int64_t>(0, offered - held);
    if (total == 0) return;
    Line& line = lines_[part_of(node, by_)];
    const auto add = [&](IdleReason reason, std::int64_t devices) {
      line.idle.add(reason, static_cast<std::size_t>(devices), node.meta.name);
    };
    line.use.total += static_cast<std::size_t>(total);
    line.use.held += static_cast<std::size_t>(held);
    add(IdleReason::unhealthy, total - held - idle);
    if (idle == 0) return;
    const std::int64_t usable = judge_.usable(i, idle);
    line.use.usable += static_cast<std::size_t>(usable);
    if (usable < idle) add(judge_.reason(i, usable), idle - usable);
  }

  struct Line {
    DeviceUse use;
    IdleTally idle;
  };

  const core::Cluster& cluster_;
  core::ResourceId resource_;
  const IdleReasons& judge_;
  const std::string& by_;
  std::string name_;
  std::map<std::string, Line, decltype(&comes_before)> lines_{&comes_before};  // by part
};

std::vector<DeviceUse> count_resource(ClusterCopy& twin, core::ResourceId resource,
                                      std::span<const Candidate> candidates,
                                      const std::string& by) {
  auto asking = asking_for(candidates, resource);
  if (!asking.empty()) {
    const IdleReasons judge(twin.cluster(), std::move(asking), resource);
    return ResourceCounter(twin.cluster(), resource, judge, by).count();
  }
  const Shape alone = lone_device(twin.cluster().resources().name(resource));
  const ImaginedGang troupe(twin, alone, kStandInTroupe);
  const Candidate stand_in = candidate_of(twin, troupe);
  const IdleReasons judge(twin.cluster(), {&stand_in}, resource);
  return ResourceCounter(twin.cluster(), resource, judge, by).count();
}

}  // namespace

std::string_view name(IdleReason reason) { return kWords[static_cast<std::size_t>(reason)].name; }
std::string_view text(IdleReason reason) { return kWords[static_cast<std::size_t>(reason)].text; }

std::string places_text(const IdleCount& idle) {
  constexpr std::size_t kShown = 5;
  std::string text;
  for (std::size_t i = 0; i < std::min(kShown, idle.places.size()); ++i) {
    text += (i == 0 ? "" : ", ") + idle.places[i].node;
  }
  if (idle.places.size() <= kShown) return text;
  return text + fmt::format(" and {} more", idle.places.size() - kShown);
}

Candidate candidate_of(ClusterCopy& twin, const ImaginedGang& troupe) {
  return {troupe, troupe.pod_shape(), troupe.counts(),
          refusals(twin.cluster(), troupe.profile(), troupe.pod_class()),
          drivers_for(twin, troupe)};
}

bool counts_devices(std::string_view resource) {
  const std::size_t slash = resource.find('/');
  if (slash == std::string_view::npos) return false;
  const std::string_view domain = resource.substr(0, slash);
  return domain != "kubernetes.io" && !domain.ends_with(".kubernetes.io");
}

std::string part_of(const model::Node& node, const std::string& by) {
  const std::string* value = by.empty() ? nullptr : model::find(node.meta.labels, by);
  return value == nullptr ? std::string() : *value;
}

std::vector<DeviceUse> device_use(ClusterCopy& twin, std::span<const Candidate> candidates,
                                  const std::string& by) {
  std::map<std::string, core::ResourceId> resources;
  for (std::uint32_t i = 0; i < twin.cluster().resources().count(); ++i) {
    const std::string resource(twin.cluster().resources().name({i}));
    if (counts_devices(resource)) resources.emplace(resource, core::ResourceId{i});
  }
  std::vector<DeviceUse> uses;
  for (const auto& [resource, id] : resources) {
    std::ranges::move(count_resource(twin, id, candidates, by), std::back_inserter(uses));
  }
  std::ranges::move(claimed_devices(twin, candidates, by), std::back_inserter(uses));
  return uses;
}

}  // namespace tutti::capacity
