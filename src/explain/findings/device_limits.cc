#include "explain/findings/device_limits.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <set>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "core/topology/domains.h"
#include "devices/device_capacity.h"
#include "devices/device_state.h"
#include "devices/inventory/confinement.h"
#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

using devices::DeviceId;
using devices::WishPlan;

constexpr std::size_t kNoLimit = std::numeric_limits<std::size_t>::max();

// Requests of one kind, summed over the claims of one pod.
struct Ask {
  const devices::RequestPlan* request;
  std::vector<std::size_t> each;  // by alternative
  bool shared = false;            // of claims that other pods may use as well
  std::vector<std::pair<devices::ClaimId, std::size_t>> claims = {};  // of shared ones: devices
};

bool alike(const WishPlan& a, const WishPlan& b) {
  const auto kind = [](const WishPlan& wish) {
    return std::tie(wish.device_class, wish.selectors, wish.tolerations, wish.capacity);
  };
  return kind(a) == kind(b);
}

bool is_countable(const devices::RequestPlan& request) {
  return !request.wishes.empty() && std::ranges::none_of(request.wishes, [](const WishPlan& wish) {
    return wish.all || wish.admin;
  });
}

// What nodes may advertise instead is counted with resources.
std::vector<Ask> asks_of(const core::Cluster& cluster, core::PodId pod) {
  const auto& device_state = cluster.devices();
  std::vector<Ask> asks;
  for (const auto& wanted : device_state.claims_of(*cluster.pod(pod).object).open) {
    if (wanted.extended.valid()) continue;
    const auto& plan = device_state.questions().plan_of(wanted);
    if (!plan.problem.empty()) continue;
    for (const auto& request : plan.requests) {
      if (!is_countable(request)) continue;
      const bool shared = wanted.claim.valid();
      auto same = std::ranges::find_if(asks, [&](const Ask& ask) {
        return ask.shared == shared &&
               std::ranges::equal(ask.request->wishes, request.wishes, alike);
      });
      if (same == asks.end()) {
        asks.push_back({&request, std::vector<std::size_t>(request.wishes.size(), 0), shared});
        same = asks.end() - 1;
      }
      for (std::size_t i = 0; i < request.wishes.size(); ++i) {
        same->each[i] += request.wishes[i].count;
      }
      if (shared) same->claims.emplace_back(wanted.claim, request.wishes.front().count);
    }
  }
  return asks;
}

std::vector<DeviceId> devices_at(const core::Cluster& cluster, std::size_t node) {
  const auto& device_state = cluster.devices();
  return devices::devices_at(device_state.inventory(), device_state.places(),
                             static_cast<devices::NodeIndex>(node));
}

// Counts devices that would do were nothing in use and all well; kNoLimit where one may be shared.
std::size_t usable(const core::Cluster& cluster, const WishPlan& wish,
                   std::span<const DeviceId> devices) {
  auto& device_state = cluster.devices();
  const auto many = [&](DeviceId id) {
    return device_state.inventory().device(id).device->allow_multiple;
  };
  if (std::ranges::any_of(devices, many)) return kNoLimit;
  const auto counts = devices::tally(device_state, wish, devices);
  return counts.suitable() + counts.unhealthy.size() + counts.failed;
}

// What some devices, or those of some nodes, come to.
struct Holding {
  std::size_t pods = 0;     // that they could serve at most
  std::size_t devices = 0;  // of the alternative of which there are most
  std::size_t rarest = 0;   // of that of which there are fewest
  std::size_t most_on_one_node = 0;
};

Holding count(const core::Cluster& cluster, const Ask& ask, std::span<const DeviceId> devices) {
  Holding holding;
  for (std::size_t i = 0; i < ask.each.size(); ++i) {
    const std::size_t here = usable(cluster, ask.request->wishes[i], devices);
    if (here == kNoLimit) return {kNoLimit, kNoLimit, kNoLimit, kNoLimit};
    holding.pods += here / std::max<std::size_t>(1, ask.each[i]);
    holding.devices = std::max(holding.devices, here);
    holding.rarest = i == 0 ? here : std::min(holding.rarest, here);
  }
  return holding;
}

