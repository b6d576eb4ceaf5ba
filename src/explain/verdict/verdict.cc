#include "explain/verdict/verdict.h"

#include <cstdint>
#include <iterator>
#include <string>

namespace tutti::explain {
namespace {

// In the order of the enumerations.
constexpr std::string_view kStates[] = {"Running",    "Waiting",    "Held",
                                        "Preempting", "Impossible", "Invalid"};
constexpr std::string_view kBlockers[] = {"",        "incomplete",   "gated",         "badRequest",
                                          "budget",  "capacity",     "fragmentation", "topology",
                                          "devices", "deviceHealth", "quota",         "priority",
                                          "ports",   "volumes",      "affinity",      "taints"};
static_assert(std::size(kStates) == static_cast<std::size_t>(State::invalid) + 1);
static_assert(std::size(kBlockers) == static_cast<std::size_t>(Blocker::taints) + 1);

void put(FieldSink& sink, std::string_view field, std::string_view value) {
  sink.field(field);
  sink.text(value);
}

void put(FieldSink& sink, std::string_view field, std::size_t value) {
  sink.field(field);
  sink.number(static_cast<std::int64_t>(value));
}

template <typename Items, typename Each>
void put_list(FieldSink& sink, std::string_view field, const Items& items, Each each) {
  sink.field(field);
  sink.open_list();
  for (const auto& item : items) each(item);
  sink.close_list();
}

void put_object(FieldSink& sink, const ObjectName& object) {
  sink.field("object");
  sink.open_object();
  put(sink, "kind", object.kind);
  put(sink, "namespace", object.ns);
  put(sink, "name", object.name);
  sink.close_object();
}

void put_amounts(FieldSink& sink, std::string_view field, const std::vector<Amount>& amounts) {
  sink.field(field);
  sink.open_object();
  for (const auto& amount : amounts) put(sink, amount.what, amount.quantity);
  sink.close_object();
}

void put_reasons(FieldSink& sink, std::string_view field,
                 const std::vector<CountedReason>& reasons) {
  put_list(sink, field, reasons, [&](const CountedReason& reason) {
    sink.open_object();
    put(sink, "count", reason.count);
    put(sink, "reason", reason.reason);
    put(sink, "plugin", reason.plugin);
    sink.close_object();
  });
}

void put_domain(FieldSink& sink, const Domain& domain) {
  sink.open_object();
  put(sink, "key", domain.key);
  put(sink, "value", domain.value);
  put(sink, "fit", domain.fit);
  put(sink, "needed", domain.needed);
  put_reasons(sink, "reasons", domain.reasons);
  sink.close_object();
}

void put_unit(FieldSink& sink, const Preemption::Unit& unit) {
  sink.open_object();
  put(sink, "name", unit.name);
  sink.field("priority");
  sink.number(unit.priority);
  walk(unit.lost, sink);
  put_list(sink, "pods", unit.pods, [&](const std::string& pod) { sink.text(pod); });
  if (!unit.shrinks.empty()) put(sink, "shrinks", unit.shrinks);
  sink.close_object();
}

void put_preemption(FieldSink& sink, const Preemption& preemption) {
  sink.field("preemption");
  sink.open_object();
  put(sink, "outcome", preemption.outcome);
  put(sink, "summary", preemption.summary);
  put_list(sink, "victims", preemption.victims,
           [&](const Preemption::Unit& unit) { put_unit(sink, unit); });
  put(sink, "budgetViolations", preemption.violations);
  walk(preemption.lost, sink);
  put_amounts(sink, "gain", preemption.gain);
  sink.field("least");
  sink.flag(preemption.least);
  put_list(sink, "refusedCounts", preemption.refused_counts,
           [&](const Preemption::RefusedCount& refused) {
             sink.open_object();
             put(sink, "reason", refused.reason);
             put(sink, "count", refused.count);
             sink.close_object();
           });
  put_list(sink, "refused", preemption.refused, [&](const Preemption::Refused& refused) {
    sink.open_object();
    put(sink, "name", refused.name);
    put(sink, "reason", refused.reason);
    put(sink, "why", refused.why);
    sink.close_object();
  });
  sink.close_object();
}

}  // namespace

std::string_view name(State state) { return kStates[static_cast<std::size_t>(state)]; }

std::string_view name(Blocker blocker) { return kBlockers[static_cast<std::size_t>(blocker)]; }

void walk(const Preemption::Lost& lost, FieldSink& sink) {
  sink.field("lost");
  sink.text(lost.text);
  sink.field("deviceSeconds");
  sink.number(lost.device_seconds);
  sink.field("coreSeconds");
  sink.number(lost.core_seconds);
  sink.field("weightedCost");
  sink.number(lost.weighted_cost);
}

void walk(const Verdict& verdict, FieldSink& sink) {
  sink.open_object();
  put_object(sink, verdict.object);
  put(sink, "state", name(verdict.state));
  put(sink, "blocker", name(verdict.blocker));
  put(sink, "summary", verdict.summary);
  put_amounts(sink, "need", verdict.need);
  put_amounts(sink, "have", verdict.have);
  put_list(sink, "domains", verdict.domains,
           [&](const Domain& domain) { put_domain(sink, domain); });
  put_reasons(sink, "nodes", verdict.nodes);
  put_list(sink, "ways", verdict.ways, [&](const Way& way) { walk(way, sink); });
  put(sink, "next", verdict.next);
  put(sink, "ahead", verdict.ahead);
  if (!verdict.preemption.outcome.empty()) put_preemption(sink, verdict.preemption);
  if (verdict.queue) walk(*verdict.queue, sink);
  sink.close_object();
}

}  // namespace tutti::explain
