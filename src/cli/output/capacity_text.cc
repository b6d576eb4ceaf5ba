#include "cli/output/capacity_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <set>
#include <span>
#include <string_view>
#include <vector>

#include "base/text.h"
#include "core/requests/pending_reason.h"
#include "explain/verdict/text.h"
#include "terminal/table.h"

namespace tutti::cli {
namespace {

using capacity::DeviceUse;
using capacity::LevelCapacity;
using capacity::Waiting;
using explain::counted;

// More lines than this help nobody on a terminal; -o json has them all.
constexpr std::size_t kWaitingShown = 20;

terminal::Cell number(std::size_t value, terminal::Tint tint = terminal::Tint::none) {
  return {fmt::to_string(value), tint, true};
}

std::string upper(std::string_view text) {
  std::string out(text);
  std::ranges::transform(out, out.begin(),
                         [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
  return out;
}

// The last word of the key, unless two keys share it.
std::vector<std::string> level_headings(const capacity::Report& report) {
  std::multiset<std::string> words;
  for (const auto& level : report.levels) words.insert(level.key.substr(level.key.rfind('/') + 1));
  std::vector<std::string> headings;
  for (const auto& level : report.levels) {
    const std::string word = level.key.substr(level.key.rfind('/') + 1);
    headings.push_back(level.key.empty()       ? "CLUSTER"
                       : words.count(word) > 1 ? level.key
                                               : upper(word));
  }
  return headings;
}

terminal::Cell gang_cell(const LevelCapacity& room) {
  return {room.exact ? fmt::to_string(room.gang) : fmt::format("≥{}", room.gang),
          room.gang == 0 ? terminal::Tint::waiting : terminal::Tint::none, true};
}

std::string section(std::string_view title, const terminal::Table& table,
                    const terminal::Layout& layout) {
  if (table.empty()) return {};
  return terminal::wrapped(title, 0, layout.columns) + table.text(layout) + "\n";
}

// "cpu=1,gpu=8" for "cpu=1,nvidia.com/gpu=8": resources without the domain of their vendor.
std::string without_vendors(std::string_view requests) {
  std::string out;
  while (!requests.empty()) {
    const std::size_t end = std::min(requests.find(',') + 1, requests.size());
    std::string_view part = requests.substr(0, end == 0 ? requests.size() : end);
    requests.remove_prefix(part.size());
    const std::size_t slash = part.substr(0, part.find('=')).rfind('/');
    if (slash != std::string_view::npos) part.remove_prefix(slash + 1);
    out += part;
  }
  return out;
}

terminal::Cell requests_cell(const std::string& requests) {
  return {requests, terminal::Tint::none, false, without_vendors(requests)};
}

// Says what a table leaves out.
std::string cut(std::string text, std::size_t more, std::string_view noun, std::string_view where) {
  if (more == 0) return text;
  text.pop_back();
  return text + fmt::format("… and {} ({})\n\n", counted(more, noun), where);
}

std::string shapes_section(const capacity::Report& report, const terminal::Layout& layout) {
  std::vector<std::string> headings = {"SHAPE", "ALSO", "RUNNING", "WAITING"};
  for (std::string& heading : level_headings(report)) headings.push_back(std::move(heading));
  headings.emplace_back("IF POOLED");
  terminal::Table table(std::move(headings));
  table.make_optional(report.levels.size() + 4);  // IF POOLED
  table.make_optional(2);                         // RUNNING
  table.make_optional(3);                         // WAITING
  table.make_optional(1);                         // ALSO
  for (const auto& room : report.shapes) {
    std::vector<terminal::Cell> row = {requests_cell(room.shape.requests),
                                       {fmt::format("{}", fmt::join(room.shape.wishes, "; "))},
                                       number(room.shape.running),
                                       number(room.shape.waiting)};
    for (const LevelCapacity& level : room.levels) row.push_back(gang_cell(level));
    row.push_back(number(room.pooled));
    table.add(row);
  }
  std::string out = section(
      "Largest gang that fits now, in pods, within one domain of each level:", table, layout);
  if (report.more_shapes > 0) {
    out.pop_back();
    out += fmt::format("… and {} (--shape asks about any)\n\n",
                       counted(report.more_shapes, "more shape"));
  }
  return out;
}

std::string devices_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table(
      {"DEVICE", "TOTAL", "HELD", "BY INCOMPLETE GROUPS", "IDLE", "USABLE", "UNUSABLE"});
  constexpr std::size_t kIncomplete = 3;
  constexpr std::size_t kIdle = 4;  // usable and unusable together
  table.set_brief_heading(kIncomplete, "INCOMPLETE");
  table.make_optional(kIdle);
  for (const DeviceUse& use : report.devices) {
    const std::size_t unusable = use.idle() - use.usable;
    table.add({{name_of(use, report.by)},
               number(use.total),
               number(use.held),
               number(use.held_by_incomplete,
                      use.held_by_incomplete > 0 ? terminal::Tint::bad : terminal::Tint::none),
               number(use.idle()),
               number(use.usable, terminal::Tint::good),
               number(unusable, unusable > 0 ? terminal::Tint::waiting : terminal::Tint::none)});
  }
  return section("Devices:", table, layout);
}

std::string idle_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table({"DEVICE", "IDLE", "WHY", "NODES"});
  for (const DeviceUse& use : report.devices) {
    for (const auto& idle : use.unusable) {
      table.add({{name_of(use, report.by)},
                 number(idle.devices),
                 {std::string(text(idle.reason))},
                 {places_text(idle)}});
    }
  }
  return section("Idle, but of no use:", table, layout);
}

std::string devices_text(const capacity::DeviceCounts& counts) {
  std::vector<std::string> parts;
  for (const auto& [name, count] : counts) parts.push_back(fmt::format("{} {}", count, name));
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string incomplete_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table({"GROUP", "HOLDS", "WHY INCOMPLETE"});
  for (const auto& group : report.incomplete) {
    table.add({{group.name}, {devices_text(group.devices), terminal::Tint::bad}, {group.why}});
  }
  return section("Groups that hold devices although they are incomplete:", table, layout);
}

std::string fragmented_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table({"NAME", "NEEDS", "FIT", "SHORT"});
  std::size_t count = 0;
  for (const Waiting& waiting : report.queue.lines) {
    if (!fragmented(waiting) || ++count > kWaitingShown) continue;
    const std::size_t fits = std::min(waiting.needs, waiting.fits);
    table.add({{waiting.name},
               number(waiting.needs),
               number(fits),
               number(waiting.needs - fits, terminal::Tint::waiting)},
              waiting.verdict.summary);
  }
  std::string text =
      cut(section("Blocked by fragmentation (enough is free, but not together):", table, layout),
          count - std::min(count, kWaitingShown), "more line", "-o json has all");
  if (report.more_if_packed == 0) return text;
  return text +
         terminal::wrapped(
             fmt::format("Packing GPUs from the start would have placed {} more: try "
                         "`tutti run --compare pack-gpus` (docs/guides/pack-gpus.md).",
                         counted(report.more_if_packed, "pod")),
             0, layout.columns) +
         '\n';
}

std::string name_text(const Waiting& waiting) {
  const bool lone = !waiting.root.valid() && waiting.name.starts_with("Pod ");
  if (!lone || waiting.pods == 1) return waiting.name;
  return fmt::format("{} and {} like it", waiting.name, waiting.pods - 1);
}

// Chooses the tint of something that waits: whether time or room alone can help.
terminal::Tint tint_of(explain::State state) {
  const bool waits = state == explain::State::waiting || state == explain::State::preempting;
  if (waits) return terminal::Tint::waiting;
  return state == explain::State::held ? terminal::Tint::held : terminal::Tint::bad;
}

std::string waiting_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table({"NAME", "PRIORITY", "PODS", "WAITED", "STATE", "BLOCKER"});
  table.make_optional(3);  // WAITED
  table.make_optional(1);  // PRIORITY
  const auto& lines = report.queue.lines;
  const std::size_t shown = std::min(lines.size(), kWaitingShown);
  for (const Waiting& waiting : std::span(lines).first(shown)) {
    table.add({{name_text(waiting)},
               {fmt::to_string(waiting.priority), terminal::Tint::none, true},
               number(waiting.pods),
               {format_duration(waiting.waited), terminal::Tint::none, true},
               {std::string(name(waiting.verdict.state)), tint_of(waiting.verdict.state)},
               {std::string(name(waiting.verdict.blocker)), terminal::Tint::waiting}},
              waiting.verdict.summary);
  }
  return cut(section("Waiting, in the order in which it is tried:", table, layout),
             lines.size() - shown + report.queue.more, "more line", "-o json has the first 100");
}

