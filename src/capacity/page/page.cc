#include "capacity/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "capacity/page/page_style.h"
#include "explain/verdict/text.h"

namespace tutti::capacity {
namespace {

std::string level_text(const std::string& key) {
  return key.empty() ? "cluster" : markup_text(key.substr(key.rfind('/') + 1));
}

// --- devices -------------------------------------------------------------------------------------

std::string bar_part(std::string_view look, std::size_t amount, std::size_t total,
                     std::string_view title) {
  if (amount == 0) return {};
  return fmt::format("<span class={} style=\"width:{:.2f}%\" title=\"{} {}\"></span>", look,
                     100.0 * static_cast<double>(amount) / static_cast<double>(total), amount,
                     title);
}

std::string device_bar(const DeviceUse& use) {
  std::string out = "<div class=bar>";
  out += bar_part("held", use.held - use.held_by_incomplete, use.total, "held");
  out += bar_part("incomplete", use.held_by_incomplete, use.total, "held by incomplete groups");
  out += bar_part("usable", use.usable, use.total, "idle and usable");
  for (const IdleCount& idle : use.unusable) {
    out +=
        bar_part("unusable", idle.devices, use.total, fmt::format("idle: {}", text(idle.reason)));
  }
  return out + "</div>";
}

std::string reasons(const DeviceUse& use) {
  std::string out;
  for (const IdleCount& idle : use.unusable) {
    out += fmt::format("{}{} idle: {}", out.empty() ? "" : "<br>", idle.devices, text(idle.reason));
    if (!idle.places.empty()) out += fmt::format(" ({})", markup_text(places_text(idle)));
  }
  return out;
}

std::string answer(std::string_view figure, const std::string& of) {
  return fmt::format("<div><strong>{}</strong>{}</div>", figure, of);
}

// What most people open the page for: what is held, what is left, and how much of that is of use.
std::string answers_section(const Report& report) {
  std::string out;
  for (const DeviceUse& use : report.devices) {
    const std::string name = markup_text(name_of(use, report.by));
    out += answer(fmt::format("{} of {}", use.held, use.total), name + " held");
    out += answer(fmt::format("{}", use.usable), "idle and usable");
    const std::size_t useless = use.idle() - use.usable;
    if (useless > 0) out += answer(fmt::format("{}", useless), "idle, of no use");
  }
  if (!report.shapes.empty() && !report.shapes.front().levels.empty()) {
    const ShapeRoom& first = report.shapes.front();
    out += answer(
        fmt::format("{}{}", first.levels.front().exact ? "" : "≥ ", first.levels.front().gang),
        "pods of " + markup_text(first.shape.requests) + " still fit at once");
  }
  return out.empty() ? out : "<div class=answers>" + out + "</div>";
}

std::string devices_section(const Report& report) {
  if (report.devices.empty()) return {};
  std::string out =
      "<h2>Devices</h2><table><tr><th>device<th class=n>total<th class=n>held<th class=n>by "
      "incomplete groups<th class=n>usable<th class=n>of no use<th><th>why</tr>";
  for (const DeviceUse& use : report.devices) {
    out += fmt::format(
        "<tr><td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td "
        "class=n>{}<td>{}<td>{}</tr>\n",
        markup_text(name_of(use, report.by)), use.total, use.held, use.held_by_incomplete,
        use.usable, use.idle() - use.usable, device_bar(use), reasons(use));
  }
  out += "</table>";
  for (const IncompleteGroup& group : report.incomplete) {
    out += fmt::format("<p><span class=badge>incomplete</span> {} holds devices: {}.</p>",
                       markup_text(group.name), markup_text(group.why));
  }
  return out;
}

// --- what fits -----------------------------------------------------------------------------------

std::string strip(const LevelCapacity& room) {
  if (room.domains.empty()) return {};
  std::string out = "<div class=strip>";
  for (const DomainCapacity& domain : room.domains) {
    out += fmt::format("<i style=\"height:{}%\" title=\"{}: {}\"></i>",
                       std::max<std::size_t>(4, 100 * domain.gang / room.gang),
                       markup_text(domain.value), domain.gang);
  }
  return out + "</div>";
}

std::string gang_cell(const LevelCapacity& room, std::size_t most) {
  const std::size_t width = most == 0 ? 0 : 80 * room.gang / most;
  return fmt::format(
      "<td class=n>{}{}<td>{}{}", room.exact ? "" : "≥ ", room.gang,
      room.gang == 0 ? "" : fmt::format("<span class=meter style=\"width:{}px\"></span>", width),
      strip(room));
}

std::string shapes_section(const Report& report) {
  if (report.shapes.empty()) return {};
  std::string out =
      "<h2>What still fits</h2><p>The largest gang of each kind of pod that could start now, in "
      "the cluster and within one domain of each level; bars compare the levels of one row, small "
      "bars its best domains. \"If "
      "pooled\" is how many pods the free resources would hold if they lay together.</p><div "
      "class=scroll><table><tr><th>pod<th class=n>running<th class=n>waiting";
  for (const Level& level : report.levels) {
    out += fmt::format("<th class=n title=\"{}\">{}<th>", markup_text(level.key),
                       level_text(level.key));
  }
  out += "<th class=n>if pooled</tr>";
  for (const ShapeRoom& room : report.shapes) {
    std::size_t most = 0;
    for (const LevelCapacity& level : room.levels) most = std::max(most, level.gang);
    out += fmt::format("<tr><td><code>{}</code><br>{}<td class=n>{}<td class=n>{}",
                       markup_text(room.shape.requests),
                       markup_text(fmt::format("{}", fmt::join(room.shape.wishes, "; "))),
                       room.shape.running, room.shape.waiting);
    for (const LevelCapacity& level : room.levels) out += gang_cell(level, most);
    out += fmt::format("<td class=n>{}</tr>\n", room.pooled);
  }
  return out + "</table></div>";
}

// --- the queue -----------------------------------------------------------------------------------

std::string queue_section(const Report& report) {
  if (report.queue.lines.empty()) return "<h2>Queue</h2><p>Nothing waits.</p>";
  std::string out =
      "<h2>Queue</h2><input id=filter placeholder=\"filter\" aria-label=\"filter the queue\">"
      "<div class=scroll><table id=queue><thead><tr><th>name<th class=n>priority<th "
      "class=n>pods<th class=n>waited<th>state<th>blocked by<th>why</tr></thead><tbody>";
  for (const Waiting& line : report.queue.lines) {
    out +=
        fmt::format("<tr><td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td>{}<td>{}<td>{}</tr>\n",
                    markup_text(line.name), line.priority, line.pods, format_duration(line.waited),
                    name(line.verdict.state),
                    line.verdict.blocker == explain::Blocker::none
                        ? ""
                        : fmt::format("<span class=badge>{}</span>", name(line.verdict.blocker)),
                    markup_text(line.verdict.summary));
  }
  out += "</tbody></table></div>";
  if (report.queue.more > 0) out += fmt::format("<p>… and {} more.</p>", report.queue.more);
  return out;
}

// --- time and rehearsals -------------------------------------------------------------------------

std::string pending_section(const Report& report) {
  if (report.pending.empty()) return {};
  const Millis most = report.pending.front().pod_time;
  std::string out =
      "<h2>Time spent waiting</h2><p>By what it was for; the bar is waiting time times pods.</p>"
      "<table><tr><th>blocked by<th>of<th class=n>who waited<th class=n>waited<th class=n>pod "
      "time<th></tr>";
  for (const PendingCost& cost : report.pending) {
    out += fmt::format(
        "<tr><td><span class=badge>{}</span><td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td>"
        "<span class=meter style=\"width:{}px\"></span></tr>\n",
        cost.blocker, markup_text(cost.constraint), cost.entities, format_duration(cost.waited),
        format_duration(cost.pod_time), 300 * cost.pod_time.count() / most.count());
  }
  return out + "</table>";
}

std::string head_section(const Report& report) {
  const Backfill& head = report.head;
  if (head.head.empty()) return {};
  std::string out =
      fmt::format("<h2>What may run before the head of the queue</h2><p>The head is {}. ",
                  markup_text(head.head));
  if (!head.starts) return out + fmt::format("When it starts is not known: {}.</p>", head.why);
  out += fmt::format("It is expected to start in {}. Pods that do not delay it:</p>",
                     format_duration(*head.starts - report.at));
  out += "<table><tr><th>pod<th class=n>of any length<th class=n>if ended by then</tr>";
  for (const auto& beside : head.beside) {
    out += fmt::format("<tr><td><code>{}</code><td class=n>{}<td class=n>{}</tr>\n",
                       markup_text(beside.requests), beside.any_length, beside.until_then);
  }
  return out + "</table>";
}

std::string victims_text(const Eviction& eviction) {
  constexpr std::size_t kShown = 8;
  std::string out;
  const auto& victims = eviction.verdict.victims;
  for (std::size_t i = 0; i < std::min(kShown, victims.size()); ++i) {
    out += fmt::format(
        "{}{} ({}, priority {}, loses {})", i == 0 ? "" : "<br>", markup_text(victims[i].name),
        explain::counted(victims[i].pods.size(), "pod"), victims[i].priority, victims[i].lost.text);
  }
  if (victims.size() > kShown) out += fmt::format("<br>and {} more", victims.size() - kShown);
  return out;
}

std::string evictions_section(const Report& report) {
  if (report.evictions.empty()) return {};
  std::string out =
      "<h2>What a preemption would cost and gain</h2><table><tr><th>who would run<th class=n>at "
      "priority<th class=n>pods<th>what it takes<th>who gives way</tr>";
  for (const Eviction& eviction : report.evictions) {
    const bool works = eviction.verdict.outcome == "evicting";
    out += fmt::format("<tr><td>{}<td class=n>{}<td class=n>{}<td>{}<td>{}</tr>\n",
                       markup_text(eviction.name),
                       works ? fmt::to_string(eviction.priority_needed) : "-", eviction.pods,
                       markup_text(eviction.verdict.summary), victims_text(eviction));
  }
  return out + "</table>";
}

}  // namespace

std::string page(const Report& report, const Map& map) {
  std::string out = fmt::format(
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8>\n"
      "<meta http-equiv=\"Content-Security-Policy\" content=\"default-src 'none'; style-src "
      "'unsafe-inline'; script-src 'unsafe-inline'\">\n"
      "<meta name=viewport content=\"width=device-width\"><title>Capacity</title>\n"
      "<style>{}</style></head><body>\n<h1>Capacity</h1><p>{} nodes, {} pods on them, at {}.</p>\n",
      kStyle, report.nodes, report.pods, format_rfc3339(report.at));
  out += answers_section(report);
  out += map_section(map);
  out += devices_section(report);
  out += shapes_section(report);
  out += queue_section(report);
  out += pending_section(report);
  out += head_section(report);
  out += evictions_section(report);
  return out + fmt::format("<script>{}</script></body></html>\n", kScript);
}

}  // namespace tutti::capacity
