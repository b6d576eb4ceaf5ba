#include "daemon/writes/request_writes.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <limits>
#include <utility>

#include "core/framework/request_merge.h"
#include "daemon/writes/paths.h"
#include "daemon/writes/queue_bodies.h"
#include "wire/decode/decode.h"
#include "wire/json_reader.h"

namespace tutti::daemon {
namespace {

constexpr std::size_t kRequestsUnderWay = 50;
constexpr Millis kRequestTimeout = std::chrono::seconds(10);
constexpr Millis kRequestPause = std::chrono::milliseconds(50);
// Quota that was given is given: a write is not given up while we lead.
constexpr int kRequestRetries = std::numeric_limits<int>::max();

std::string name_of(const model::Object& object) { return object.meta.ns + "/" + object.meta.name; }

std::string path_of(const model::Object& object, std::string_view subresource) {
  return object_path(object.api_version, model::facts(object.kind).plural, object.meta.ns,
                     object.meta.name, subresource);
}

kube::Call merge_patch(std::string path, std::string body) {
  kube::Call call;
  call.method = "PATCH";
  call.path = std::move(path);
  call.body = std::move(body);
  call.content_type = "application/merge-patch+json";
  call.timeout = kRequestTimeout;
  call.retries_max = kRequestRetries;
  return call;
}

std::shared_ptr<model::AdmissionRequest> request_in(const std::string& body) {
  std::shared_ptr<model::AdmissionRequest> request;
  // A body that cannot be read holds no request.
  (void)wire::read_json(body, [&](wire::Document&& document) -> Status {
    wire::Decoder decoder(wire::Decoder::Documents::dropped);
    const auto object = wire::decode(document.root(), decoder);
    if (object.ok() && (*object)->kind == model::Kind::admission_request) {
      request = std::static_pointer_cast<model::AdmissionRequest>(*object);
    }
    return ok_status();
  });
  return request;
}

std::uint64_t version_in(const std::string& body) {
  std::uint64_t version = 0;
  // Without an answer that can be read the watch will tell.
  (void)wire::read_json(body, [&](wire::Document&& document) -> Status {
    const wire::Value* meta = document.root().find("metadata");
    const wire::Value* text = meta != nullptr ? meta->find("resourceVersion") : nullptr;
    if (text == nullptr || !text->is_string()) return ok_status();
    const std::string_view digits = text->text();
    std::from_chars(digits.data(), digits.data() + digits.size(), version);
    return ok_status();
  });
  return version;
}

const model::AdmissionCheckState* find_check(const std::vector<model::AdmissionCheckState>& checks,
                                             const std::string& name) {
  const auto at = std::ranges::find(checks, name, &model::AdmissionCheckState::check);
  return at != checks.end() ? &*at : nullptr;
}

void put(std::vector<model::AdmissionCheckState>& checks, const model::AdmissionCheckState& check) {
  std::erase_if(checks, [&](const auto& other) { return other.check == check.check; });
  checks.push_back(check);
}

// Takes off what is as it was sent.
void take_off(std::vector<model::AdmissionCheckState>& checks,
              const std::vector<model::AdmissionCheckState>& sent) {
  std::erase_if(checks,
                [&](const auto& each) { return std::ranges::find(sent, each) != sent.end(); });
}

}  // namespace

RequestWrites::RequestWrites(Outside outside)
    : outside_(std::move(outside)), lane_(kRequestsUnderWay) {}

// --- what is wanted ------------------------------------------------------------------------------

const RequestWrites::EntryPtr& RequestWrites::entry_of(const RequestPtr& request) {
  const std::string name = name_of(*request);
  const auto known = entries_.find(name);
  if (known != entries_.end() && known->second->base->meta.uid == request->meta.uid) {
    return known->second;
  }
  drop(name);
  auto made = std::make_shared<Entry>();
  made->base = request;
  return entries_[name] = std::move(made);
}

void RequestWrites::write(const RequestPtr& request) {
  const EntryPtr& entry = entry_of(request);
  // Until it is written, the server has it as it was read.
  if (entry->base == request && !request->spec.active) {
    auto before = std::make_shared<model::AdmissionRequest>(*request);
    before->spec.active = true;
    entry->base = std::move(before);
  }
  entry->wanted = request;
  note_own_checks(name_of(*request), *request, entry->own);
  go(entry);
}

void RequestWrites::note_own_checks(const std::string& name, const model::AdmissionRequest& request,
                                    Checks& own) {
  const Checks told = std::exchange(told_[name], request.status.checks);
  for (const model::AdmissionCheckState& check : request.status.checks) {
    const auto* before = find_check(told, check.check);
    if (before == nullptr || *before != check) put(own, check);
  }
  if (request.status.checks.empty()) told_.erase(name);
}

void RequestWrites::answer(const RequestPtr& request, const model::AdmissionCheckState& answer) {
  const EntryPtr& entry = entry_of(request);
  put(entry->answers, answer);
  go(entry);
}

// Checks that the scheduler has changed are its own; the rest is as others wrote it since.
std::shared_ptr<model::AdmissionRequest> RequestWrites::with_ours(const Entry& entry) {
  auto made = std::make_shared<model::AdmissionRequest>(*entry.base);
  if (entry.wanted != nullptr) {
    core::merge_status(*made, *entry.wanted);
    made->spec.active = made->spec.active && entry.wanted->spec.active;
    for (model::AdmissionCheckState& check : made->status.checks) {
      const auto* now = find_check(entry.base->status.checks, check.check);
      const auto* own = find_check(entry.own, check.check);
      if (own != nullptr || now != nullptr) check = own != nullptr ? *own : *now;
    }
  }
  for (const model::AdmissionCheckState& answer : entry.answers) {
    for (model::AdmissionCheckState& check : made->status.checks) {
      if (check.check == answer.check) check = answer;
    }
  }
  return made;
}

// --- what the server shows -----------------------------------------------------------------------

model::ObjectPtr RequestWrites::seen(const model::ObjectPtr& object) {
  const std::string name = name_of(*object);
  const auto request = std::static_pointer_cast<const model::AdmissionRequest>(object);
  const auto tell = [&](const RequestPtr& told) -> model::ObjectPtr {
    if (told->status.checks.empty()) {
      told_.erase(name);
    } else {
      told_[name] = told->status.checks;
    }
    return told;
  };
  const auto known = entries_.find(name);
  if (known == entries_.end()) return tell(request);
  const EntryPtr entry = known->second;
  if (entry->base->meta.uid != object->meta.uid) {
    drop(name);
    return tell(request);
  }
  if (object->meta.resource_version >= entry->base->meta.resource_version) entry->base = request;
  if (entry->open() || entry->under_way) {
    return tell(with_ours(*entry));
  }
  if (entry->base == request) drop(name);
  return tell(entry->base);
}

void RequestWrites::forget(const model::Object& object) {
  const auto known = entries_.find(name_of(object));
  if (known != entries_.end() && known->second->base->meta.uid == object.meta.uid) {
    drop(known->first);
  }
  told_.erase(name_of(object));
}

// By value: the name may be that of the entry.
void RequestWrites::drop(const std::string& name) {
  const auto known = entries_.find(name);
  if (known == entries_.end()) return;
  known->second->dropped = true;
  entries_.erase(known);
}

// --- calls ---------------------------------------------------------------------------------------

void RequestWrites::go(const EntryPtr& entry) {
  if (std::exchange(entry->under_way, true)) return;
  lane_.add([this, entry](const Done& done) { send(entry, done); });
}

void RequestWrites::send(const EntryPtr& entry, const Done& done) {
  if (entry->dropped) {
    entry->again = outside_.after(Millis{1}, done);
    return;
  }
  const bool ends = entry->wanted != nullptr && !entry->wanted->spec.active;
  ends && entry->base->spec.active ? deactivate(entry, done) : send_status(entry, done);
}

void RequestWrites::deactivate(const EntryPtr& entry, const Done& done) {
  outside_.call(merge_patch(path_of(*entry->base, {}), request_inactive_body(*entry->base)),
                [this, entry, done](const kube::Answer& answer) {
                  if (!answer.ok()) return refused(entry, answer, done);
                  auto base = std::make_shared<model::AdmissionRequest>(*entry->base);
                  base->spec.active = false;
                  base->meta.resource_version = version_in(answer.body);
                  entry->base = std::move(base);
                  send(entry, done);
                });
}

void RequestWrites::send_status(const EntryPtr& entry, const Done& done) {
  const RequestPtr sent = with_ours(*entry);
  std::string body =
      entry->wanted != nullptr ? request_status_body(*sent) : request_checks_body(*sent);
  outside_.call(merge_patch(path_of(*sent, "status"), std::move(body)),
                [this, entry, sent, wanted = entry->wanted, answers = entry->answers,
                 own = entry->own, done](const kube::Answer& answer) {
                  if (!answer.ok()) return refused(entry, answer, done);
                  if (entry->wanted == wanted) entry->wanted.reset();
                  take_off(entry->answers, answers);
                  take_off(entry->own, own);
                  auto base = std::make_shared<model::AdmissionRequest>(*sent);
                  base->meta.resource_version = version_in(answer.body);
                  stored(entry, base, done);
                });
}

// The server may have shown a later version already.
void RequestWrites::stored(const EntryPtr& entry, const RequestPtr& sent, const Done& done) {
  if (sent->meta.resource_version > entry->base->meta.resource_version) entry->base = sent;
  entry->open() && !entry->dropped ? send(entry, done) : finish(entry, done);
}

void RequestWrites::refused(const EntryPtr& entry, const kube::Answer& answer, const Done& done) {
  if (answer.status == 409 && !entry->dropped) {
    entry->again = outside_.after(kRequestPause, [this, entry, done] { read_again(entry, done); });
    return;
  }
  if (answer.status != 404 && !entry->dropped) {
    outside_.complain("write the status of Workload " + name_of(*entry->base), answer);
  }
  entry->wanted.reset();
  entry->answers.clear();
  entry->own.clear();
  finish(entry, done);
}

void RequestWrites::read_again(const EntryPtr& entry, const Done& done) {
  kube::Call call;
  call.path = path_of(*entry->base, {});
  call.timeout = kRequestTimeout;
  call.retries_max = kRequestRetries;
  outside_.call(std::move(call), [this, entry, done](const kube::Answer& answer) {
    const auto now = answer.ok() ? request_in(answer.body) : nullptr;
    const bool same = now != nullptr && now->meta.uid == entry->base->meta.uid;
    if (!same) {
      kube::Answer gone = answer;
      if (answer.ok()) gone.status = 404;
      return refused(entry, gone, done);
    }
    // Templates are large, and those of one generation are the same.
    if (now->meta.generation == entry->base->meta.generation) now->spec = entry->base->spec;
    if (now->meta.resource_version > entry->base->meta.resource_version) entry->base = now;
    send(entry, done);
  });
}

void RequestWrites::finish(const EntryPtr& entry, const Done& done) {
  entry->under_way = false;
  done();
}

}  // namespace tutti::daemon
