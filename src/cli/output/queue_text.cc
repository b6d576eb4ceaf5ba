#include "cli/output/queue_text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <set>
#include <string_view>

#include "explain/verdict/text.h"
#include "terminal/table.h"

namespace tutti::cli {
namespace {

using explain::counted;
using queues::FlavorFigures;
using queues::QueueLine;
using queues::QueueReport;
using queues::RequestLine;
using queues::Right;
using queues::RightsTable;
using queues::Rule;
using terminal::Cell;
using terminal::Tint;

// "gpu" for "example.com/gpu".
std::string_view without_vendor(std::string_view resource) {
  return resource.substr(resource.rfind('/') + 1);
}

Cell resource_cell(const std::string& resource) {
  return {resource, Tint::none, false, std::string(without_vendor(resource))};
}

// Nothing for nothing: a column of them is left out.
Cell amount_cell(const FlavorFigures& figures, std::int64_t units, Tint tint = Tint::none) {
  if (units == 0) return {{}, Tint::none, true};
  return {core::amount_text(figures.resource, units), tint, true};
}

Cell count_cell(std::size_t count, Tint tint = Tint::none) {
  if (count == 0) return {{}, Tint::none, true};
  return {fmt::to_string(count), tint, true};
}

std::string name_in_tree(const QueueLine& queue) {
  const std::string indent(2 * queue.depth, ' ');
  return indent + (queue.kind == QueueLine::Kind::cohort ? "cohort " : "") + queue.name;
}

// What is said below the lines of a queue.
std::string note_of(const QueueLine& queue, const QueueReport& report) {
  if (!queue.closed.empty()) return queue.closed;
  if (!queue.head || queue.kind != QueueLine::Kind::cluster_queue) return {};
  const RequestLine& head = report.requests[*queue.head];
  std::string note = fmt::format("next: {}: {}", head.object, queues::wait_text(head));
  if (head.start) note += "; " + sentence_of(*head.start);
  return note;
}

Tint request_tint(std::string_view state) {
  if (state == "Admitted" || state == "Finished") return Tint::good;
  return state == "Releasing" ? Tint::held : Tint::waiting;
}

// "gpu 8, cpu 32": of all pod sets together.
std::string asks_text(const RequestLine& request) {
  std::map<std::string, std::int64_t> sums;
  for (const queues::SetLine& set : request.sets) {
    for (const auto& [resource, amount] : set.asks) sums[resource] += amount;
  }
  std::vector<std::string> parts;
  for (const auto& [resource, amount] : sums) {
    parts.push_back(
        fmt::format("{} {}", without_vendor(resource), core::amount_text(resource, amount)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string flavors_text(const RequestLine& request) {
  std::set<std::string> flavors;
  for (const queues::SetLine& set : request.sets) {
    for (const auto& [resource, flavor] : set.flavors) flavors.insert(flavor);
  }
  return fmt::format("{}", fmt::join(flavors, ", "));
}

// "team-a" of "ml/team-a".
std::string queue_name(const RequestLine& request) {
  return request.local_queue.substr(request.local_queue.find('/') + 1);
}

// Messages name a preemptor by uid and name, as Kueue does; people read names.
std::string without_uid(std::string text) {
  constexpr std::string_view kFrom = "(UID: ";
  constexpr std::string_view kTo = ", name: ";
  const std::size_t from = text.find(kFrom);
  const std::size_t to = from != std::string::npos ? text.find(kTo, from) : from;
  if (to != std::string::npos) text.replace(from + 1, to + kTo.size() - from - 1, "");
  return text;
}

// "evicted 2 times (Preempted): Preempted to accommodate …".
std::string eviction_text(const RequestLine& request) {
  const std::int64_t times = request.times_evicted();
  if (times == 0) return {};
  std::vector<std::string> reasons;
  for (const queues::EvictionLine& each : request.evictions) reasons.push_back(each.reason);
  std::string text =
      fmt::format("evicted {} ({})", counted(static_cast<std::size_t>(times), "time"),
                  fmt::join(reasons, ", "));
  if (!request.evicted.empty()) text += ": " + without_uid(request.evicted);
  return text;
}

std::string note_of(const RequestLine& request) {
  std::vector<std::string> parts;
  if (request.state == "Pending" || request.state == "Releasing") {
    if (std::string why = queues::wait_text(request); !why.empty()) parts.push_back(std::move(why));
  }
  if (std::string text = eviction_text(request); !text.empty()) parts.push_back(std::move(text));
  return fmt::format("{}", fmt::join(parts, "; "));
}

// Whether its line says what no other line of `run` says.
bool is_news(const RequestLine& request) {
  return request.state == "Pending" || request.state == "Releasing" ||
         request.times_evicted() > 0 || request.object.starts_with("Workload ");
}

// "a100: gpu 12/8, cpu 48/64; l4: gpu 0/8": used of nominal. In brief without what is not used, and
// without cpu and memory where there are devices.
std::string use_text(const QueueLine& queue, bool brief) {
  const bool devices = std::ranges::any_of(queue.resources, [](const FlavorFigures& each) {
    return each.resource.find('/') != std::string::npos;
  });
  std::vector<std::pair<std::string, std::vector<std::string>>> flavors;
  for (const FlavorFigures& each : queue.resources) {
    const bool common = each.resource.find('/') == std::string::npos;
    if (brief && ((devices && common) || each.used == 0)) continue;
    if (flavors.empty() || flavors.back().first != each.flavor)
      flavors.push_back({each.flavor, {}});
    flavors.back().second.push_back(fmt::format("{} {}/{}", without_vendor(each.resource),
                                                core::amount_text(each.resource, each.used),
                                                core::amount_text(each.resource, each.nominal)));
  }
  std::vector<std::string> parts;
  for (const auto& [flavor, uses] : flavors) {
    parts.push_back(fmt::format("{}: {}", flavor, fmt::join(uses, ", ")));
  }
  return parts.empty() && brief ? "nothing" : fmt::format("{}", fmt::join(parts, "; "));
}

// "gpu 4": what of each resource, all flavors together.
std::string sum_text(const QueueLine& queue, std::int64_t FlavorFigures::*which) {
  std::map<std::string, std::int64_t> sums;
  for (const FlavorFigures& each : queue.resources) {
    if (each.*which != 0) sums[each.resource] += each.*which;
  }
  std::vector<std::string> parts;
  for (const auto& [resource, amount] : sums) {
    parts.push_back(
        fmt::format("{} {}", without_vendor(resource), core::amount_text(resource, amount)));
  }
  return fmt::format("{}", fmt::join(parts, ", "));
}

std::string request_lines(const QueueReport& report, const terminal::Layout& layout) {
  terminal::Table table({"REQUEST", "QUEUE", "STATE", "FLAVORS", "REASON"});
  for (const RequestLine& request : report.requests) {
    if (!is_news(request)) continue;
    table.add({{request.object},
               {queue_name(request)},
               {request.state, request_tint(request.state)},
               {flavors_text(request)},
               {request.reason}},
              note_of(request));
  }
  return table.empty() ? std::string() : table.text(layout) + "\n";
}

std::string queue_lines(const QueueReport& report, const terminal::Layout& layout) {
  terminal::Table table({"QUEUE", "USED OF NOMINAL", "BORROWED", "LENT", "ADMITTED", "WAITING"});
  for (const QueueLine& queue : report.queues) {
    const bool shown =
        queue.kind == QueueLine::Kind::cohort || queue.kind == QueueLine::Kind::cluster_queue;
    if (!shown) continue;
    table.add({{name_in_tree(queue)},
               {use_text(queue, false), Tint::none, false, use_text(queue, true)},
               {sum_text(queue, &FlavorFigures::borrowed), Tint::waiting},
               {sum_text(queue, &FlavorFigures::lent)},
               count_cell(queue.admitted),
               count_cell(queue.waiting, Tint::waiting)},
              queue.closed);
  }
  return table.empty() ? std::string() : table.text(layout) + "\n";
}

}  // namespace

std::string queues_text(const QueueReport& report, const terminal::Layout& layout) {
  terminal::Table table({"QUEUE", "FLAVOR", "RESOURCE", "NOMINAL", "USED", "GUARANTEED", "BURST",
                         "BORROWED", "LENT", "RELEASING", "OPPORTUNISTIC", "ADMITTED", "WAITING"});
  for (const QueueLine& queue : report.queues) {
    const std::size_t rows = std::max<std::size_t>(1, queue.resources.size());
    for (std::size_t row = 0; row < rows; ++row) {
      const bool first = row == 0;
      const FlavorFigures figures =
          queue.resources.empty() ? FlavorFigures{} : queue.resources[row];
      table.add({{first ? name_in_tree(queue) : std::string()},
                 {figures.flavor},
                 resource_cell(figures.resource),
                 amount_cell(figures, figures.nominal),
                 amount_cell(figures, figures.used),
                 amount_cell(figures, figures.guaranteed),
                 amount_cell(figures, figures.burst, Tint::waiting),
                 amount_cell(figures, figures.borrowed, Tint::waiting),
                 amount_cell(figures, figures.lent),
                 amount_cell(figures, figures.releasing, Tint::held),
                 amount_cell(figures, figures.opportunistic),
                 count_cell(first ? queue.admitted : 0),
                 count_cell(first ? queue.waiting : 0, Tint::waiting)},
                row + 1 == rows ? note_of(queue, report) : std::string());
    }
  }
  constexpr std::size_t kFlavor = 1;
  constexpr std::size_t kAdmitted = 11;
  table.make_optional(kAdmitted);
  table.make_optional(kFlavor);
  return table.empty() ? "there are no queues\n" : table.text(layout);
}

std::string waiting_text(const QueueReport& report, const terminal::Layout& layout) {
  terminal::Table table(
      {"#", "REQUEST", "QUEUE", "PRIORITY", "ASKS", "WAITED", "BLOCKER", "START"});
  for (const RequestLine& request : report.requests) {
    if (request.state != "Pending") continue;
    table.add({{request.position > 0 ? fmt::to_string(request.position) : "-", Tint::none, true},
               {request.object},
               {queue_name(request)},
               {fmt::to_string(request.priority), Tint::none, true},
               {asks_text(request)},
               {format_duration(request.waited), Tint::none, true},
               {std::string(queues::blocker_of(request)), Tint::waiting},
               {request.start ? text_of(*request.start) : std::string()}},
              note_of(request));
  }
  constexpr std::size_t kQueue = 2;
  constexpr std::size_t kPriority = 3;
  table.make_optional(kQueue);
  table.make_optional(kPriority);
  return table.empty() ? "nothing waits\n" : table.text(layout);
}

std::string queues_in_brief(const QueueReport& report, const terminal::Layout& layout) {
  return request_lines(report, layout) + queue_lines(report, layout);
}

std::string request_totals(const QueueReport& report) {
  if (report.requests.empty()) return {};
  std::map<std::string, std::size_t> states;
  for (const RequestLine& request : report.requests) ++states[request.state];
  std::vector<std::string> parts;
  for (const auto& [state, count] : states) parts.push_back(fmt::format("{} {}", count, state));
  return fmt::format("{} ({})", counted(report.requests.size(), "request"), fmt::join(parts, ", "));
}

// --- rights --------------------------------------------------------------------------------------

namespace {

std::string cell_text(const Right& right) {
  std::string text(queues::word(right.rule));
  if (right.only_newer) text += ", newer";
  if (right.beyond != Rule::never) text += fmt::format(", {}", queues::word(right.beyond));
  return text;
}

// Narrower: what it may do beyond its own quota is marked only.
std::string brief_text(const Right& right) {
  std::string text(queues::word(right.rule));
  return right.only_newer || right.beyond != Rule::never ? text + "+" : text;
}

Cell right_cell(const Right& right) {
  return {cell_text(right), right.rule == Rule::never ? Tint::faint : Tint::waiting, false,
          brief_text(right)};
}

// Rights of one queue over another, a row for every priority of those who would go; rows that say
// the same are one.
void add_rows(const RightsTable& rights, std::size_t from, std::size_t to, terminal::Table& table) {
  const std::size_t count = rights.priorities.size();
  const auto same = [&](std::size_t left, std::size_t right) {
    for (std::size_t i = 0; i < count; ++i) {
      if (*rights.find(from, i, to, left) != *rights.find(from, i, to, right)) return false;
    }
    return true;
  };
  for (std::size_t first = 0; first < count;) {
    std::size_t last = first;
    while (last + 1 < count && same(first, last + 1)) ++last;
    const bool all = first == 0 && last + 1 == count;
    std::string at = fmt::to_string(rights.priorities[first]);
    if (last > first) at = fmt::format("{} to {}", at, rights.priorities[last]);
    const std::string name = first == 0 ? "  " + rights.queues[to] : std::string();
    std::vector<Cell> row = {{name}, {all ? "any" : at, Tint::none, true}};
    for (std::size_t i = 0; i < count; ++i) {
      row.push_back(right_cell(*rights.find(from, i, to, first)));
    }
    table.add(row);
    first = last + 1;
  }
}

bool has_any(const RightsTable& rights, std::size_t from, std::size_t to) {
  for (std::size_t i = 0; i < rights.priorities.size(); ++i) {
    for (std::size_t j = 0; j < rights.priorities.size(); ++j) {
      const Right* right = rights.find(from, i, to, j);
      if (right != nullptr && right->rule != Rule::never) return true;
    }
  }
  return false;
}

}  // namespace

std::string rights_text(const RightsTable& rights, const terminal::Layout& layout) {
  std::string out;
  std::vector<std::string> nobody;
  for (std::size_t from = 0; from < rights.queues.size(); ++from) {
    std::vector<std::string> headings = {rights.queues[from] + " MAY EVICT", "AT"};
    for (const std::int64_t priority : rights.priorities) {
      headings.push_back(fmt::format("BY {}", priority));
    }
    terminal::Table table(std::move(headings));
    for (std::size_t to = 0; to < rights.queues.size(); ++to) {
      if (has_any(rights, from, to)) add_rows(rights, from, to, table);
    }
    if (table.empty()) {
      nobody.push_back(rights.queues[from]);
    } else {
      out += table.text(layout) + "\n";
    }
  }
  if (!nobody.empty()) {
    out += terminal::wrapped(fmt::format("Nobody of their cohort: {}", fmt::join(nobody, ", ")), 0,
                             layout.columns);
  }
  const auto says_more = [](const RightsTable::Cell& cell) {
    return brief_text(cell.right).ends_with('+');
  };
  if (std::ranges::any_of(rights.cells, says_more)) {
    out += terminal::wrapped("+ says more with --from and --to, or where there is more space.", 0,
                             layout.columns);
  }
  out += terminal::wrapped(
      "Between queues without a common cohort, and where work is in no queue, pods of strictly "
      "lower priority go (priority).",
      0, layout.columns);
  return out;
}

}  // namespace tutti::cli
