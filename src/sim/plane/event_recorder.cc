#include "sim/plane/event_recorder.h"

#include <fmt/format.h>

#include <string>

#include "base/digest.h"
#include "model/cluster.h"

namespace tutti::sim {
namespace {

constexpr std::size_t kMessageMax = 1024;  // the API's limit

// Cuts at the limit without splitting a UTF-8 character.
std::string limited(std::string message) {
  if (message.size() <= kMessageMax) return message;
  std::size_t end = kMessageMax;
  while (end > 0 && (static_cast<unsigned char>(message[end]) & 0xC0U) == 0x80U) --end;
  message.resize(end);
  return message;
}

// Says the same of the same object: has the same name.
std::string event_name(const core::EventRecord& record, const std::string& message) {
  Digest digest;
  const std::string_view kind = model::facts(record.about->kind).name;
  for (const std::string_view part :
       {kind, std::string_view(record.about->meta.uid), std::string_view(record.type),
        std::string_view(record.reason), std::string_view(message)}) {
    digest.add(part);
  }
  return fmt::format("{}.{:016x}", record.about->meta.name, digest.value());
}

model::Event first_event(const core::EventRecord& record, std::string message, Instant now) {
  const auto& about = *record.about;
  model::Event event;
  event.api_version = "v1";
  event.meta.name = event_name(record, message);
  event.meta.ns = about.meta.ns.empty() ? "default" : about.meta.ns;
  event.involved = {about.api_version, std::string(model::facts(about.kind).name), about.meta.ns,
                    about.meta.name, about.meta.uid};
  event.type = record.type;
  event.reason = record.reason;
  event.action = record.action;
  event.message = std::move(message);
  event.reporting_controller = record.scheduler;
  event.first_seen = now;
  event.last_seen = now;
  return event;
}

}  // namespace

void record_event(Plane& plane, const core::EventRecord& record) {
  const Instant now = plane.clock.now();
  const auto event = first_event(record, limited(record.message), now);
  const auto key = model::key_of(event);
  if (!plane.store.get(key)) {
    must(plane.store.create(event, plane.write()));
    return;
  }
  must(plane.store.patch(
      key,
      [now](model::Object& object) {
        auto& known = static_cast<model::Event&>(object);
        ++known.count;
        known.last_seen = now;
      },
      plane.write()));
}

}  // namespace tutti::sim
