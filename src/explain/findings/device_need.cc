#include "explain/findings/device_need.h"

#include <algorithm>
#include <set>
#include <tuple>

#include "devices/device_state.h"

namespace tutti::explain {
namespace {

using devices::DeviceId;
using devices::WishPlan;

std::vector<DeviceId> devices_of(const core::Cluster& cluster, std::size_t node) {
  const auto& device_state = cluster.devices();
  return devices::devices_at(device_state.inventory(), device_state.places(),
                             static_cast<devices::NodeIndex>(node));
}

// Devices that some of the nodes can use, each once.
std::vector<DeviceId> devices_of(const core::Cluster& cluster, const Bitset& nodes) {
  std::vector<DeviceId> all;
  nodes.for_each_set([&](std::size_t node) {
    const auto here = devices_of(cluster, node);
    all.insert(all.end(), here.begin(), here.end());
  });
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool same_kind(const WishPlan& a, const WishPlan& b) {
  const auto kind = [](const WishPlan& wish) {
    return std::tie(wish.device_class, wish.selectors, wish.all, wish.admin, wish.tolerations,
                    wish.capacity);
  };
  return kind(a) == kind(b);
}

// A request as the culprit writes it, and how much of its kind is asked for.
struct Sum {
  const devices::ClaimPlan* plan;
  const devices::RequestPlan* request;
  std::vector<std::size_t> each;  // by alternative: for the culprit
  std::vector<std::size_t> need;  // for everyone
  std::size_t claims = 0;
  std::set<std::size_t> sizes;  // of these claims, by their first alternative
};

bool same_request(const Sum& sum, const devices::RequestPlan& request) {
  return std::ranges::equal(sum.request->wishes, request.wishes, same_kind);
}

Sum* find(std::vector<Sum>& sums, const devices::RequestPlan& request) {
  const auto same =
      std::ranges::find_if(sums, [&](const Sum& sum) { return same_request(sum, request); });
  return same == sums.end() ? nullptr : &*same;
}

std::vector<Sum> requests_of(const core::Cluster& cluster, core::PodId pod) {
  const auto& device_state = cluster.devices();
  std::vector<Sum> sums;
  for (const auto& wanted : device_state.claims_of(*cluster.pod(pod).object).open) {
    const auto& plan = device_state.questions().plan_of(wanted);
    for (const auto& request : plan.requests) {
      Sum* sum = find(sums, request);
      if (sum == nullptr) {
        const std::vector<std::size_t> none(request.wishes.size(), 0);
        sum = &sums.emplace_back(Sum{&plan, &request, none, none, 0, {}});
      }
      for (std::size_t i = 0; i < request.wishes.size(); ++i) {
        sum->each[i] += request.wishes[i].count;
      }
    }
  }
  return sums;
}

// What `pods` pods like this one add; a claim that pods share is counted once.
void add_pods(const core::Cluster& cluster, core::PodId pod, std::size_t pods,
              std::set<std::uint32_t>& shared, std::vector<Sum>& sums) {
  const auto& device_state = cluster.devices();
  for (const auto& wanted : device_state.claims_of(*cluster.pod(pod).object).open) {
    if (wanted.claim.valid() && !shared.insert(wanted.claim.index).second) continue;
    const std::size_t times = wanted.claim.valid() ? 1 : pods;
    std::vector<std::size_t> here(sums.size(), 0);
    for (const auto& request : device_state.questions().plan_of(wanted).requests) {
      Sum* sum = find(sums, request);
      if (sum == nullptr) continue;
      for (std::size_t i = 0; i < request.wishes.size(); ++i) {
        sum->need[i] += request.wishes[i].count * times;
      }
      here[static_cast<std::size_t>(sum - sums.data())] += request.wishes.front().count;
    }
    for (std::size_t i = 0; i < sums.size(); ++i) {
      if (here[i] == 0) continue;
      sums[i].claims += times;
      sums[i].sizes.insert(here[i]);
    }
  }
}

// Where the pods of the class could go but for devices; nowhere: all nodes, for the sake of
// numbers.
Bitset reachable(const core::Cluster& cluster, const MemberClass& members) {
  Bitset open = members.survey->accepted_but_for(Blocker::devices);
  return open.any() ? open : cluster.nodes().live();
}

// "All" is as many as a node has; the node that lacks the fewest speaks for all.
void count_whole_nodes(const core::Cluster& cluster, const Bitset& nodes, DeviceKind& kind) {
  std::optional<std::size_t> least;
  nodes.for_each_set([&](std::size_t node) {
    const auto here = devices::tally(cluster.devices(), *kind.wish, devices_of(cluster, node));
    const std::size_t matching = here.suitable() + here.unfit + here.unhealthy.size();
    if (matching == 0 || (least && matching - here.free >= *least)) return;
    least = matching - here.free;
    kind.nearest = {static_cast<std::uint32_t>(node)};
    kind.each = kind.need = matching;
    kind.usable = kind.most = here.free;
  });
  if (!least) kind.each = kind.need = 1;
  kind.served = kind.usable < kind.need ? 0 : 1;
}

void count_by_node(const core::Cluster& cluster, const Bitset& nodes, DeviceKind& kind) {
  kind.usable = devices::tally(cluster.devices(), *kind.wish, devices_of(cluster, nodes)).free;
  if (kind.short_in_total()) return;
  nodes.for_each_set([&](std::size_t node) {
    const auto here = devices::tally(cluster.devices(), *kind.wish, devices_of(cluster, node));
    kind.most = std::max(kind.most, here.free);
    kind.served += here.free / std::max<std::size_t>(1, kind.each);
  });
}

DeviceNeed counted_over(const core::Cluster& cluster, const std::vector<DeviceId>& all,
                        const Bitset& nodes, const Sum& sum) {
  DeviceNeed made;
  made.plan = sum.plan;
  made.claims = sum.claims;
  made.claim_size = sum.sizes.size() == 1 ? *sum.sizes.begin() : 0;
  for (std::size_t i = 0; i < sum.request->wishes.size(); ++i) {
    DeviceKind kind;
    kind.wish = &sum.request->wishes[i];
    kind.each = sum.each[i];
    kind.need = sum.need[i];
    kind.counts = devices::tally(cluster.devices(), *kind.wish, all);
    kind.wish->all ? count_whole_nodes(cluster, nodes, kind) : count_by_node(cluster, nodes, kind);
    made.kinds.push_back(std::move(kind));
  }
  return made;
}

// How far from being served: the more, the more so.
auto hardness(const DeviceKind& kind, std::size_t pods) {
  const auto lacking =
      static_cast<std::int64_t>(kind.need) - static_cast<std::int64_t>(kind.usable);
  return std::tuple(kind.short_in_total(), kind.most < kind.each, kind.served < pods, lacking);
}

}  // namespace

bool DeviceNeed::fragmented() const {
  const DeviceKind& it = kind();
  if (it.wish->all || it.counts.failed > 0 || !plan->constraints.empty()) return false;
  return !it.short_in_total() && (it.most < it.each || it.served < pods);
}

std::optional<DeviceNeed> device_need(const core::Cluster& cluster, const Demand& demand,
                                      core::PodId culprit) {
  if (!cluster.devices().claims_of(*cluster.pod(culprit).object).problem.empty()) {
    return std::nullopt;
  }
  auto sums = requests_of(cluster, culprit);
  // In a gang with surplus members nobody knows which are to have theirs: only the culprit's count.
  const bool everyone = waiting_pods(demand) == asked_pods(demand);
  std::set<std::uint32_t> shared;
  const MemberClass* own = nullptr;
  for (const MemberClass& members : demand.classes) {
    const bool alike = cluster.pod(members.sample).shape == cluster.pod(culprit).shape;
    if (alike && own == nullptr) own = &members;
    if (!alike && !everyone) continue;
    add_pods(cluster, members.sample, std::min(members.count, asked_pods(demand)), shared, sums);
  }
  if (own == nullptr) return std::nullopt;
  const Bitset nodes = reachable(cluster, *own);
  const auto all = devices_of(cluster, cluster.nodes().live());
  std::optional<DeviceNeed> hardest;
  for (const Sum& sum : sums) {
    DeviceNeed need = counted_over(cluster, all, nodes, sum);
    // Pods that share a claim need not be served one by one.
    need.pods = shared.empty() ? std::min(own->count, asked_pods(demand)) : 1;
    const auto rank = [&](const DeviceKind& kind) { return hardness(kind, need.pods); };
    const auto easiest = std::ranges::min_element(need.kinds, {}, rank);
    need.best = static_cast<std::size_t>(easiest - need.kinds.begin());
    if (!hardest || rank(hardest->kind()) < rank(need.kind())) hardest = std::move(need);
  }
  return hardest;
}

namespace {

// Nobody has any of them, and with those that are unhealthy there would be enough. What nodes say
// of the last member of a gang tells another story: there the others have theirs already.
bool repairs_would_do(const DeviceKind& kind) {
  const std::size_t unhealthy = kind.counts.unhealthy.size();
  return unhealthy > 0 && kind.counts.held == 0 && kind.short_in_total() &&
         kind.usable + unhealthy >= kind.need;
}

}  // namespace

Blocker device_blocker(const core::Diagnosis* diagnosis, const std::optional<DeviceNeed>& need) {
  if (need && repairs_would_do(need->kind())) return Blocker::device_health;
  std::size_t unhealthy = 0;
  std::size_t in_use = 0;
  bool asked = false;
  if (diagnosis != nullptr) {
    for (const auto& reason : diagnosis->reasons) {
      if (reason.concern != core::Concern::devices) continue;
      asked = true;
      if (reason.reason.starts_with(devices::kUnhealthy)) unhealthy += reason.nodes;
      // Nodes without such devices are none that lost them.
      if (reason.code == core::Code::unschedulable) in_use += reason.nodes;
    }
  }
  if (!asked && need) {
    unhealthy = need->kind().counts.unhealthy.size();
    in_use = need->kind().counts.held;
  }
  if (unhealthy > 0 && unhealthy >= in_use) return Blocker::device_health;
  return need && need->fragmented() ? Blocker::fragmentation : Blocker::devices;
}

std::string missing_claim(const core::Cluster& cluster, core::PodId pod) {
  if (!cluster.wants_devices(pod)) return {};
  auto claims = cluster.devices().claims_of(*cluster.pod(pod).object);
  return claims.waiting ? std::move(claims.problem) : std::string();
}

std::string missing_template(const core::Cluster& cluster, core::PodId pod) {
  const model::Pod& object = *cluster.pod(pod).object;
  for (const auto& entry : object.spec->resource_claims) {
    if (model::claim_name_of(entry, object.status.claim_statuses) == nullptr) {
      return entry.template_name;
    }
  }
  return {};
}

}  // namespace tutti::explain
