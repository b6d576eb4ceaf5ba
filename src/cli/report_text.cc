// The report as aligned text.
#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "cli/report.h"
#include "cli/table.h"

namespace tutti::cli {
namespace {

Tint tint_of(std::string_view state) {
  if (state == "Running" || state == "Succeeded" || state == "Finished") return Tint::good;
  if (state == "Waiting" || state == "Preempting") return Tint::waiting;
  if (state == "Held") return Tint::held;
  if (state == "Impossible" || state == "Invalid" || state == "Failed") return Tint::bad;
  return Tint::none;
}

Cell state_cell(const expect::Standing& standing) {
  return {standing.state, tint_of(standing.state)};
}

// What stands in the way; empty for what runs, or is on its way out.
Cell blocker_cell(const expect::Standing& standing) {
  if (standing.blocker.empty()) {
    const bool settled = tint_of(standing.state) == Tint::good || standing.state == "Terminating" ||
                         standing.state == "Failed";
    return {settled ? "" : standing.summary};
  }
  if (standing.summary.empty()) return {standing.blocker};
  return {standing.blocker + ": " + standing.summary};
}

// A group that runs may still have members that wait, or lack some.
Cell blocker_cell(const GroupLine& line) {
  const bool whole = line.waiting == 0 && line.placed >= line.minimum.value_or(0);
  if (line.standing.blocker.empty() && !whole) return {line.standing.summary};
  return blocker_cell(line.standing);
}

Cell number_cell(std::size_t number) { return {fmt::to_string(number), Tint::none, true}; }

std::string group_table(const std::vector<GroupLine>& groups, bool colour) {
  Table table({"GROUP", "POLICY", "PLACED", "MIN", "TOTAL", "DOMAIN", "STATE", "BLOCKER"});
  for (const GroupLine& line : groups) {
    table.add({{line.name},
               {line.policy},
               number_cell(line.placed),
               line.minimum ? number_cell(*line.minimum) : Cell{"-", Tint::none, true},
               number_cell(line.total),
               {line.domain},
               state_cell(line.standing),
               blocker_cell(line)});
  }
  return table.text(colour);
}

std::string plural(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

// "3 groups (2 Running, 1 Waiting)".
std::string tally(const std::map<std::string, std::size_t>& states, std::string_view noun) {
  std::vector<std::string> parts;
  std::size_t all = 0;
  for (const auto& [state, count] : states) {
    parts.push_back(fmt::format("{} {}", count, state));
    all += count;
  }
  if (parts.empty()) return plural(0, noun);
  return fmt::format("{} ({})", plural(all, noun), fmt::join(parts, ", "));
}

std::map<std::string, std::size_t> states_of(const std::vector<GroupLine>& groups) {
  std::map<std::string, std::size_t> states;
  for (const GroupLine& line : groups) ++states[line.standing.state];
  return states;
}

}  // namespace

void PodLines::add(const PodLine& line) {
  table_.add({{line.name}, {line.node}, state_cell(line.standing), blocker_cell(line.standing)});
  ++states_[line.standing.state];
}

std::string report_text(const Report& report, Millis elapsed, bool colour) {
  std::string out;
  if (!report.groups.empty()) out += group_table(report.groups, colour) + "\n";
  if (!report.pods.table().empty()) out.append(report.pods.table().text(colour)).append("\n");
  if (!report.claims.empty()) out.append(report.claims.text(colour)).append("\n");
  out += fmt::format(
      "{}, {}; {} of {} placed on {} after {}\n", tally(states_of(report.groups), "group"),
      tally(report.pods.states(), "lone pod"), report.placed_pods, plural(report.all_pods, "pod"),
      plural(report.nodes, "node"), format_duration(elapsed));
  return out;
}

}  // namespace tutti::cli
