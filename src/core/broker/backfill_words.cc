#include "core/broker/backfill_words.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::core {
namespace {

constexpr std::size_t kCausesMax = 3;

std::string causes_text(std::span<const std::string> causes) {
  std::string text;
  for (std::size_t i = 0; i < std::min(causes.size(), kCausesMax); ++i) {
    const bool last = i + 1 == causes.size();
    text += (i == 0 ? "" : last ? " and " : ", ") + causes[i];
  }
  if (causes.size() > kCausesMax) text += fmt::format(" and {} more", causes.size() - kCausesMax);
  return text + (causes.size() == 1 ? " ends" : " end");
}

}  // namespace

PendingReason refusal_for(const RunTime& runs, std::optional<Millis> counted,
                          const PromisedStart& delayed, Instant now) {
  const std::string whose = delayed.collects
                                ? fmt::format("what is collected for {}", delayed.request)
                                : fmt::format("the reservation of {} at {}", delayed.request,
                                              format_rfc3339(delayed.start));
  std::string said;
  if (delayed.collects) {
    said = "would take places of " + whose;
  } else if (counted) {
    said = fmt::format("would end at {}, after {}", format_rfc3339(later(now, *counted)), whose);
  } else if (runs.estimate) {
    said = fmt::format(
        "could be in the way of {}: how long it runs is an estimate, which counts "
        "with annotation {}: \"true\"",
        whose, kYield);
  } else {
    said = fmt::format("could be in the way of {}: it does not say how long it runs", whose);
  }
  return {.reason = Waits::for_reservation, .message = std::move(said)};
}

std::string reserved_text(const PromisedStart& reservation, std::size_t nodes,
                          const std::string& one, std::span<const std::string> causes) {
  std::string text = "from " + format_rfc3339(reservation.start);
  if (nodes == 1) text += " on node " + one;
  if (nodes > 1) text += fmt::format(" on {} nodes", nodes);
  if (!causes.empty()) text += ", when " + causes_text(causes);
  if (!reservation.certain) text += "; an estimate";
  return text;
}

std::string collecting_text(std::size_t nodes_free, std::size_t nodes) {
  return fmt::format("collecting {} of {} nodes: nobody knows when the others come free",
                     nodes_free, nodes);
}

std::string let_pass_text(const PromisedStart& first, std::optional<Millis> length, Instant now) {
  if (first.collects) {
    return fmt::format("runs beside the places that are collected for {}", first.request);
  }
  const bool ends_before = length && later(now, *length) <= first.start;
  const std::string start = format_rfc3339(first.start);
  if (ends_before)
    return fmt::format("may run until {}; reserved for {} then", start, first.request);
  return fmt::format("runs beside what is reserved from {} on for {}", start, first.request);
}

std::string request_text(const RequestTable& table, const std::string& name) {
  const auto at = table.all().find(name);
  if (at != table.all().end()) {
    for (const model::OwnerReference& owner : at->second->object->meta.owners) {
      if (owner.controller) {
        return fmt::format("{} {}/{}", owner.kind, at->second->object->meta.ns, owner.name);
      }
    }
  }
  return "Workload " + name;
}

std::string pod_text(const model::Pod& pod) {
  return fmt::format("Pod {}/{}", pod.meta.ns, pod.meta.name);
}

}  // namespace tutti::core
