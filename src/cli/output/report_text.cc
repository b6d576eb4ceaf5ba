// The report as aligned text.
#include <fmt/format.h>

#include <map>
#include <string_view>
#include <utility>

#include "cli/output/queue_text.h"
#include "cli/output/report.h"
#include "terminal/table.h"

namespace tutti::cli {
namespace {

terminal::Tint tint_of(std::string_view state) {
  if (state == "Running" || state == "Succeeded" || state == "Finished")
    return terminal::Tint::good;
  if (state == "Waiting" || state == "Preempting") return terminal::Tint::waiting;
  if (state == "Held") return terminal::Tint::held;
  if (state == "Impossible" || state == "Invalid" || state == "Failed") return terminal::Tint::bad;
  return terminal::Tint::none;
}

terminal::Cell state_cell(const expect::Standing& standing) {
  return {standing.state, tint_of(standing.state)};
}

// What is said of it below its line; nothing of what runs, or is on its way out.
std::string note_of(const expect::Standing& standing) {
  const bool settled = tint_of(standing.state) == terminal::Tint::good ||
                       standing.state == "Terminating" || standing.state == "Failed";
  return settled && standing.blocker.empty() ? std::string() : standing.summary;
}

// A group that runs may still have members that wait, or lack some. Of a tree, the root says it.
std::string note_of(const WorkloadLine& line) {
  if (line.part) return {};
  const bool whole = line.waiting == 0 && line.placed >= line.minimum.value_or(0);
  return whole ? note_of(line.standing) : line.standing.summary;
}

// "example.com/rack=r1", in brief "rack=r1".
terminal::Cell domain_cell(const std::string& domain) {
  const std::size_t key = domain.substr(0, domain.find('=')).rfind('/');
  terminal::Cell cell{domain};
  if (key != std::string::npos) cell.brief = domain.substr(key + 1);
  return cell;
}

terminal::Cell number_cell(std::size_t number) {
  return {fmt::to_string(number), terminal::Tint::none, true};
}

std::string workload_table(const std::vector<WorkloadLine>& workloads,
                           const terminal::Layout& layout) {
  terminal::Table table(
      {"WORKLOAD", "POLICY", "PLACED", "MIN", "TOTAL", "QUEUE", "DOMAIN", "STATE", "BLOCKER"});
  for (const WorkloadLine& line : workloads) {
    table.add({{line.name},
               {line.policy},
               number_cell(line.placed),
               line.minimum ? number_cell(*line.minimum)
                            : terminal::Cell{"-", terminal::Tint::none, true},
               number_cell(line.total),
               {line.queue},
               domain_cell(line.domain),
               state_cell(line.standing),
               {line.standing.blocker}},
              note_of(line));
  }
  constexpr std::size_t kPolicy = 1;
  constexpr std::size_t kMinimum = 3;  // which the policy of a gang says too
  table.make_optional(kMinimum);
  table.make_optional(kPolicy);
  constexpr std::size_t kDomain = 6;  // names are worth more
  table.make_optional(kDomain);
  return table.text(layout);
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

std::map<std::string, std::size_t> states_of(const std::vector<WorkloadLine>& workloads) {
  std::map<std::string, std::size_t> states;
  for (const WorkloadLine& line : workloads) {
    if (!line.part) ++states[line.standing.state];
  }
  return states;
}

}  // namespace

void PodLines::add(const PodLine& line) {
  table_.add({{line.name}, {line.node}, state_cell(line.standing), {line.standing.blocker}},
             note_of(line.standing));
  ++states_[line.standing.state];
}

std::string report_text(const Report& report, Millis elapsed, const terminal::Layout& layout) {
  std::string out;
  if (!report.workloads.empty()) out += workload_table(report.workloads, layout) + "\n";
  for (const PodLines* pods : {&report.members, &report.pods}) {
    if (!pods->table().empty()) out.append(pods->table().text(layout)).append("\n");
  }
  if (!report.claims.empty()) out.append(report.claims.text(layout)).append("\n");
  out += queues_in_brief(report.queues, layout);
  const std::string requests = request_totals(report.queues);
  const std::string totals = fmt::format(
      "{}, {}{}{}; {} of {} placed on {} after {}", tally(states_of(report.workloads), "workload"),
      tally(report.pods.states(), "lone pod"), requests.empty() ? "" : ", ", requests,
      report.placed_pods, plural(report.all_pods, "pod"), plural(report.nodes, "node"),
      format_duration(elapsed));
  return out += terminal::wrapped(totals, 0, layout.columns);
}

}  // namespace tutti::cli
