// The report as a tree of named values.
#include <algorithm>
#include <string_view>

#include "capacity/report.h"
#include "core/requests/pending_reason.h"

namespace tutti::capacity {
namespace {

using explain::FieldSink;

void put(FieldSink& sink, std::string_view field, std::string_view value) {
  sink.field(field);
  sink.text(value);
}
void put(FieldSink& sink, std::string_view field, std::size_t value) {
  sink.field(field);
  sink.number(static_cast<std::int64_t>(value));
}
void put_flag(FieldSink& sink, std::string_view field, bool value) {
  sink.field(field);
  sink.flag(value);
}

template <typename Items, typename Put>
void put_list(FieldSink& sink, std::string_view field, const Items& items, const Put& put_item) {
  sink.field(field);
  sink.open_list();
  for (const auto& item : items) put_item(item);
  sink.close_list();
}
template <typename Items, typename Put>
void put_objects(FieldSink& sink, std::string_view field, const Items& items,
                 const Put& put_fields) {
  put_list(sink, field, items, [&](const auto& item) {
    sink.open_object();
    put_fields(item);
    sink.close_object();
  });
}
template <typename Items>
void put_texts(FieldSink& sink, std::string_view field, const Items& items) {
  put_list(sink, field, items, [&](const std::string& item) { sink.text(item); });
}

void put_duration(FieldSink& sink, std::string_view field, Millis value) {
  put(sink, field, format_duration(value));
}

std::string_view level_name(std::string_view key) { return key.empty() ? "cluster" : key; }

void put_level_room(FieldSink& sink, const LevelCapacity& room) {
  put(sink, "level", level_name(room.key));
  put(sink, "gang", room.gang);
  put_flag(sink, "exact", room.exact);
  put(sink, "domain", room.domain);
  put_objects(sink, "domains", room.domains, [&](const DomainCapacity& domain) {
    put(sink, "value", domain.value);
    put(sink, "gang", domain.gang);
  });
}

void put_shape(FieldSink& sink, const ShapeRoom& room) {
  put(sink, "requests", room.shape.requests);
  put_texts(sink, "wishes", room.shape.wishes);
  put(sink, "running", room.shape.running);
  put(sink, "waiting", room.shape.waiting);
  put(sink, "ifPooled", room.pooled);
  put_objects(sink, "largestGang", room.levels,
              [&](const LevelCapacity& level) { put_level_room(sink, level); });
}

void put_device(FieldSink& sink, const DeviceUse& use) {
  put(sink, "name", use.name);
  put(sink, "part", use.part.value_or(""));
  put(sink, "source", use.claimed ? "resourceSlices" : "nodes");
  put(sink, "total", use.total);
  put(sink, "held", use.held);
  put(sink, "heldByIncompleteGroups", use.held_by_incomplete);
  put(sink, "idle", use.idle());
  put(sink, "usable", use.usable);
  put_objects(sink, "unusable", use.unusable, [&](const IdleCount& idle) {
    put(sink, "reason", name(idle.reason));
    put(sink, "devices", idle.devices);
    put_objects(sink, "nodes", idle.places, [&](const IdleCount::Place& place) {
      put(sink, "name", place.node);
      put(sink, "devices", place.devices);
    });
  });
}

void put_incomplete(FieldSink& sink, const IncompleteGroup& group) {
  put(sink, "group", group.name);
  put(sink, "placed", group.placed);
  put(sink, "minimum", group.minimum);
  put(sink, "why", group.why);
  put_objects(sink, "devices", group.devices, [&](const auto& held) {
    put(sink, "name", held.first);
    put(sink, "held", held.second);
  });
}

void put_amounts(FieldSink& sink, std::string_view field,
                 const std::vector<explain::Amount>& amounts) {
  sink.field(field);
  sink.open_object();
  for (const explain::Amount& amount : amounts) put(sink, amount.what, amount.quantity);
  sink.close_object();
}

void put_waiting(FieldSink& sink, const Waiting& waiting) {
  put(sink, "name", waiting.name);
  sink.field("priority");
  sink.number(waiting.priority);
  put(sink, "pods", waiting.pods);
  put_duration(sink, "waited", waiting.waited);
  put(sink, "state", explain::name(waiting.verdict.state));
  put(sink, "blocker", explain::name(waiting.verdict.blocker));
  put(sink, "summary", waiting.verdict.summary);
  put(sink, "needs", waiting.needs);
  put(sink, "fits", waiting.fits);
  put_amounts(sink, "need", waiting.verdict.need);
  put_amounts(sink, "have", waiting.verdict.have);
}

void put_fragmented(FieldSink& sink, const std::vector<Waiting>& queue) {
  sink.field("fragmentation");
  sink.open_list();
  for (const Waiting& waiting : queue) {
    if (!fragmented(waiting)) continue;
    sink.open_object();
    put(sink, "name", waiting.name);
    put(sink, "needs", waiting.needs);
    put(sink, "fits", waiting.fits);
    put(sink, "short", waiting.needs - std::min(waiting.needs, waiting.fits));
    put_amounts(sink, "need", waiting.verdict.need);
    put_amounts(sink, "have", waiting.verdict.have);
    sink.close_object();
  }
  sink.close_list();
}

void put_pending(FieldSink& sink, const PendingCost& cost) {
  put(sink, "blocker", cost.blocker);
  put(sink, "constraint", cost.constraint);
  put(sink, "entities", cost.entities);
  put_duration(sink, "waited", cost.waited);
  put_duration(sink, "podTime", cost.pod_time);
}

void put_head(FieldSink& sink, const Backfill& head) {
  sink.field("head");
  sink.open_object();
  put(sink, "name", head.head);
  put(sink, "starts", head.starts ? format_rfc3339(*head.starts) : "");
  put(sink, "unknownBecause", head.why);
  put_objects(sink, "mayRunFirst", head.beside, [&](const Backfill::Beside& beside) {
    put(sink, "requests", beside.requests);
    put(sink, "anyLength", beside.any_length);
    put(sink, "ifEndedByThen", beside.until_then);
  });
  sink.close_object();
}

void put_reservation(FieldSink& sink, const PromisedRoom& room) {
  put(sink, "request", room.request);
  put(sink, "start", room.start ? format_rfc3339(*room.start) : "");
  put_flag(sink, "certain", room.certain);
  put_texts(sink, "flavors", room.flavors);
  put_texts(sink, "nodes", room.nodes);
  put_texts(sink, "waitsFor", room.waits_for);
}

void put_eviction(FieldSink& sink, const Eviction& eviction) {
  put(sink, "name", eviction.name);
  put(sink, "outcome", eviction.verdict.outcome);
  put(sink, "summary", eviction.verdict.summary);
  sink.field("priority");
  sink.number(eviction.priority);
  sink.field("priorityNeeded");
  sink.number(eviction.priority_needed);
  put(sink, "podsGained", eviction.pods);
  put_objects(sink, "devicesGained", eviction.devices, [&](const auto& gained) {
    put(sink, "name", gained.first);
    put(sink, "devices", gained.second);
  });
  explain::walk(eviction.verdict.lost, sink);
  put(sink, "budgetViolations", eviction.verdict.violations);
  put_flag(sink, "least", eviction.verdict.least);
  put_objects(sink, "victims", eviction.verdict.victims,
              [&](const explain::Preemption::Unit& unit) {
                put(sink, "name", unit.name);
                sink.field("priority");
                sink.number(unit.priority);
                explain::walk(unit.lost, sink);
                put_texts(sink, "pods", unit.pods);
              });
}

void put_quota_amount(FieldSink& sink, std::string_view field, std::string_view resource,
                      std::int64_t amount) {
  put(sink, field, core::amount_text(resource, amount));
}

void put_cover(FieldSink& sink, const FlavorCover& cover) {
  put(sink, "flavor", cover.flavor);
  put(sink, "resource", cover.resource);
  put(sink, "nodes", cover.nodes);
  put_quota_amount(sink, "nominal", cover.resource, cover.nominal);
  put_quota_amount(sink, "machines", cover.resource, cover.machines);
  put_quota_amount(sink, "quotaWithoutMachines", cover.resource, cover.quota_without_machines());
  put_quota_amount(sink, "machinesWithoutQuota", cover.resource, cover.machines_without_quota());
  put_objects(sink, "queues", cover.promises, [&](const FlavorCover::Promise& promise) {
    put(sink, "name", promise.owner);
    put_quota_amount(sink, "nominal", cover.resource, promise.nominal);
    put_quota_amount(sink, "withoutMachines", cover.resource, promise.unbacked);
  });
}

void put_quota(FieldSink& sink, const QuotaCover& quota) {
  sink.field("quota");
  sink.open_object();
  put_objects(sink, "flavors", quota.flavors,
              [&](const FlavorCover& cover) { put_cover(sink, cover); });
  put_objects(sink, "uncovered", quota.uncovered, [&](const Uncovered& line) {
    put(sink, "resource", line.resource);
    put_quota_amount(sink, "machinesWithoutQuota", line.resource, line.machines);
    put_texts(sink, "nodes", line.nodes);
  });
  sink.close_object();
}

}  // namespace

void walk(const Report& report, FieldSink& sink) {
  sink.open_object();
  put(sink, "at", format_rfc3339(report.at));
  put(sink, "nodes", report.nodes);
  put(sink, "pods", report.pods);
  put_objects(sink, "levels", report.levels, [&](const Level& level) {
    put(sink, "level", level_name(level.key));
    put(sink, "domains", level.domains);
  });
  put_objects(sink, "shapes", report.shapes,
              [&](const ShapeRoom& shape) { put_shape(sink, shape); });
  put(sink, "moreShapes", report.more_shapes);
  put_objects(sink, "devices", report.devices,
              [&](const DeviceUse& use) { put_device(sink, use); });
  put_objects(sink, "incompleteGroups", report.incomplete,
              [&](const IncompleteGroup& group) { put_incomplete(sink, group); });
  put_fragmented(sink, report.queue.lines);
  put(sink, "morePodsIfPacked", report.more_if_packed);
  put_objects(sink, "queue", report.queue.lines,
              [&](const Waiting& waiting) { put_waiting(sink, waiting); });
  put(sink, "moreWaiting", report.queue.more);
  put_objects(sink, "pendingTime", report.pending,
              [&](const PendingCost& cost) { put_pending(sink, cost); });
  put_head(sink, report.head);
  if (!report.reservations.empty()) {
    put_objects(sink, "reservations", report.reservations,
                [&](const PromisedRoom& room) { put_reservation(sink, room); });
  }
  put_objects(sink, "preemptions", report.evictions,
              [&](const Eviction& eviction) { put_eviction(sink, eviction); });
  put_quota(sink, report.quota);
  sink.close_object();
}

}  // namespace tutti::capacity
