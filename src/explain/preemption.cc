#include "explain/preemption.h"

#include <fmt/format.h>

#include "core/victim_cost.h"
#include "explain/text.h"

namespace tutti::explain {
namespace {

using Outcome = core::PreemptionReport::Outcome;

std::size_t pods_in(const core::PreemptionReport& report) {
  std::size_t pods = 0;
  for (const auto& unit : report.victims) pods += unit.pods.size();
  return pods;
}

std::string evicting(const core::PreemptionReport& report) {
  std::string text =
      fmt::format("{} in {} of priority {} or less give way, which throws {} away",
                  counted(pods_in(report), "pod"), counted(report.victims.size(), "unit"),
                  report.harm.priority, cost_text(report.harm.cost));
  if (report.harm.violations > 0) {
    text += fmt::format(" and exceeds disruption budgets by {}",
                        counted(static_cast<std::size_t>(report.harm.violations), "pod"));
  }
  return text + (report.least ? "; no choice does less harm"
                              : "; whether a choice does less harm was not worked out to the end");
}

}  // namespace

std::string cost_text(std::int64_t cost) {
  const std::int64_t tenths = cost / (core::kDeviceSecond / 10);
  return fmt::format("{}.{} device seconds", tenths / 10, tenths % 10);
}

Preemption describe(const core::PreemptionReport& report) {
  Preemption made;
  for (const auto& refused : report.refused) made.refused.push_back({refused.name, refused.why});
  switch (report.outcome) {
    case Outcome::not_allowed:
      made.outcome = "notAllowed";
      made.summary = "it may not evict others: " + report.why;
      break;
    case Outcome::nobody:
      if (report.refused.empty()) return {};
      made.outcome = "protected";
      made.summary = fmt::format("{} of lower priority, all protected for now",
                                 counted(report.refused.size(), "unit"));
      break;
    case Outcome::useless:
      made.outcome = "useless";
      made.summary = fmt::format(
          "evicting all {} of lower priority would not make room for it, so nobody is evicted; {} "
          "of "
          "equal or higher priority {}",
          counted(report.candidates, "unit"), counted(report.not_lower, "pod"),
          report.not_lower == 1 ? "stays" : "stay");
      break;
    case Outcome::no_need:
      made.outcome = "waiting";
      made.summary = "it fits as soon as pods that are leaving have left; nobody is evicted";
      break;
    case Outcome::evicting:
      made.outcome = "evicting";
      made.summary = evicting(report);
      made.violations = static_cast<std::size_t>(report.harm.violations);
      made.cost = cost_text(report.harm.cost);
      made.least = report.least;
      for (const auto& unit : report.victims) {
        made.victims.push_back({unit.name, unit.priority, cost_text(unit.cost), unit.pods});
      }
      break;
  }
  return made;
}

}  // namespace tutti::explain
