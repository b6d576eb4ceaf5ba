#include "upkeep/remote_cluster.h"

#include <fmt/format.h>

#include <type_traits>
#include <utility>

#include "base/check.h"
#include "daemon/writes/paths.h"
#include "daemon/writes/request_bodies.h"
#include "store/typed.h"
#include "wire/encode/encode.h"
#include "wire/json_writer.h"

namespace tutti::upkeep {
namespace {

constexpr Millis kWriteTimeout = std::chrono::seconds(10);
constexpr int kFewRetries = 4;
constexpr int kConflict = 409;
constexpr int kNotFound = 404;

std::string path_of(const model::Object& object, bool named, std::string_view subresource = {}) {
  return daemon::object_path(object.api_version, model::facts(object.kind).plural, object.meta.ns,
                             named ? std::string_view(object.meta.name) : std::string_view(),
                             subresource);
}

kube::Call call_of(std::string method, std::string path, std::string body) {
  kube::Call call;
  call.method = std::move(method);
  call.path = std::move(path);
  call.body = std::move(body);
  call.timeout = kWriteTimeout;
  call.retries_max = kFewRetries;
  return call;
}

std::string body_of(const model::Object& object) {
  wire::Document document;
  return wire::to_json(wire::encode(object, document));
}

// What only the server may say of an object.
void forget_server_fields(model::ObjectMeta& meta) {
  meta.uid.clear();
  meta.resource_version = 0;
  meta.generation = 0;
  meta.created.reset();
}

std::string list_text(const SharedList<std::string>& words) {
  std::string text;
  for (const std::string& word : words) {
    text += text.empty() ? "" : ",";
    wire::append_json_string(text, word);
  }
  return "[" + text + "]";
}

// The whole list with the version that it was read in: whoever writes in between is not undone.
std::string finalizers_patch(const model::ObjectMeta& shown, const model::ObjectMeta& wanted) {
  return fmt::format(R"({{"metadata":{{"uid":"{}","resourceVersion":"{}","finalizers":{}}}}})",
                     shown.uid, shown.resource_version, list_text(wanted.finalizers));
}

// Everything but what the store itself keeps.
void assign(model::Object& to, const model::Object& from) {
  store::with_type(from, [&](const auto& typed) {
    using T = std::remove_cvref_t<decltype(typed)>;
    const std::uint64_t version = to.meta.resource_version;
    static_cast<T&>(to) = typed;
    to.meta.resource_version = version;
  });
}

}  // namespace

RemoteCluster::RemoteCluster(net::Loop& loop, std::string instance, Outside outside, Millis pause)
    : loop_(loop), instance_(std::move(instance)), outside_(std::move(outside)), pause_(pause) {}

// --- what the server shows -----------------------------------------------------------------------

void RemoteCluster::observe(const kube::Change& change) {
  const auto key = model::key_of(*change.object);
  again_.erase(key);
  if (change.type == kube::Change::Type::deleted) {
    shown_.erase(key);
  } else {
    shown_[key] = change.object;
  }
  show(key);
}

void RemoteCluster::show(const model::ObjectKey& key) {
  const auto at = shown_.find(key);
  const model::ObjectPtr present = copy_.get(key);
  const bool same = at != shown_.end() && present && present->meta.uid == at->second->meta.uid;
  if (present && !same) erase(key);
  if (at != shown_.end()) {
    // A copy that the store refuses is left out: the cluster has the last word about it.
    if (!same) (void)copy_.create(*at->second, write());
    // Also of a new one: the store begins with objects that live.
    (void)copy_.patch(
        key, [&](model::Object& object) { assign(object, *at->second); }, write());
    dependents_.add(*at->second);
  }
  tell();
}

void RemoteCluster::erase(const model::ObjectKey& key) {
  store::Removal at_once;
  at_once.grace_seconds = 0;
  // What the copy does not have is erased.
  (void)copy_.patch(
      key, [](model::Object& object) { object.meta.finalizers.clear(); }, write());
  (void)copy_.remove(key, write(), at_once);
}

std::vector<store::WatchEvent> RemoteCluster::take_changes() {
  told_ = false;
  std::vector<store::WatchEvent> changes;
  while (watch_.behind()) {
    auto some = watch_.poll(store::kHistoryDefault);
    TUTTI_CHECK(some.ok(), "nobody else forgets changes");
    for (auto& change : *some) changes.push_back(std::move(change));
  }
  copy_.forget_changes(watch_.seen());
  for (const auto& change : changes) dependents_.observe(change);
  return changes;
}

void RemoteCluster::tell() {
  if (std::exchange(told_, true)) return;
  loop_.post([this] { outside_.changed(); });
}

// --- writes --------------------------------------------------------------------------------------

Result<model::ObjectPtr> RemoteCluster::create(const model::Object& object) {
  TUTTI_ASSIGN(auto made, copy_.create(object, write()));
  dependents_.add(*made);
  tell();
  const auto sent = store::clone(object);
  forget_server_fields(sent->meta);
  send(model::key_of(object), call_of("POST", path_of(object, false), body_of(*sent)), "create");
  return made;
}

Result<model::ObjectPtr> RemoteCluster::update(const model::Object& object) {
  return put(copy_.update(object, write()), {});
}

Result<model::ObjectPtr> RemoteCluster::update_status(const model::Object& object) {
  return put(copy_.update_status(object, write()), "status");
}

Result<model::ObjectPtr> RemoteCluster::put(Result<model::ObjectPtr> written,
                                            std::string_view subresource) {
  if (!written.ok()) return written;
  const auto key = model::key_of(**written);
  const auto shown = shown_.find(key);
  if (shown == shown_.end()) return Error{Error::Code::conflict, "it is still being created"};
  const auto sent = store::clone(**written);
  sent->meta.resource_version = shown->second->meta.resource_version;
  tell();
  send(key, call_of("PUT", path_of(*sent, true, subresource), body_of(*sent)), "update");
  return written;
}

// Finalizers are what controllers change; the labels and owners of others are left as they are.
Result<model::ObjectPtr> RemoteCluster::patch_meta(
    const model::ObjectKey& key, const std::function<void(model::ObjectMeta&)>& edit) {
  const auto shown = shown_.find(key);
  if (shown == shown_.end()) return Error{Error::Code::not_found, "the server has not shown it"};
  model::ObjectMeta wanted = shown->second->meta;
  edit(wanted);
  auto call = call_of("PATCH", path_of(*shown->second, true),
                      finalizers_patch(shown->second->meta, wanted));
  call.content_type = "application/merge-patch+json";
  auto changed = copy_.patch(
      key, [&](model::Object& object) { object.meta.finalizers = wanted.finalizers; }, write());
  tell();
  send(key, std::move(call), "change");
  return changed;
}

void RemoteCluster::remove(const model::ObjectKey& key) {
  const auto shown = shown_.find(key);
  if (shown == shown_.end()) return;
  // The cluster decides; what the copy does not have need not go.
  (void)copy_.remove(key, write());
  tell();
  send(key,
       call_of("DELETE", path_of(*shown->second, true),
               daemon::delete_body(shown->second->meta.uid)),
       "delete");
}

void RemoteCluster::send(const model::ObjectKey& key, kube::Call call, const std::string& what) {
  if (!outside_.may_write()) return;
  ++open_;
  outside_.call(std::move(call), [this, key, what](const kube::Answer& answer) {
    --open_;
    answered(key, what, answer);
  });
}

// A conflict, and something that is not there, is news on its way.
void RemoteCluster::answered(const model::ObjectKey& key, const std::string& what,
                             const kube::Answer& answer) {
  ++made_;
  if (answer.ok()) return;
  ++failed_;
  if (answer.status != kConflict && answer.status != kNotFound) {
    outside_.trouble(
        fmt::format("could not {} {}: {}", what, model::describe(key), answer.message));
  }
  again_[key] = loop_.after(pause_, [this, key] {
    const auto timer = again_.extract(key);
    show(key);
  });
}

void RemoteCluster::record(const controllers::Note& note) {
  if (!note.about || !outside_.may_write()) return;
  const std::string& ns = note.about->meta.ns;
  const std::string name = fmt::format("{}.{:x}{:04x}", note.about->meta.name,
                                       now().time_since_epoch().count(), events_++);
  const core::EventRecord event{note.about,   note.warning ? "Warning" : "Normal",
                                note.reason,  "Reconciling",
                                note.message, std::string(note.reporter)};
  outside_.call(call_of("POST",
                        daemon::object_path("events.k8s.io/v1", "events",
                                            ns.empty() ? std::string_view("default") : ns),
                        daemon::event_body(event, name, instance_, now())),
                [](const kube::Answer&) {});
}

}  // namespace tutti::upkeep