// Counts over the nodes together, and node by node. Devices that several nodes can use count once
// in all. `may_use`: whether a device of the node counts.
template <typename MayUse>
Holding count_nodes(const core::Cluster& cluster, const Ask& ask, const Bitset& nodes,
                    const MayUse& may_use) {
  std::set<DeviceId> all;
  std::size_t by_node = 0;
  std::size_t most = 0;
  nodes.for_each_set([&](std::size_t node) {
    auto here = devices_at(cluster, node);
    std::erase_if(here, [&](DeviceId device) { return !may_use(node, device); });
    const Holding holding = count(cluster, ask, here);
    by_node = holding.pods == kNoLimit || by_node == kNoLimit ? kNoLimit : by_node + holding.pods;
    most = std::max(most, holding.devices);
    all.insert(here.begin(), here.end());
  });
  Holding holding = count(cluster, ask, std::vector<DeviceId>(all.begin(), all.end()));
  holding.pods = std::min(holding.pods, by_node);
  holding.most_on_one_node = most;
  return holding;
}

// In the domain that could serve the most.
Holding count_best_domain(const core::Cluster& cluster, const Ask& ask, const std::string& key) {
  Holding best;
  auto& device_state = cluster.devices();
  for (const auto& domain : core::domains_within(cluster, key, cluster.nodes().live())) {
    const auto inside = [&](std::size_t node, DeviceId device) {
      if (!domain.confinement.valid()) return true;
      const auto bounds = device_state.confined_pods().bounds_at(
          domain.confinement, static_cast<devices::NodeIndex>(node));
      return devices::lies_within(device_state.inventory(), device, bounds);
    };
    const Holding here = count_nodes(cluster, ask, domain.nodes, inside);
    if (here.pods > best.pods) best = here;
  }
  return best;
}

std::string title(const Ask& ask) {
  std::vector<std::string> parts;
  for (const WishPlan& wish : ask.request->wishes) {
    const bool chosen = wish.selectors.size() > wish.class_selectors;
    auto part =
        fmt::format("of class {}{}", wish.device_class, chosen ? " that its selectors take" : "");
    if (std::ranges::find(parts, part) == parts.end()) parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, ", or "));
}

std::optional<DeviceLimit> limit_of(const core::Cluster& cluster, const Demand& demand,
                                    const Ask& ask, std::size_t pods) {
  const auto any = [](std::size_t, DeviceId) { return true; };
  const Holding all = count_nodes(cluster, ask, cluster.nodes().live(), any);
  if (all.rarest == 0) return std::nullopt;
  DeviceLimit limit;
  limit.devices = title(ask);
  limit.each = std::ranges::min(ask.each);
  limit.pods = pods;
  limit.need = limit.each * pods;
  limit.have = all.devices;
  limit.served = all.pods;
  if (all.most_on_one_node < limit.each) {
    limit.need = limit.each;
    limit.have = all.most_on_one_node;
    return limit;
  }
  if (all.pods < pods) {
    const bool short_in_total = limit.have < limit.need;
    limit.reach = short_in_total ? DeviceLimit::Reach::cluster : DeviceLimit::Reach::shape;
    return limit;
  }
  const std::string& key = demand.topology_key;
  if (key.empty() || !cluster.group_domains(key).any()) return std::nullopt;
  const Holding best = count_best_domain(cluster, ask, key);
  if (best.pods >= pods) return std::nullopt;
  limit.reach = DeviceLimit::Reach::domain;
  limit.have = best.devices;
  limit.served = best.pods;
  return limit;
}

// What members of different kinds want of the same devices, in all.
struct Total {
  core::PodId pod;
  const Ask* ask;
  std::size_t pods = 0;
  std::size_t devices = 0;
  std::set<devices::ClaimId> claims = {};  // shared ones that are counted
};

