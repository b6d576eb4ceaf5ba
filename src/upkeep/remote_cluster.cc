#include "upkeep/remote_cluster.h"

#include <fmt/format.h>

#include <charconv>
#include <type_traits>
#include <utility>

#include "base/ascii.h"
#include "base/check.h"
#include "controllers/workloads/document.h"
#include "daemon/writes/paths.h"
#include "daemon/writes/request_bodies.h"
#include "model/cluster.h"
#include "model/job.h"
#include "store/typed.h"
#include "upkeep/request_document.h"
#include "wire/encode/encode.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::upkeep {
namespace {

constexpr Millis kWriteTimeout = std::chrono::seconds(10);
constexpr int kFewRetries = 4;
constexpr int kConflict = 409;
constexpr int kNotFound = 404;

// Kinds of other projects form their plural as all do.
std::string plural_of(const model::Object& object) {
  if (object.kind != model::Kind::other) return std::string(model::facts(object.kind).plural);
  std::string plural = static_cast<const model::OtherObject&>(object).kind_name + "s";
  for (char& letter : plural) letter = ascii_lower(letter);
  return plural;
}

std::string path_of(const model::Object& object, bool named, std::string_view subresource = {}) {
  return daemon::object_path(object.api_version, plural_of(object), object.meta.ns,
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

std::string owners_text(const SharedList<model::OwnerReference>& owners) {
  std::string text;
  for (const model::OwnerReference& owner : owners) {
    text += text.empty() ? "{" : ",{";
    const std::pair<std::string_view, const std::string&> members[] = {
        {"apiVersion", owner.api_version},
        {"kind", owner.kind},
        {"name", owner.name},
        {"uid", owner.uid}};
    for (const auto& [name, value] : members) {
      wire::append_json_string(text, name);
      text += ':';
      wire::append_json_string(text, value);
      text += ',';
    }
    text += fmt::format(R"("controller":{},"blockOwnerDeletion":{}}})", owner.controller,
                        owner.block_owner_deletion);
  }
  return "[" + text + "]";
}

// What was added or changed; nobody takes labels away here.
std::string map_text(const model::Labels& shown, const model::Labels& wanted) {
  std::string text;
  for (const auto& [key, value] : wanted) {
    const std::string* before = model::find(shown, key);
    if (before != nullptr && *before == value) continue;
    text += text.empty() ? "" : ",";
    wire::append_json_string(text, key);
    text += ':';
    wire::append_json_string(text, value);
  }
  return text.empty() ? text : "{" + text + "}";
}

// What differs. Lists come whole, with the version that they were read in: whoever writes in
// between is not undone.
std::string meta_patch(const model::ObjectMeta& shown, const model::ObjectMeta& wanted) {
  std::string text = fmt::format(R"({{"metadata":{{"uid":"{}")", shown.uid);
  const bool lists = shown.finalizers != wanted.finalizers || shown.owners != wanted.owners;
  if (lists) text += fmt::format(R"(,"resourceVersion":"{}")", shown.resource_version);
  if (shown.finalizers != wanted.finalizers) {
    text += R"(,"finalizers":)" + list_text(wanted.finalizers);
  }
  if (shown.owners != wanted.owners) {
    text += R"(,"ownerReferences":)" + owners_text(wanted.owners);
  }
  if (const auto labels = map_text(shown.labels, wanted.labels); !labels.empty()) {
    text += R"(,"labels":)" + labels;
  }
  if (const auto words = map_text(shown.annotations, wanted.annotations); !words.empty()) {
    text += R"(,"annotations":)" + words;
  }
  return text + "}}";
}

kube::Call merge_call(std::string path, std::string body) {
  kube::Call call = call_of("PATCH", std::move(path), std::move(body));
  call.content_type = "application/merge-patch+json";
  return call;
}

std::uint64_t version_in(const std::string& body) {
  std::uint64_t version = 0;
  // Without a version the next step is sent without one.
  (void)wire::read_json(body, [&](wire::Document&& document) {
    const std::string text = controllers::text_at(document.root(), {"metadata", "resourceVersion"});
    std::from_chars(text.data(), text.data() + text.size(), version);
    return ok_status();
  });
  return version;
}

// A Workload that comes back says of its pods' priority only the class.
model::ObjectPtr with_priorities(const model::ObjectPtr& object, const store::Store& objects) {
  if (object->kind != model::Kind::admission_request) return object;
  auto made =
      std::make_shared<model::AdmissionRequest>(model::as<model::AdmissionRequest>(*object));
  for (model::PodSet& set : made->spec.pod_sets) {
    if (set.pods.spec == nullptr || set.pods.spec->priority_class_name.empty()) continue;
    const auto named = objects.find<model::PriorityClass>({}, set.pods.spec->priority_class_name);
    if (named != nullptr) set.pods.priority = named->value;
  }
  return made;
}

void complete_document(model::Object& object) {
  if (object.kind != model::Kind::admission_request) return;
  object.document = full_document(static_cast<const model::AdmissionRequest&>(object));
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
    shown_[key] = with_priorities(change.object, copy_);
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
  complete_document(*sent);
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
  complete_document(*sent);
  tell();
  if (sent->kind == model::Kind::job && subresource.empty()) {
    send_job(key, sent);
    return written;
  }
  send(key, call_of("PUT", path_of(*sent, true, subresource), body_of(*sent)), "update");
  return written;
}

void RemoteCluster::send_job(const model::ObjectKey& key,
                             const std::shared_ptr<model::Object>& last) {
  const auto& shown = model::as<model::Job>(*shown_.at(key));
  const auto& wanted = model::as<model::Job>(*last);
  // The template of one that runs cannot be changed; its pods are told one by one.
  if (!wanted.suspend && !shown.suspend) return;
  std::vector<kube::Call> steps;
  if (wanted.suspend && !shown.suspend) {
    steps.push_back(merge_call(
        path_of(shown, true),
        fmt::format(R"({{"metadata":{{"uid":"{}"}},"spec":{{"suspend":true}}}})", shown.meta.uid)));
  }
  if (shown.status.start_time && (wanted.suspend || shown.suspend)) {
    steps.push_back(
        merge_call(path_of(shown, true, "status"),
                   fmt::format(R"({{"metadata":{{"uid":"{}"}},"status":{{"startTime":null}}}})",
                               shown.meta.uid)));
  }
  const auto put_last = [this, key, last](std::uint64_t version) {
    if (version != 0) last->meta.resource_version = version;
    send(key, call_of("PUT", path_of(*last, true), body_of(*last)), "update");
  };
  if (steps.empty()) return put_last(0);
  send_steps(key, std::move(steps), put_last);
}

void RemoteCluster::send_steps(const model::ObjectKey& key, std::vector<kube::Call> steps,
                               std::function<void(std::uint64_t version)> then) {
  if (!outside_.may_write()) return;
  ++open_;
  kube::Call next = std::move(steps.front());
  steps.erase(steps.begin());
  outside_.call(std::move(next), [this, key, steps = std::move(steps),
                                  then = std::move(then)](const kube::Answer& answer) {
    --open_;
    if (!answer.ok()) return answered(key, "update", answer);
    ++made_;
    if (!steps.empty()) return send_steps(key, steps, then);
    then(version_in(answer.body));
  });
}

// Whoever else writes the same object keeps what it wrote.
Result<model::ObjectPtr> RemoteCluster::patch_meta(
    const model::ObjectKey& key, const std::function<void(model::ObjectMeta&)>& edit) {
  const auto shown = shown_.find(key);
  if (shown == shown_.end()) return Error{Error::Code::not_found, "the server has not shown it"};
  model::ObjectMeta wanted = shown->second->meta;
  edit(wanted);
  auto call = merge_call(path_of(*shown->second, true), meta_patch(shown->second->meta, wanted));
  auto changed = copy_.patch(
      key,
      [&](model::Object& object) {
        object.meta.finalizers = wanted.finalizers;
        object.meta.labels = wanted.labels;
        object.meta.annotations = wanted.annotations;
        object.meta.owners = wanted.owners;
      },
      write());
  if (changed.ok()) dependents_.add(**changed);
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
