#include "explain/verdict/text.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <utility>
#include <vector>

#include "base/quantity.h"
#include "base/text.h"
#include "core/shapes/shape.h"
#include "explain/verdict/preemption.h"

namespace tutti::explain {
namespace {

constexpr std::string_view kNodesPrefix = "node(s) ";
// Preemption is no matter where nobody has another priority: only programs are told.
constexpr std::string_view kNobody = "nobody";

bool counts_bytes(std::string_view resource) {
  return resource == "memory" || resource == "ephemeral-storage" ||
         resource.starts_with("hugepages-");
}

std::string bytes_text(std::int64_t bytes) {
  if (bytes != 0 && bytes % 1024 == 0) {
    if (const auto binary = Quantity::parse(fmt::format("{}Ki", bytes / 1024))) {
      return binary->text();
    }
  }
  return Quantity::from_units(bytes).text();
}

void line(std::string& page, std::string_view title, std::string_view value) {
  if (!value.empty()) fmt::format_to(std::back_inserter(page), "{:<9}{}\n", title, value);
}

std::string quantity_of(const std::vector<Amount>& amounts, std::size_t at) {
  return at < amounts.size() ? amounts[at].quantity : std::string("-");
}

void add_amounts(std::string& page, const Verdict& verdict) {
  if (verdict.need.empty()) return;
  std::size_t width = 0;
  for (const auto& amount : verdict.need) width = std::max(width, amount.what.size());
  fmt::format_to(std::back_inserter(page), "\n{:<{}}  {:>10}  {:>10}\n", "", width, "NEED", "HAVE");
  for (std::size_t i = 0; i < verdict.need.size(); ++i) {
    fmt::format_to(std::back_inserter(page), "{:<{}}  {:>10}  {:>10}\n", verdict.need[i].what,
                   width, verdict.need[i].quantity, quantity_of(verdict.have, i));
  }
}

std::string all_reasons(const Domain& domain) {
  std::vector<std::string> reasons;
  for (const auto& reason : domain.reasons) {
    reasons.push_back(fmt::format("{} {}", reason.count, reason.reason));
  }
  return fmt::format("{}", fmt::join(reasons, ", "));
}

void add_domains(std::string& page, const Verdict& verdict) {
  if (verdict.domains.empty()) return;
  std::size_t width = 6;
  const auto label = [](const Domain& domain) { return domain.key + "=" + domain.value; };
  for (const auto& domain : verdict.domains) width = std::max(width, label(domain).size());
  fmt::format_to(std::back_inserter(page), "\n{:<{}}  {:>5}  {:>6}  REASON\n", "DOMAIN", width,
                 "FIT", "NEEDED");
  for (const auto& domain : verdict.domains) {
    auto row = fmt::format("{:<{}}  {:>5}  {:>6}  {}", label(domain), width, domain.fit,
                           domain.needed, all_reasons(domain));
    row.erase(row.find_last_not_of(' ') + 1);
    page.append(row).append("\n");
  }
}

void add_nodes(std::string& page, const Verdict& verdict) {
  if (verdict.nodes.empty()) return;
  fmt::format_to(std::back_inserter(page), "\n{:>5}  REASON\n", "NODES");
  for (const auto& reason : verdict.nodes) {
    fmt::format_to(std::back_inserter(page), "{:>5}  {} ({})\n", reason.count, reason.reason,
                   reason.plugin);
  }
}

// One line for each reason.
void add_refused(std::string& page, const Preemption& preemption) {
  auto out = std::back_inserter(page);
  for (const auto& [reason, count] : preemption.refused_counts) {
    std::vector<std::string> names;
    std::string_view why;
    for (const auto& unit : preemption.refused) {
      if (unit.reason != reason) continue;
      names.push_back(unit.name);
      why = unit.why;
    }
    if (count == 1) {
      fmt::format_to(out, "  refuse  {}: {}\n", names.front(), why);
    } else {
      fmt::format_to(out, "  refuse  {} units {}: {}\n", count, refused_units(reason),
                     first_of(names, count, ", "));
    }
  }
}

void add_preemption(std::string& page, const Preemption& preemption) {
  if (preemption.outcome.empty() || preemption.outcome == kNobody) return;
  auto out = std::back_inserter(page);
  fmt::format_to(out, "\npreemption: {}\n", preemption.summary);
  for (const auto& unit : preemption.victims) {
    if (!unit.shrinks.empty()) {
      fmt::format_to(out, "  shrink  {} (priority {}, {})\n", unit.name, unit.priority,
                     unit.shrinks);
      continue;
    }
    fmt::format_to(out, "  evict   {} (priority {}, {}, {})\n", unit.name, unit.priority,
                   counted(unit.pods.size(), "pod"), unit.lost.text);
  }
  add_refused(page, preemption);
}

// "team-a, position 3 (WaitingForQuota)".
std::string queue_line(const QueueView& view) {
  std::string text = view.cluster_queue.empty() ? view.local_queue : view.cluster_queue;
  if (view.position > 0) text += fmt::format(", position {}", view.position);
  if (!view.reason.empty()) text += fmt::format(" ({})", view.reason);
  return text;
}

Verdict without_controls(Verdict verdict) {
  verdict.summary = printable(verdict.summary);
  for (Way& way : verdict.ways) way.summary = printable(way.summary);
  for (CountedReason& counted : verdict.nodes) counted.reason = printable(counted.reason);
  for (Domain& domain : verdict.domains.edit()) {
    for (CountedReason& counted : domain.reasons) counted.reason = printable(counted.reason);
  }
  return verdict;
}

void add_ways(std::string& page, const Verdict& verdict, const CommandsOf& commands) {
  if (verdict.ways.empty()) return;
  page += "\nany one of these would let it run:\n";
  for (const Way& way : verdict.ways) {
    fmt::format_to(std::back_inserter(page), "  - {}\n", way.summary);
    if (!commands) continue;
    for (const std::string& command : commands(way)) {
      fmt::format_to(std::back_inserter(page), "      {}\n", printable(command));
    }
  }
}

}  // namespace

std::string amount_text(std::string_view resource, std::int64_t amount) {
  // Nobody counts beyond this: what was asked for may be any number above.
  if (amount >= core::kAmountMax) {
    if (resource == "cpu") return fmt::format("at least {}", core::kAmountMax / 1000);
    return fmt::format("at least {}", counts_bytes(resource) ? bytes_text(core::kAmountMax)
                                                             : fmt::to_string(core::kAmountMax));
  }
  // A quantity writes 280000 as 280k, which is hard to compare.
  if (resource == "cpu" && amount % 1000 == 0) return fmt::format("{}", amount / 1000);
  if (resource == "cpu") return Quantity::from_milli(amount).text();
  if (counts_bytes(resource)) return bytes_text(amount);
  return fmt::format("{}", amount);
}

namespace {

// " had untolerated taint {a: b}", ": Insufficient cpu".
std::string said_by(std::size_t nodes, std::string_view reason) {
  if (!reason.starts_with(kNodesPrefix)) return fmt::format(": {}", reason);
  reason.remove_prefix(kNodesPrefix.size());
  for (const auto& [many, one] : {std::pair{"were ", "was "}, std::pair{"are ", "is "}}) {
    if (nodes != 1 || !reason.starts_with(many)) continue;
    return fmt::format(" {}{}", one, reason.substr(std::string_view(many).size()));
  }
  return fmt::format(" {}", reason);
}

}  // namespace

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string first_of(const std::vector<std::string>& names, std::string_view separator) {
  return first_of(names, names.size(), separator);
}

std::string first_of(const std::vector<std::string>& names, std::size_t total,
                     std::string_view separator) {
  constexpr std::size_t kNamed = 3;
  const std::size_t named = total > kNamed + 1 ? kNamed : total;
  const auto end = names.begin() + static_cast<std::ptrdiff_t>(std::min(named, names.size()));
  const auto list = fmt::format("{}", fmt::join(names.begin(), end, separator));
  return named == total ? list : fmt::format("{} and {} more", list, total - named);
}

std::string reason_text(std::size_t count, std::size_t nodes, std::string_view reason) {
  if (nodes == 1) return "the only node" + said_by(count, reason);
  return fmt::format("{} of {} nodes{}", count, nodes, said_by(count, reason));
}

std::string brief_reason_text(std::size_t count, std::string_view reason) {
  return fmt::format("{}{}", count, said_by(count, reason));
}

std::string render_text(const Verdict& said, const CommandsOf& commands) {
  const Verdict verdict = without_controls(said);
  std::string page;
  line(page, "object",
       fmt::format("{} {}/{}", verdict.object.kind, verdict.object.ns, verdict.object.name));
  line(page, "state", name(verdict.state));
  line(page, "blocker", name(verdict.blocker));
  line(page, "summary", verdict.summary);
  line(page, "next", verdict.next);
  if (verdict.queue) line(page, "queue", queue_line(*verdict.queue));
  line(page, "ahead", verdict.ahead);
  // The table of flavors has the same amounts, and more.
  if (!verdict.queue || verdict.blocker != Blocker::quota) add_amounts(page, verdict);
  if (verdict.queue) append_text(*verdict.queue, page);
  add_domains(page, verdict);
  add_nodes(page, verdict);
  add_preemption(page, verdict.preemption);
  add_ways(page, verdict, commands);
  return page;
}

}  // namespace tutti::explain
