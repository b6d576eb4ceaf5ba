#include "explain/wording/device_sentence.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "devices/device_state.h"
#include "devices/inventory/health.h"
#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

using devices::DeviceId;

constexpr std::size_t kNamesShown = 3;

// "pool-1/gpu-3 (gpu.example.com/xid:NoExecute)"
std::string unwell(const core::Cluster& cluster, const DeviceKind& kind) {
  const auto& inventory = cluster.devices().inventory();
  std::vector<std::string> names;
  for (const DeviceId id : kind.counts.unhealthy) {
    if (names.size() == kNamesShown) {
      names.push_back(fmt::format("{} more", kind.counts.unhealthy.size() - kNamesShown));
      break;
    }
    const auto& entry = inventory.device(id);
    const auto* taint = devices::forbidding_taint(entry, kind.wish->tolerations);
    const auto& own = entry.device->taints;
    const bool by_rule = std::ranges::find(own, *taint) == own.end();
    names.push_back(fmt::format("{}/{} ({}{})", inventory.pool(entry.pool).name, entry.name,
                                devices::text_of(*taint),
                                by_rule ? ", rule " + entry.unhealthy_rule : ""));
  }
  return fmt::format("{}", fmt::join(names, ", "));
}

std::vector<std::string> what_became(const core::Cluster& cluster, const DeviceKind& kind) {
  std::vector<std::string> parts;
  const auto& counts = kind.counts;
  const auto add = [&](std::size_t count, std::string_view what) {
    if (count > 0) parts.push_back(fmt::format("{} {}", count, what));
  };
  for (std::size_t i = 0; i < counts.by_selector.size(); ++i) {
    const auto id = kind.wish->selectors[kind.wish->class_selectors + i];
    add(counts.by_selector[i],
        fmt::format("ruled out by selector \"{}\"", cluster.devices().selectors().expression(id)));
  }
  add(counts.failed, (counts.failed == 1 ? "fails " : "fail ") + counts.fault);
  if (!counts.unhealthy.empty()) {
    add(counts.unhealthy.size(), "unhealthy: " + unwell(cluster, kind));
  }
  add(counts.unfit, "without the capacity asked for");
  add(counts.held, "in use");
  add(counts.full, "full");
  add(counts.blocked, "without counters left");
  parts.push_back(fmt::format("{} free", counts.free));
  return parts;
}

// The drivers of the devices that the class selects.
std::set<std::string> drivers_of(const core::Cluster& cluster, const DeviceKind& kind) {
  auto& device_state = cluster.devices();
  const auto& inventory = device_state.inventory();
  const auto& selectors = kind.wish->selectors;
  std::set<std::string> drivers;
  for (std::uint32_t i = 0; i < inventory.device_count(); ++i) {
    const auto& entry = inventory.device({i});
    if (entry.device == nullptr) continue;
    const std::string& driver = inventory.pool(entry.pool).driver;
    const bool selected = std::ranges::all_of(
        selectors.begin(),
        selectors.begin() + static_cast<std::ptrdiff_t>(kind.wish->class_selectors),
        [&](devices::SelectorId id) {
          return device_state.selectors().answer(id, {i}, driver, *entry.device) ==
                 devices::SelectorTable::Answer::yes;
        });
    if (selected) drivers.insert(driver);
  }
  return drivers;
}

// "; pool p of driver d is incomplete: …", of pools whose devices cannot be counted. Pools of
// drivers that have no part in the class are nobody's reason, but "All" waits for every pool.
std::string troubles(const core::Cluster& cluster, const DeviceKind& kind) {
  const auto& inventory = cluster.devices().inventory();
  if (inventory.troubled_pools().empty()) return {};
  const auto drivers = drivers_of(cluster, kind);
  std::string text;
  std::size_t shown = 0;
  for (const auto id : inventory.troubled_pools()) {
    const auto& pool = inventory.pool(id);
    if (!kind.wish->all && !drivers.empty() && !drivers.contains(pool.driver)) continue;
    if (shown++ == kNamesShown) break;
    text += "; " + pool.problem;
  }
  return text;
}

