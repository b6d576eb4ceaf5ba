// The report as a tree of named values.
#include <string_view>

#include "queues/queue_report.h"

namespace tutti::queues {
namespace {

using explain::FieldSink;

void put(FieldSink& sink, std::string_view field, std::string_view value) {
  sink.field(field);
  sink.text(value);
}
void put(FieldSink& sink, std::string_view field, std::int64_t value) {
  sink.field(field);
  sink.number(value);
}

template <typename Items, typename Put>
void put_objects(FieldSink& sink, std::string_view field, const Items& items,
                 const Put& put_fields) {
  sink.field(field);
  sink.open_list();
  for (const auto& item : items) {
    sink.open_object();
    put_fields(item);
    sink.close_object();
  }
  sink.close_list();
}

void put_start(FieldSink& sink, const std::optional<Start>& start) {
  const Start known = start.value_or(Start{});
  put(sink, "start", word(known.kind));
  if (known.at) put(sink, "startAt", format_duration(*known.at));
}

void put_figures(FieldSink& sink, const FlavorFigures& figures) {
  const auto amount = [&](std::string_view field, std::int64_t units) {
    put(sink, field, core::amount_text(figures.resource, units));
  };
  put(sink, "flavor", figures.flavor);
  put(sink, "resource", figures.resource);
  amount("nominal", figures.nominal);
  amount("used", figures.used);
  amount("borrowed", figures.borrowed);
  amount("lent", figures.lent);
  amount("releasing", figures.releasing);
  // Where nobody has any, nothing is said of it.
  if (figures.guaranteed > 0) amount("guaranteed", figures.guaranteed);
  if (figures.burst > 0) amount("burst", figures.burst);
  if (figures.opportunistic > 0) amount("opportunistic", figures.opportunistic);
}

void put_queue(FieldSink& sink, const QueueLine& queue, const QueueReport& report) {
  put(sink, "name", queue.name);
  put(sink, "kind", word(queue.kind));
  put(sink, "parent", queue.parent);
  put_objects(sink, "resources", queue.resources,
              [&](const FlavorFigures& figures) { put_figures(sink, figures); });
  put(sink, "admitted", static_cast<std::int64_t>(queue.admitted));
  put(sink, "waiting", static_cast<std::int64_t>(queue.waiting));
  if (!queue.closed.empty()) put(sink, "closed", queue.closed);
  if (!queue.head) return;
  const RequestLine& head = report.requests[*queue.head];
  sink.field("head");
  sink.open_object();
  put(sink, "request", head.name);
  put(sink, "object", head.object);
  put(sink, "reason", head.reason);
  put(sink, "summary", wait_text(head));
  put_start(sink, head.start);
  sink.close_object();
}

void put_set(FieldSink& sink, const SetLine& set) {
  put(sink, "name", set.name);
  put(sink, "count", set.count);
  sink.field("asks");
  sink.open_object();
  for (const auto& [resource, amount] : set.asks) {
    put(sink, resource, core::amount_text(resource, amount));
  }
  sink.close_object();
  sink.field("flavors");
  sink.open_object();
  for (const auto& [resource, flavor] : set.flavors) put(sink, resource, flavor);
  sink.close_object();
}

void put_shortage(FieldSink& sink, const core::Shortage& shortage) {
  put(sink, "podSet", shortage.pod_set);
  put(sink, "flavor", shortage.flavor);
  put(sink, "resource", shortage.resource);
  put(sink, "need", core::amount_text(shortage.resource, shortage.need));
  put(sink, "have", core::amount_text(shortage.resource, shortage.have));
  sink.field("never");
  sink.flag(shortage.never);
}

void put_request(FieldSink& sink, const RequestLine& request) {
  put(sink, "request", request.name);
  put(sink, "object", request.object);
  put(sink, "localQueue", request.local_queue);
  put(sink, "clusterQueue", request.cluster_queue);
  put(sink, "state", request.state);
  put(sink, "priority", request.priority);
  if (request.tenure != quota::Tenure::ordinary) put(sink, "tenure", word(request.tenure));
  put_objects(sink, "podSets", request.sets, [&](const SetLine& set) { put_set(sink, set); });
  put_objects(sink, "evictions", request.evictions, [&](const EvictionLine& eviction) {
    put(sink, "reason", eviction.reason);
    put(sink, "cause", eviction.cause);
    put(sink, "count", eviction.count);
  });
  if (!request.evicted.empty()) put(sink, "evicted", request.evicted);
  if (request.state != "Pending") return;
  put(sink, "position", static_cast<std::int64_t>(request.position));
  put(sink, "waited", format_duration(request.waited));
  put(sink, "blocker", blocker_of(request));
  put(sink, "reason", request.reason);
  put(sink, "summary", wait_text(request));
  put_objects(sink, "shortages", request.shortages,
              [&](const core::Shortage& shortage) { put_shortage(sink, shortage); });
  put_start(sink, request.start);
}

}  // namespace

void walk(const QueueReport& report, explain::FieldSink& sink) {
  sink.open_object();
  put_objects(sink, "queues", report.queues,
              [&](const QueueLine& queue) { put_queue(sink, queue, report); });
  put_objects(sink, "requests", report.requests,
              [&](const RequestLine& request) { put_request(sink, request); });
  sink.close_object();
}

}  // namespace tutti::queues
