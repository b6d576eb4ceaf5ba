#include "explain/verdict/way.h"

#include "explain/verdict/verdict.h"

namespace tutti::explain {
namespace {

void put_text(FieldSink& sink, std::string_view field, std::string_view value) {
  sink.field(field);
  sink.text(value);
}

void put(const Datum& datum, FieldSink& sink) {
  switch (datum.type) {
    case Datum::Type::none:
    case Datum::Type::text:
      return sink.text(datum.text);
    case Datum::Type::number:
      return sink.number(datum.number);
    case Datum::Type::flag:
      return sink.flag(datum.number != 0);
    case Datum::Type::object:
      sink.open_object();
      for (const auto& [name, value] : datum.members) {
        sink.field(name);
        put(value, sink);
      }
      return sink.close_object();
    case Datum::Type::list:
      sink.open_list();
      for (const auto& [name, value] : datum.members) put(value, sink);
      return sink.close_list();
  }
}

void put(const ObjectName& object, FieldSink& sink) {
  sink.open_object();
  if (!object.api_version.empty()) put_text(sink, "apiVersion", object.api_version);
  put_text(sink, "kind", object.kind);
  if (!object.ns.empty()) put_text(sink, "namespace", object.ns);
  put_text(sink, "name", object.name);
  sink.close_object();
}

void put(const PatchStep& step, FieldSink& sink) {
  sink.open_object();
  put_text(sink, "op", step.op);
  put_text(sink, "path", step.path);
  if (step.value.type != Datum::Type::none) {
    sink.field("value");
    put(step.value, sink);
  }
  sink.close_object();
}

std::string_view verb_of(const ObjectChange& change) {
  if (change.remove) return "delete";
  if (change.copies > 0) return "copy";
  return change.create.type == Datum::Type::none ? "patch" : "create";
}

void put(const ObjectChange& change, FieldSink& sink) {
  sink.open_object();
  put_text(sink, "verb", verb_of(change));
  sink.field("objects");
  sink.open_list();
  for (const ObjectName& object : change.objects) put(object, sink);
  sink.close_list();
  if (!change.patch.empty()) {
    sink.field("patch");
    sink.open_list();
    for (const PatchStep& step : change.patch) put(step, sink);
    sink.close_list();
  }
  if (change.copies > 0) {
    sink.field("copies");
    sink.number(static_cast<std::int64_t>(change.copies));
  }
  if (change.create.type != Datum::Type::none) {
    sink.field("manifest");
    put(change.create, sink);
  }
  sink.close_object();
}

}  // namespace

std::string text_of(const ObjectName& object) {
  return object.ns.empty() ? object.kind + " " + object.name
                           : object.kind + " " + object.ns + "/" + object.name;
}

Datum Datum::of(std::string_view text) { return {Type::text, std::string(text), 0, {}}; }

Datum Datum::of(std::int64_t number) { return {Type::number, {}, number, {}}; }

Datum Datum::flag(bool value) { return {Type::flag, {}, value ? 1 : 0, {}}; }

Datum Datum::object(std::vector<std::pair<std::string, Datum>> members) {
  return {Type::object, {}, 0, std::move(members)};
}

Datum Datum::list(std::vector<Datum> items) {
  Datum made{Type::list, {}, 0, {}};
  for (Datum& item : items) made.members.emplace_back(std::string(), std::move(item));
  return made;
}

void walk(const Way& way, FieldSink& sink) {
  sink.open_object();
  put_text(sink, "kind", way.kind);
  put_text(sink, "summary", way.summary);
  sink.field("changes");
  sink.open_list();
  for (const ObjectChange& change : way.changes) put(change, sink);
  sink.close_list();
  if (!way.evicts.empty()) {
    sink.field("evicts");
    sink.open_list();
    for (const std::string& name : way.evicts) sink.text(name);
    sink.close_list();
  }
  sink.close_object();
}

}  // namespace tutti::explain