std::optional<DeviceLimit> limit_of(const core::Cluster& cluster, const Total& total) {
  const auto any = [](std::size_t, DeviceId) { return true; };
  const Holding all = count_nodes(cluster, *total.ask, cluster.nodes().live(), any);
  if (all.devices == 0 || all.devices >= total.devices) return std::nullopt;
  DeviceLimit limit;
  limit.reach = DeviceLimit::Reach::cluster;
  limit.pod = total.pod;
  limit.devices = title(*total.ask);
  limit.pods = total.pods;
  limit.need = total.devices;
  limit.have = all.devices;
  return limit;
}

// Adds what members have no alternative to. A claim that several of them use counts once.
void add_to(std::vector<Total>& totals, core::PodId pod, const Ask& ask, std::size_t pods) {
  if (ask.each.size() != 1) return;
  auto same = std::ranges::find_if(totals, [&](const Total& total) {
    return alike(total.ask->request->wishes.front(), ask.request->wishes.front());
  });
  if (same == totals.end()) same = totals.insert(same, {pod, &ask});
  same->pods += pods;
  if (!ask.shared) same->devices += pods * ask.each.front();
  for (const auto& [claim, devices] : ask.claims) {
    if (same->claims.insert(claim).second) same->devices += devices;
  }
}

}  // namespace

std::optional<DeviceLimit> device_limit(const core::Cluster& cluster, const Demand& demand) {
  if (!cluster.devices().inventory().troubled_pools().empty()) return std::nullopt;
  const Demand everyone = whole(cluster, demand);
  std::vector<std::pair<const MemberClass*, std::vector<Ask>>> asks;
  for (const MemberClass& members : everyone.classes) {
    const bool counts =
        cluster.wants_devices(members.sample) && indispensable(everyone, members) > 0;
    if (counts) asks.emplace_back(&members, asks_of(cluster, members.sample));
  }
  std::vector<Total> totals;
  for (const auto& [members, wanted] : asks) {
    const std::size_t pods = indispensable(everyone, *members);
    for (const Ask& ask : wanted) {
      auto limit = limit_of(cluster, everyone, ask, ask.shared ? 1 : pods);
      if (limit) {
        limit->pod = members->sample;
        return limit;
      }
      add_to(totals, members->sample, ask, pods);
    }
  }
  if (asks.size() < 2) return std::nullopt;
  for (const Total& total : totals) {
    if (auto limit = limit_of(cluster, total)) return limit;
  }
  return std::nullopt;
}

std::string sentence_of(const core::Cluster& cluster, const Demand& demand,
                        const DeviceLimit& limit) {
  const auto nodes = counted(cluster.nodes().count(), "node");
  const bool one = cluster.nodes().count() == 1;
  const auto& meta = cluster.pod(limit.pod).object->meta;
  const std::string who =
      demand.classes.size() == 1 ? std::string() : fmt::format("pod {}/{} ", meta.ns, meta.name);
  const auto much = [&](std::size_t devices) {
    return fmt::format("{} {}", counted(devices, "device"), limit.devices);
  };
  if (limit.reach == DeviceLimit::Reach::node) {
    return fmt::format("{}needs {} on one node; the largest of {} has {}", who, much(limit.each),
                       nodes, limit.have);
  }
  if (limit.each == 0) {
    return fmt::format("needs {} for {}; even when empty, {} {} {}", much(limit.need),
                       counted(limit.pods, "pod"), nodes, one ? "has" : "have", limit.have);
  }
  const std::string wanted =
      limit.pods == 1 ? fmt::format("needs {}", much(limit.each))
                      : fmt::format("needs {} pods with {} each", limit.pods, much(limit.each));
  if (limit.reach == DeviceLimit::Reach::domain) {
    return fmt::format(
        "{} in one domain of {}; even when empty, no domain could serve more than {}", wanted,
        demand.topology_key, counted(limit.served, "pod"));
  }
  if (limit.reach == DeviceLimit::Reach::shape) {
    return fmt::format("{}; even when empty, {} could serve {}, with {} in all", wanted, nodes,
                       counted(limit.served, "pod"), limit.have);
  }
  return fmt::format("{}, {} in all; even when empty, {} {} {}", wanted, limit.need, nodes,
                     one ? "has" : "have", limit.have);
}

}  // namespace tutti::explain