std::string constraints_of(const devices::ClaimPlan& plan) {
  std::vector<std::string> parts;
  for (const auto& constraint : plan.constraints) {
    auto text = fmt::format("{} {}", constraint.distinct ? "distinctAttribute" : "matchAttribute",
                            constraint.attribute);
    if (std::ranges::find(parts, text) == parts.end()) parts.push_back(std::move(text));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

bool share_counters(const core::Cluster& cluster, const DeviceKind& kind) {
  auto& device_state = cluster.devices();
  for (std::uint32_t i = 0; i < device_state.inventory().device_count(); ++i) {
    const auto& entry = device_state.inventory().device({i});
    if (entry.device == nullptr || entry.charges.empty()) continue;
    const DeviceId id{i};
    if (devices::tally(device_state, *kind.wish, {&id, 1}).free > 0) return true;
  }
  return false;
}

// Says, where `All` are asked for, what the node that comes nearest has.
std::string of_whole_node(const core::Cluster& cluster, const DeviceKind& kind) {
  if (kind.most < kind.each) {
    return fmt::format("; the nearest node, {}, has {} of its {} free",
                       cluster.node_name(kind.nearest), kind.most, kind.each);
  }
  if (kind.each > devices::kDevicesPerClaimMax) {
    return fmt::format("; node {} has {}, and a claim may have {}", cluster.node_name(kind.nearest),
                       kind.each, devices::kDevicesPerClaimMax);
  }
  return {};
}

// Why those that are free do not do; empty: too few are free anywhere.
std::string catch_of(const core::Cluster& cluster, const DeviceNeed& need, const DeviceKind& kind) {
  const bool all = kind.wish->all;
  if (auto text = all ? of_whole_node(cluster, kind) : std::string(); !text.empty()) return text;
  if (!all && kind.counts.free < kind.need) return {};
  if (kind.counts.failed > 0)
    return ", but a node gives none while a selector fails on any of its devices";
  if (kind.short_in_total()) {
    return fmt::format(", but only {} of them on nodes that {} can use otherwise", kind.usable,
                       need.pods > 1 ? "the pods" : "the pod");
  }
  if (const auto constraints = constraints_of(*need.plan); !constraints.empty()) {
    return fmt::format(", but no node has {} that satisfy {}", kind.each, constraints);
  }
  if (all) return {};  // what else there is, pools that nobody can count yet, follows
  if (kind.most < kind.each) return fmt::format(", but at most {} on one node", kind.most);
  if (kind.served < need.pods) {
    return fmt::format(", but with {} on one node for only {} of {}", kind.each, kind.served,
                       counted(need.pods, "pod"));
  }
  if (share_counters(cluster, kind)) {
    return ", but each that is taken uses up counters that others need too";
  }
  return ", but they cannot serve all that is asked for at once";
}

std::string asked(const DeviceNeed& need, const DeviceKind& kind) {
  if (kind.wish->all)
    return fmt::format("all devices of class {} of one node", kind.wish->device_class);
  auto text = fmt::format("{} of class {}", counted(kind.need, "device"), kind.wish->device_class);
  if (need.claims < 2 || need.kinds.size() > 1) return text;
  return text + (need.claim_size == 0
                     ? fmt::format(" ({} claims)", need.claims)
                     : fmt::format(" ({} claims of {})", need.claims, need.claim_size));
}

std::string found(const core::Cluster& cluster, const DeviceNeed& need, const DeviceKind& kind) {
  if (kind.counts.of_class == 0) {
    return fmt::format("no node has any (0 of {})", cluster.nodes().count());
  }
  return fmt::format("of {} there, {}{}", kind.counts.of_class,
                     fmt::join(what_became(cluster, kind), ", "), catch_of(cluster, need, kind));
}

}  // namespace

std::string sentence_of(const core::Cluster& cluster, const DeviceNeed& need) {
  if (!need.problem().empty()) return "its devices cannot be given out: " + need.problem();
  std::string text;
  for (const DeviceKind& kind : need.kinds) {
    text += fmt::format("{} {}; {}", text.empty() ? "needs" : "; or", asked(need, kind),
                        found(cluster, need, kind));
  }
  return text + troubles(cluster, need.kind());
}

}  // namespace tutti::explain
