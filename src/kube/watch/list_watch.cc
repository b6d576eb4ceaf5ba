#include "kube/watch/list_watch.h"

#include <fmt/format.h>

#include <array>
#include <optional>
#include <utility>

#include "base/text.h"
#include "wire/json_cursor.h"
#include "wire/json_reader.h"

namespace tutti::kube {
namespace {

using wire::Value;

// Who owns which field is up to half of an object's text and nothing we ever look at.
constexpr wire::SkippedMember kSkippedInItem{.name = "managedFields", .depth = 2};
constexpr wire::SkippedMember kSkippedInEvent{.name = "managedFields", .depth = 3};

Error malformed(std::string message) { return {Error::Code::malformed, std::move(message)}; }

std::string_view sighted_text(const Value* object, std::string_view name) {
  const Value* member = object != nullptr ? object->find(name) : nullptr;
  return member != nullptr && member->is_string() ? member->text() : std::string_view{};
}

ListedObject sight(const Value& value, wire::Decoder& decoder) {
  Result<std::shared_ptr<model::Object>> object = wire::decode(value, decoder);
  ListedObject sighting;
  if (object.ok()) {
    sighting.object = *std::move(object);
    return sighting;
  }
  const Value* meta = value.find("metadata");
  sighting.ns = sighted_text(meta, "namespace");
  sighting.name = sighted_text(meta, "name");
  sighting.problem = std::move(object).error().message;
  return sighting;
}

ListedObject illegible(Error error) {
  ListedObject sighting;
  sighting.problem = std::move(error).message;
  return sighting;
}

void imply(wire::Document& document, std::string_view name, std::string_view text) {
  Value& root = document.root();
  if (!root.is_object() || root.find(name) != nullptr) return;
  root.set_member(document.arena(), name, Value::string(document.arena(), text));
}

Result<ListPage> read_list_meta(std::string_view text) {
  ListPage page;
  TUTTI_TRY(wire::read_json(text, [&](wire::Document&& document) {
    page.version = sighted_text(&document.root(), "resourceVersion");
    page.continue_token = sighted_text(&document.root(), "continue");
    return ok_status();
  }));
  return page;
}

constexpr std::array<std::pair<std::string_view, WatchEvent::Type>, 5> kTypes = {{
    {"ADDED", WatchEvent::Type::added},
    {"MODIFIED", WatchEvent::Type::modified},
    {"DELETED", WatchEvent::Type::deleted},
    {"BOOKMARK", WatchEvent::Type::bookmark},
    {"ERROR", WatchEvent::Type::error},
}};

std::optional<WatchEvent::Type> type_of(std::string_view word) {
  for (const auto& [text, type] : kTypes) {
    if (text == word) return type;
  }
  return std::nullopt;
}

void read_error(const Value& status, WatchEvent& event) {
  const Value* code = status.find("code");
  if (code != nullptr && code->is_integer() && code->as_integer() > 0 &&
      code->as_integer() < 1000) {
    event.code = static_cast<int>(code->as_integer());
  }
  event.message = brief_line(sighted_text(&status, "message"));
}

Result<WatchEvent> event_of(const Value& root, wire::Decoder& decoder) {
  const std::optional<WatchEvent::Type> type = type_of(sighted_text(&root, "type"));
  const Value* object = root.find("object");
  if (!type || object == nullptr || !object->is_object()) {
    return malformed("not a watch event: it needs a known type and an object");
  }
  WatchEvent event;
  event.type = *type;
  if (event.type == WatchEvent::Type::error) {
    read_error(*object, event);
    return event;
  }
  event.version = sighted_text(object->find("metadata"), "resourceVersion");
  if (event.type != WatchEvent::Type::bookmark) event.sighting = sight(*object, decoder);
  return event;
}

}  // namespace

Result<ListPage> read_list_page(std::string_view text, std::string_view api_version,
                                std::string_view kind, wire::Decoder& decoder,
                                const std::function<void(ListedObject)>& seen) {
  const auto see = [&](wire::Document&& document) {
    imply(document, "apiVersion", api_version);
    imply(document, "kind", kind);
    seen(sight(document.root(), decoder));
    return ok_status();
  };
  Result<ListPage> page = malformed("the list has no metadata");
  wire::JsonCursor cursor(text);
  cursor.enter('{');
  while (const std::optional<std::string_view> key = cursor.next_key()) {
    const std::string_view rest = cursor.rest();
    if (*key == "items" && !rest.starts_with("null")) {
      cursor.enter('[');
      while (const std::optional<std::string_view> item = cursor.next_item()) {
        if (Status status = wire::read_json_without(kSkippedInItem, *item, see); !status.ok()) {
          seen(illegible(std::move(status).error()));
        }
      }
      continue;
    }
    const std::string_view value = cursor.skip_value();
    if (*key == "metadata") page = read_list_meta(value);
  }
  if (cursor.failed()) return malformed("the list is not JSON");
  if (page.ok() && page->version.empty()) return malformed("the list has no resource version");
  return page;
}

Result<WatchEvent> read_watch_event(std::string_view text, wire::Decoder& decoder) {
  std::optional<Result<WatchEvent>> event;
  TUTTI_TRY(
      wire::read_json_without(kSkippedInEvent, text, [&](wire::Document&& document) -> Status {
        if (event) return malformed("two events in one line");
        event.emplace(event_of(document.root(), decoder));
        return ok_status();
      }));
  if (!event) return malformed("an empty event");
  return *std::move(event);
}

}  // namespace tutti::kube