std::string pending_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table({"BLOCKER", "OF", "WHO WAITED", "WAITED", "POD TIME"});
  for (const capacity::PendingCost& cost : report.pending) {
    table.add({{cost.blocker, terminal::Tint::waiting},
               {cost.constraint},
               number(cost.entities),
               {format_duration(cost.waited), terminal::Tint::none, true},
               {format_duration(cost.pod_time), terminal::Tint::none, true}});
  }
  return section("Time spent waiting, by what it was for:", table, layout);
}

std::string head_section(const capacity::Report& report, const terminal::Layout& layout) {
  const capacity::Backfill& head = report.head;
  if (head.head.empty()) return {};
  if (!head.starts) {
    return terminal::wrapped(fmt::format("When the head of the queue, {}, starts is not known: {}.",
                                         printable(head.head), head.why),
                             0, layout.columns) +
           "\n";
  }
  terminal::Table table({"SHAPE", "ANY LENGTH", "IF ENDED BY THEN"});
  for (const auto& beside : head.beside) {
    table.add(
        {requests_cell(beside.requests), number(beside.any_length), number(beside.until_then)});
  }
  return section(
      fmt::format("Pods that may run first without delaying {}, expected to start in {}:",
                  printable(head.head), format_duration(*head.starts - report.at)),
      table, layout);
}

