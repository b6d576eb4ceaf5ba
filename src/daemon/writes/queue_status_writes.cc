#include "daemon/writes/queue_status_writes.h"

#include <utility>

#include "daemon/writes/paths.h"
#include "daemon/writes/queue_bodies.h"

namespace tutti::daemon {
namespace {

constexpr std::size_t kStatusesUnderWay = 20;
constexpr int kStatusRetries = 4;
constexpr Millis kStatusTimeout = std::chrono::seconds(10);

kube::Call status_call(const model::Object& queue, std::string body) {
  kube::Call call;
  call.method = "PATCH";
  call.path = object_path(queue.api_version, model::facts(queue.kind).plural, queue.meta.ns,
                          queue.meta.name, "status");
  call.body = std::move(body);
  call.content_type = "application/merge-patch+json";
  call.timeout = kStatusTimeout;
  call.retries_max = kStatusRetries;
  return call;
}

}  // namespace

QueueStatusWrites::QueueStatusWrites(Outside outside, Millis pause)
    : outside_(std::move(outside)), pause_(pause), lane_(kStatusesUnderWay) {}

void QueueStatusWrites::write(const model::ObjectPtr& queue) {
  const model::ObjectKey key = model::key_of(*queue);
  const auto [at, fresh] = entries_.try_emplace(key);
  at->second.wanted = queue;
  if (fresh) send(key);
}

void QueueStatusWrites::send(const model::ObjectKey& key) {
  Entry& entry = entries_.at(key);
  const model::ObjectPtr queue = std::exchange(entry.wanted, nullptr);
  entry.pause = outside_.after(pause_, [this, key] { rested(key); });
  std::string body = queue_status_body(*queue);
  if (entry.told == body) return;
  entry.told = body;
  lane_.add([this, queue, body = std::move(body)](const CallQueue::Done& done) {
    outside_.call(status_call(*queue, body), [this, queue, done](const kube::Answer& answer) {
      done();
      // One that is gone, or another of its name, has no such status.
      if (answer.ok() || answer.status == 404 || answer.status == 409) return;
      outside_.complain("write the status of " + model::describe(*queue), answer);
    });
  });
}

void QueueStatusWrites::rested(const model::ObjectKey& key) {
  if (entries_.at(key).wanted != nullptr) return send(key);
  // The timer that calls us is the entry's own.
  const auto rested = entries_.extract(key);
}

}  // namespace tutti::daemon
