#include "explain/verdict/queue_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "explain/verdict/text.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {
namespace {

void put_word(FieldSink& sink, std::string_view field, std::string_view value) {
  sink.field(field);
  sink.text(value);
}

void put_number(FieldSink& sink, std::string_view field, std::size_t value) {
  sink.field(field);
  sink.number(static_cast<std::int64_t>(value));
}

void put_resource(FieldSink& sink, const QueueView::Resource& resource) {
  sink.open_object();
  put_word(sink, "resource", resource.resource);
  put_word(sink, "need", resource.need);
  put_word(sink, "nominal", resource.nominal);
  put_word(sink, "used", resource.used);
  put_word(sink, "borrowed", resource.borrowed);
  put_word(sink, "free", resource.free);
  sink.close_object();
}

void put_flavor(FieldSink& sink, const QueueView::Flavor& flavor) {
  sink.open_object();
  put_word(sink, "name", flavor.name);
  put_word(sink, "mode", flavor.mode);
  put_number(sink, "borrowLevel", flavor.borrow_level);
  put_word(sink, "why", flavor.why);
  sink.field("room");
  sink.open_list();
  for (const auto& resource : flavor.resources) put_resource(sink, resource);
  sink.close_list();
  sink.close_object();
}

void put_holder(FieldSink& sink, const QueueView::Holder& holder) {
  sink.open_object();
  put_word(sink, "name", holder.name);
  put_word(sink, "queue", holder.queue);
  put_word(sink, "flavor", holder.flavor);
  put_word(sink, "resource", holder.resource);
  put_word(sink, "amount", holder.amount);
  sink.close_object();
}

void append_flavors(const QueueView& view, std::string& page) {
  if (view.flavors.empty()) return;
  std::size_t name = 6;
  std::size_t resource = 8;
  for (const auto& flavor : view.flavors) {
    name = std::max(name, flavor.name.size());
    for (const auto& each : flavor.resources) resource = std::max(resource, each.resource.size());
  }
  auto out = std::back_inserter(page);
  fmt::format_to(out, "\n{:<{}}  {:<{}}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}\n", "FLAVOR", name,
                 "RESOURCE", resource, "NEED", "NOMINAL", "USED", "BORROWED", "FREE");
  for (const auto& flavor : view.flavors) {
    if (!flavor.why.empty()) fmt::format_to(out, "{:<{}}  {}\n", flavor.name, name, flavor.why);
    for (const auto& each : flavor.resources) {
      fmt::format_to(out, "{:<{}}  {:<{}}  {:>8}  {:>8}  {:>8}  {:>8}  {:>8}\n", flavor.name, name,
                     each.resource, resource, each.need, each.nominal, each.used, each.borrowed,
                     each.free);
    }
  }
}

void append_holders(const QueueView& view, std::string& page) {
  constexpr std::size_t kShown = 10;
  if (view.competitors.empty()) return;
  auto out = std::back_inserter(page);
  fmt::format_to(out, "\nused by\n");
  for (std::size_t i = 0; i < std::min(kShown, view.competitors.size()); ++i) {
    const auto& holder = view.competitors[i];
    fmt::format_to(out, "  {} {} of flavor {}: {} (queue {})\n", holder.amount, holder.resource,
                   holder.flavor, holder.name, holder.queue);
  }
  if (view.competitors.size() > kShown) {
    fmt::format_to(out, "  and {} more\n", view.competitors.size() - kShown);
  }
}

}  // namespace

void walk(const QueueView& view, FieldSink& sink) {
  sink.field("queue");
  sink.open_object();
  put_word(sink, "clusterQueue", view.cluster_queue);
  put_word(sink, "localQueue", view.local_queue);
  put_word(sink, "reason", view.reason);
  put_number(sink, "position", view.position);
  sink.field("ahead");
  sink.open_list();
  for (const std::string& name : view.ahead) sink.text(name);
  sink.close_list();
  sink.close_object();
  sink.field("flavors");
  sink.open_list();
  for (const auto& flavor : view.flavors) put_flavor(sink, flavor);
  sink.close_list();
  sink.field("competitors");
  sink.open_list();
  for (const auto& holder : view.competitors) put_holder(sink, holder);
  sink.close_list();
}

void append_text(const QueueView& view, std::string& page) {
  append_flavors(view, page);
  append_holders(view, page);
}

}  // namespace tutti::explain