std::string evictions_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table({"WHO WOULD RUN", "AT PRIORITY", "PODS", "DEVICES"});
  table.make_optional(3);  // DEVICES
  for (const capacity::Eviction& eviction : report.evictions) {
    const bool works = eviction.verdict.outcome == "evicting";
    table.add({{eviction.name},
               {works ? fmt::to_string(eviction.priority_needed) : "-", terminal::Tint::none, true},
               number(eviction.pods),
               {devices_text(eviction.devices)}},
              eviction.verdict.summary);
  }
  return section("If it could evict others:", table, layout);
}

terminal::Cell quota_cell(std::string_view resource, std::int64_t amount,
                          terminal::Tint tint = terminal::Tint::none) {
  return {core::amount_text(resource, amount), amount > 0 ? tint : terminal::Tint::none, true};
}

// "team-a 8, team-b 4", most first.
std::string promises_text(const capacity::FlavorCover& cover) {
  auto promises = cover.promises;
  std::ranges::stable_sort(promises, std::ranges::greater{},
                           &capacity::FlavorCover::Promise::nominal);
  std::vector<std::string> parts;
  for (const auto& promise : promises) {
    parts.push_back(promise.owner.substr(promise.owner.find(' ') + 1) + " " +
                    core::amount_text(cover.resource, promise.nominal));
  }
  return explain::first_of(parts);
}

std::string unbacked_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table({"FLAVOR", "RESOURCE", "QUOTA", "MACHINES", "SHORT", "QUEUES"});
  for (const auto& cover : report.quota.flavors) {
    if (cover.quota_without_machines() == 0) continue;
    table.add({{cover.flavor},
               {cover.resource},
               quota_cell(cover.resource, cover.nominal),
               quota_cell(cover.resource, cover.machines),
               quota_cell(cover.resource, cover.quota_without_machines(), terminal::Tint::bad),
               {promises_text(cover)}});
  }
  return section("Quota without machines (queues are promised what no node has):", table, layout);
}

std::string unpromised_section(const capacity::Report& report, const terminal::Layout& layout) {
  terminal::Table table({"FLAVOR", "RESOURCE", "MACHINES", "QUOTA", "BEYOND", "NODES"});
  for (const auto& cover : report.quota.flavors) {
    if (cover.machines_without_quota() == 0) continue;
    table.add({{cover.flavor},
               {cover.resource},
               quota_cell(cover.resource, cover.machines),
               quota_cell(cover.resource, cover.nominal),
               quota_cell(cover.resource, cover.machines_without_quota(), terminal::Tint::waiting),
               {counted(cover.nodes, "node")}});
  }
  for (const auto& line : report.quota.uncovered) {
    table.add({{"-"},
               {line.resource},
               quota_cell(line.resource, line.machines),
               {"-"},
               quota_cell(line.resource, line.machines, terminal::Tint::waiting),
               {explain::first_of(line.nodes)}});
  }
  return section("Machines without quota (no queue is promised them):", table, layout);
}

std::size_t pods_waiting(const capacity::Queue& queue) {
  std::size_t pods = queue.more_pods;
  for (const Waiting& line : queue.lines) pods += line.pods;
  return pods;
}

}  // namespace

std::string capacity_text(const capacity::Report& report, Millis elapsed,
                          const terminal::Layout& layout) {
  std::string out = shapes_section(report, layout);
  out += devices_section(report, layout);
  out += idle_section(report, layout);
  out += incomplete_section(report, layout);
  out += fragmented_section(report, layout);
  out += waiting_section(report, layout);
  out += pending_section(report, layout);
  out += head_section(report, layout);
  out += evictions_section(report, layout);
  out += unbacked_section(report, layout);
  out += unpromised_section(report, layout);
  return out +
         terminal::wrapped(fmt::format("{} on {}, {} waiting, after {}",
                                       counted(report.pods, "pod"), counted(report.nodes, "node"),
                                       pods_waiting(report.queue), format_duration(elapsed)),
                           0, layout.columns);
}

}  // namespace tutti::cli
