#include "explain/device_need.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <vector>

#include "devices/health.h"
#include "devices/picture.h"
#include "explain/text.h"

namespace tutti::explain {
namespace {

using devices::DeviceId;

constexpr std::size_t kNamesShown = 3;

// Devices that some live node can use, each once.
std::vector<DeviceId> usable_devices(const core::Cluster& cluster) {
  const auto& picture = cluster.devices();
  std::vector<DeviceId> all;
  cluster.live_nodes().for_each_set([&](std::size_t node) {
    const auto here = devices::devices_at(picture.inventory(), picture.places(),
                                          static_cast<devices::NodeIndex>(node));
    all.insert(all.end(), here.begin(), here.end());
  });
  std::ranges::sort(all);
  all.erase(std::unique(all.begin(), all.end()), all.end());
  return all;
}

bool shorter(const DeviceNeed& a, const DeviceNeed& b) {
  const auto spare = [](const DeviceNeed& need) {
    return static_cast<std::int64_t>(need.counts.free) - static_cast<std::int64_t>(need.need);
  };
  return spare(a) < spare(b);
}

// "pool-1/gpu-3 (gpu.example.com/xid:NoExecute)"
std::string unwell(const core::Cluster& cluster, const DeviceNeed& need) {
  const auto& inventory = cluster.devices().inventory();
  std::vector<std::string> names;
  for (const DeviceId id : need.counts.unhealthy) {
    if (names.size() == kNamesShown) {
      names.push_back(fmt::format("{} more", need.counts.unhealthy.size() - kNamesShown));
      break;
    }
    const auto& entry = inventory.device(id);
    const auto* taint = devices::forbidding_taint(entry, need.wish->tolerations);
    names.push_back(fmt::format(
        "{}/{} ({}{})", inventory.pool(entry.pool).name, entry.name, devices::text_of(*taint),
        entry.unhealthy_rule.empty() ? "" : ", rule " + entry.unhealthy_rule));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> what_became(const core::Cluster& cluster, const DeviceNeed& need) {
  std::vector<std::string> parts;
  const auto& counts = need.counts;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  for (std::size_t i = 0; i < counts.by_selector.size(); ++i) {
    const auto id = need.wish->selectors[need.wish->class_selectors + i];
    add(counts.by_selector[i],
        fmt::format("ruled out by selector \"{}\"", cluster.devices().selectors().expression(id)));
  }
  add(counts.failed, "fail " + counts.fault);
  if (!counts.unhealthy.empty()) {
    add(counts.unhealthy.size(), "unhealthy: " + unwell(cluster, need));
  }
  add(counts.unfit, "without the capacity asked for");
  add(counts.held, "in use");
  add(counts.full, "full");
  add(counts.blocked, "without counters left");
  parts.push_back(fmt::format("{} free", counts.free));
  return parts;
}

// "; pool p of driver d is incomplete: …", of pools whose devices cannot be counted.
std::string troubles(const core::Cluster& cluster) {
  const auto& inventory = cluster.devices().inventory();
  std::string text;
  std::size_t shown = 0;
  for (const auto pool : inventory.troubled_pools()) {
    if (shown++ == kNamesShown) break;
    text += "; " + inventory.pool(pool).problem;
  }
  return text;
}

std::string constraints_of(const devices::ClaimPlan& plan) {
  std::vector<std::string> parts;
  for (const auto& constraint : plan.constraints) {
    parts.push_back(fmt::format("{} {}",
                                constraint.distinct ? "distinctAttribute" : "matchAttribute",
                                constraint.attribute));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

}  // namespace

std::optional<DeviceNeed> device_need(const core::Cluster& cluster, core::PodId pod,
                                      std::size_t pods) {
  auto& picture = cluster.devices();
  const auto claims = picture.claims_of(*cluster.pod(pod).object);
  if (!claims.problem.empty() || claims.open.empty()) return std::nullopt;
  const auto all = usable_devices(cluster);
  std::optional<DeviceNeed> worst;
  for (const auto& wanted : claims.open) {
    const auto& plan = picture.plan_of(wanted);
    for (const auto& request : plan.requests) {
      const auto& wish = request.wishes.front();
      DeviceNeed need;
      need.device_class = wish.device_class;
      need.each = wish.all ? 1 : wish.count;
      need.need = need.each * (wanted.claim.valid() ? 1 : pods);
      need.counts = devices::tally(picture, wish, all);
      need.wish = &wish;
      need.plan = &plan;
      if (!worst || shorter(need, *worst)) worst = std::move(need);
    }
  }
  return worst;
}

std::optional<DeviceNeed> device_need(const core::Cluster& cluster, const Demand& demand,
                                      core::PodId culprit) {
  auto need = device_need(cluster, culprit, asked_pods(demand));
  std::size_t members = 0;
  for (const MemberClass& kind : demand.classes) members += kind.count;
  // Of a gang with surplus members nobody knows which are to have theirs.
  if (!need || members != demand.missing) return need;
  const auto& picture = cluster.devices();
  std::set<std::uint32_t> known;
  for (const auto& wanted : picture.claims_of(*cluster.pod(culprit).object).open) {
    if (wanted.claim.valid()) known.insert(wanted.claim.index);
  }
  for (const MemberClass& kind : demand.classes) {
    for (const auto& wanted : picture.claims_of(*cluster.pod(kind.sample).object).open) {
      if (!wanted.claim.valid() || !known.insert(wanted.claim.index).second) continue;
      for (const auto& request : picture.plans().plan(wanted.plan).requests) {
        const auto& wish = request.wishes.front();
        if (wish.device_class == need->device_class) need->need += wish.all ? 1 : wish.count;
      }
    }
  }
  return need;
}

Blocker device_blocker(const core::Diagnosis& diagnosis) {
  std::size_t unhealthy = 0;
  std::size_t in_use = 0;
  for (const auto& reason : diagnosis.reasons) {
    if (reason.plugin != "DynamicResources") continue;
    if (reason.reason.starts_with(devices::kUnhealthy)) unhealthy += reason.nodes;
    // Nodes without such devices are none that lost them.
    if (reason.code == core::Code::unschedulable) in_use += reason.nodes;
  }
  return unhealthy > 0 && unhealthy >= in_use ? Blocker::device_health : Blocker::devices;
}

std::string sentence_of(const core::Cluster& cluster, const DeviceNeed& need) {
  const auto& counts = need.counts;
  const std::size_t claims = need.need / std::max<std::size_t>(need.each, 1);
  auto text = fmt::format("needs {} of class {}", counted(need.need, "device"), need.device_class);
  if (claims > 1) text += fmt::format(" ({} claims of {})", claims, need.each);
  const std::string trouble = troubles(cluster);
  if (counts.of_class == 0) {
    return fmt::format("{}; no node has any (0 of {}){}", text, cluster.node_count(), trouble);
  }
  text += fmt::format("; of {} there, {}", counts.of_class,
                      fmt::join(what_became(cluster, need), ", "));
  if (counts.free < need.need) return text + trouble;
  const std::string constraints = constraints_of(*need.plan);
  if (!constraints.empty()) {
    text += fmt::format(", but no node has {} that satisfy {}", need.each, constraints);
  } else if (trouble.empty()) {
    text += ", but not where the pods can go";
  }
  return text + trouble;
}

std::string missing_claim(const core::Cluster& cluster, core::PodId pod) {
  if (!cluster.wants_devices(pod)) return {};
  auto claims = cluster.devices().claims_of(*cluster.pod(pod).object);
  return claims.waiting ? std::move(claims.problem) : std::string();
}

}  // namespace tutti::explain
