#include "explain/verdict/preemption.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <numeric>

#include "core/victims/victim_cost.h"
#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

using Outcome = core::PreemptionReport::Outcome;

constexpr std::int64_t kSecond = core::kDeviceSecond;

std::size_t pods_in(const core::PreemptionReport& report) {
  std::size_t pods = 0;
  for (const auto& unit : report.victims) pods += unit.pods.size();
  return pods;
}

// In the largest unit of time of which there is one; a tenth more or less is rounded.
std::string time_text(std::int64_t amount, std::string_view of) {
  constexpr std::int64_t kMinute = 60 * core::kDeviceSecond;
  constexpr std::int64_t kHour = 60 * kMinute;
  const std::int64_t unit = amount >= kHour ? kHour : amount >= kMinute ? kMinute : kSecond;
  const std::string_view name = unit == kHour ? "hour" : unit == kMinute ? "minute" : "second";
  const std::int64_t tenths = (amount + unit / 20) / (unit / 10);
  const std::string number = tenths % 10 == 0 ? fmt::format("{}", tenths / 10)
                                              : fmt::format("{}.{}", tenths / 10, tenths % 10);
  return fmt::format("{} {} {}{}", number, of, name, tenths == 10 ? "" : "s");
}

std::string left_stalled(const core::PreemptionReport& report) {
  std::string text;
  for (const auto& [name, left, minimum] : report.stalled) {
    text += fmt::format("; it leaves {} with {} of {}, as its disruptionMode asks", name, left,
                        minimum);
  }
  return text;
}

std::string evicting(const core::PreemptionReport& report) {
  const std::size_t pods = pods_in(report);
  const auto units =
      pods == 1 ? std::string() : fmt::format(" in {}", counted(report.victims.size(), "unit"));
  std::string text =
      fmt::format("{}{} of priority {} or less give{} way to {}, which throws {} away",
                  counted(pods, "pod"), units, report.harm.priority, pods == 1 ? "s" : "",
                  counted(report.gain.pods, "pod"), lost_text(report.lost));
  if (report.harm.violations > 0) {
    text += fmt::format(" and exceeds disruption budgets by {}",
                        counted(static_cast<std::size_t>(report.harm.violations), "pod"));
  }
  text += left_stalled(report);
  return text + (report.least ? "; no choice does less harm"
                              : "; whether a choice does less harm was not worked out to the end");
}

struct Reason {
  std::string_view word;
  std::string_view units;  // "6 units …"
};
// In the order of core::Refusal.
constexpr Reason kReasons[] = {
    {"higherPriority", "of higher priority"},
    {"equalPriority", "of the same priority"},
    {"minRuntime", "protected by tutti.dev/min-runtime for now"},
    {"displaced", "that took its room before"},
    {"terminating", "that are terminating and do not go"},
    {"binding", "that are just being bound"},
    {"gang", "whose gangs would fall below their minimum and cannot go whole now"},
    {"notAllowed", "that it may not evict"},
    {"wouldNotHelp", "of lower priority, whose end would not help"},
    {"disruptionBudget", "whose disruption budgets allow no eviction, and others suffice"},
    {"notNeeded", "of lower priority that are not in the way"},
};
static_assert(std::size(kReasons) == core::kRefusals);

// Counts units of lower priority that are not to be evicted now.
std::size_t protected_units(const core::PreemptionReport& report) {
  const auto all =
      std::accumulate(report.refused_counts.begin(), report.refused_counts.end(), std::size_t{0});
  return all - report.refused_for(core::Refusal::equal_priority) -
         report.refused_for(core::Refusal::higher_priority);
}

Preemption::Lost lost_of(const core::LostWork& lost, std::int64_t cost) {
  return {lost_text(lost), lost.devices / kSecond, lost.cores / kSecond, cost / kSecond};
}

std::vector<Amount> amounts_of(const core::PreemptionReport::Gain& gain) {
  std::vector<Amount> amounts = {{"pods", fmt::format("{}", gain.pods)},
                                 {"nodes", fmt::format("{}", gain.nodes)}};
  for (const auto& [resource, amount] : gain.amounts) {
    amounts.push_back({resource, amount_text(resource, amount)});
  }
  return amounts;
}

}  // namespace

std::string_view refused_units(std::string_view reason) {
  const auto known = std::ranges::find(kReasons, reason, &Reason::word);
  return known == std::end(kReasons) ? reason : known->units;
}

std::string lost_text(const core::LostWork& lost) {
  if (lost.devices == 0) return time_text(lost.cores, "core");
  const std::string devices = time_text(lost.devices, lost.only_gpus ? "GPU" : "device");
  return lost.cores == 0 ? devices : devices + " and " + time_text(lost.cores, "core");
}

Preemption describe(const core::PreemptionReport& report) {
  Preemption made;
  for (std::size_t i = 0; i < core::kRefusals; ++i) {
    if (report.refused_counts[i] == 0) continue;
    made.refused_counts.push_back({std::string(kReasons[i].word), report.refused_counts[i]});
  }
  for (const auto& [unit, reason, why] : report.refused) {
    made.refused.push_back(
        {unit, std::string(kReasons[static_cast<std::size_t>(reason)].word), why});
  }
  switch (report.outcome) {
    case Outcome::not_allowed:
      made.outcome = "notAllowed";
      made.summary = "it may not evict others: " + report.why;
      break;
    case Outcome::nobody:
      if (report.refused.empty()) return {};
      if (const std::size_t lower = protected_units(report); lower > 0) {
        made.outcome = "protected";
        made.summary =
            fmt::format("{} of lower priority, all protected for now", counted(lower, "unit"));
      } else {
        made.outcome = "nobody";
        made.summary = "nobody on a node has a lower priority";
      }
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
      made.lost = lost_of(report.lost, report.harm.cost);
      made.gain = amounts_of(report.gain);
      made.least = report.least;
      for (const auto& unit : report.victims) {
        made.victims.push_back(
            {unit.name, unit.priority, lost_of(unit.lost, unit.cost), unit.pods});
      }
      break;
  }
  return made;
}

}  // namespace tutti::explain
