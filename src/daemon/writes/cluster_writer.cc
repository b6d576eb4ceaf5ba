#include "daemon/writes/cluster_writer.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "core/binding/intent.h"
#include "daemon/writes/paths.h"
#include "daemon/writes/request_bodies.h"
#include "grouping/owner_kinds.h"
#include "wire/encode/encode.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::daemon {
namespace {

// More of them make neither the server nor us faster, even where an answer takes 15 ms: curl looks
// at every call of a connection whenever one is answered.
constexpr std::size_t kBindingsUnderWay = 64;
constexpr std::size_t kEventsUnderWay = 50;
constexpr std::size_t kEventsCatchingUp = 20;
constexpr std::size_t kSettlementsBesideBindings = 1;
constexpr std::size_t kSettlementsWaitingMax = 200;
constexpr std::size_t kPatchesUnderWay = 20;
constexpr std::size_t kEvictionsUnderWay = 20;

constexpr std::size_t kBindingsOpenMax = 1'000;

constexpr int kFewRetries = 4;
// Bindings are retried once: who decided knows better what to do about a pod refused repeatedly.
constexpr int kBindingRetries = 1;
constexpr Millis kConflictPause = std::chrono::milliseconds(50);
constexpr Millis kRefusedPause = std::chrono::seconds(10);
// For writes not to be given up while we lead: backoffs are bounded, the number of tries is not.
constexpr int kRetriesWithoutEnd = std::numeric_limits<int>::max();
constexpr Millis kWriteTimeout = std::chrono::seconds(10);

constexpr std::string_view kStrategicMerge = "application/strategic-merge-patch+json";

std::string pod_path(const core::PodReference& pod, std::string_view subresource) {
  return object_path("v1", "pods", pod.ns, pod.name, subresource);
}

kube::Call write_call(std::string method, std::string path, std::string body, int retries) {
  kube::Call call;
  call.method = std::move(method);
  call.path = std::move(path);
  call.body = std::move(body);
  call.timeout = kWriteTimeout;
  call.retries_max = retries;
  return call;
}

kube::Call status_patch(std::string path, std::string body, int retries) {
  kube::Call call = write_call("PATCH", std::move(path), std::move(body), retries);
  call.content_type = kStrategicMerge;
  return call;
}

kube::Call question_about(const core::PodReference& pod) {
  kube::Call call;
  call.path = pod_path(pod, {});
  call.timeout = kWriteTimeout;
  call.retries_max = kRetriesWithoutEnd;
  return call;
}

struct PodFacts {
  std::string uid;
  std::string node;
};

std::string text_at(const wire::Value* value) {
  return value != nullptr && value->is_string() ? std::string(value->text()) : std::string();
}

PodFacts facts_of(std::string_view json) {
  PodFacts facts;
  // An answer that cannot be read says nothing of the pod.
  (void)wire::read_json(json, [&](wire::Document&& document) -> Status {
    const wire::Value& root = document.root();
    if (const wire::Value* meta = root.find("metadata")) facts.uid = text_at(meta->find("uid"));
    if (const wire::Value* spec = root.find("spec")) facts.node = text_at(spec->find("nodeName"));
    return ok_status();
  });
  return facts;
}

Error::Code code_of(const kube::Answer& answer) {
  if (answer.status == 404) return Error::Code::not_found;
  if (answer.status == 409) return Error::Code::conflict;
  return answer.transient() ? Error::Code::unavailable : Error::Code::invalid;
}

}  // namespace

ClusterWriter::ClusterWriter(net::Loop& loop, kube::ApiClient& client, Options options,
                             Handlers handlers)
    : loop_(loop),
      client_(client),
      options_(std::move(options)),
      handlers_(std::move(handlers)),
      bindings_(kBindingsUnderWay),
      events_(kEventsUnderWay),
      settlements_(kPatchesUnderWay),
      patches_(kPatchesUnderWay),
      evictions_(kEvictionsUnderWay),
      claims_({[this](kube::Call made, kube::AnswerHandler handler) {
                 call(std::move(made), std::move(handler));
               },
               [this] { return loop_.now(); },
               [this](const std::string& what, const kube::Answer& answer) {
                 complain(what, answer);
               }}),
      requests_({[this](kube::Call made, kube::AnswerHandler handler) {
                   call(std::move(made), std::move(handler));
                 },
                 [this](Millis pause, std::function<void()> task) {
                   return loop_.after(pause, std::move(task));
                 },
                 [this](const std::string& what, const kube::Answer& answer) {
                   complain(what, answer);
                 }}),
      queues_({[this](kube::Call made, kube::AnswerHandler handler) {
                 call(std::move(made), std::move(handler));
               },
               [this](Millis pause, std::function<void()> task) {
                 return loop_.after(pause, std::move(task));
               },
               [this](const std::string& what, const kube::Answer& answer) {
                 complain(what, answer);
               }}) {}

model::ObjectPtr ClusterWriter::seen(const model::ObjectPtr& object) {
  return object->kind == model::Kind::admission_request ? requests_.seen(object) : object;
}

void ClusterWriter::forget(const model::Object& object) {
  if (object.kind == model::Kind::admission_request) requests_.forget(object);
}

// The last quarter of the room for events is for those that are no decision's.
bool ClusterWriter::congested() const {
  return bindings_open_ >= kBindingsOpenMax ||
         events_.waiting() >= options_.events_waiting_max / 4 * 3;
}

bool ClusterWriter::idle() const {
  return bindings_open_ == 0 && events_.idle() && settlements_.idle() && patches_.idle() &&
         evictions_.idle() && group_writes_.empty() && requests_.idle() && queues_.idle();
}

// What may not be written any more is dropped: the process is about to end, and its successor
// finds out by itself.
void ClusterWriter::call(kube::Call call, kube::AnswerHandler handler) {
  if (!handlers_.may_write()) return;
  client_.call(std::move(call), std::move(handler));
}

void ClusterWriter::complain(const std::string& what, const kube::Answer& answer) {
  handlers_.trouble(fmt::format("could not {}: {}", what, answer.message));
}

// --- bindings ------------------------------------------------------------------------------------

void ClusterWriter::bind(const core::BindRequest& request) {
  count_open_bindings(bindings_open_ + 1);
  PendingBind bind{request, std::chrono::steady_clock::now()};
  const auto group =
      group_writes_.find({model::Kind::pod_group, request.pod.ns, request.group, {}});
  if (!request.group.empty() && group != group_writes_.end()) {
    group->second.waiting.push_back(std::move(bind));
  } else {
    send_binding(std::move(bind));
  }
}

void ClusterWriter::send_binding(PendingBind bind) {
  bindings_.add([this, bind = std::move(bind)](CallQueue::Done done) {
    call(write_call("POST", pod_path(bind.request.pod, "binding"), binding_body(bind.request),
                    kBindingRetries),
         [this, bind, done = std::move(done)](const kube::Answer& answer) {
           judge_binding(bind, answer, done);
         });
  });
}

// A conflict may be the echo of our own call, repeated after its answer was lost.
void ClusterWriter::judge_binding(const PendingBind& bind, const kube::Answer& answer,
                                  const CallQueue::Done& done) {
  if (answer.ok()) return finish_binding(bind, ok_status(), done);
  if (answer.status == 409 || answer.transient()) return look_at_pod(bind, answer.message, done);
  finish_binding(bind, Error{code_of(answer), answer.message}, done);
}

void ClusterWriter::look_at_pod(const PendingBind& bind, std::string why,
                                const CallQueue::Done& done) {
  call(question_about(bind.request.pod),
       [this, bind, done, why = std::move(why)](const kube::Answer& answer) {
         if (!answer.ok()) {
           return finish_binding(bind, Error{code_of(answer), answer.message}, done);
         }
         const PodFacts pod = facts_of(answer.body);
         if (pod.uid != bind.request.pod.uid) {
           return finish_binding(bind, Error{Error::Code::not_found, "the pod was replaced"}, done);
         }
         if (pod.node == bind.request.node) return finish_binding(bind, ok_status(), done);
         const auto code = pod.node.empty() ? Error::Code::unavailable : Error::Code::conflict;
         finish_binding(bind, Error{code, why}, done);
       });
}

void ClusterWriter::finish_binding(const PendingBind& bind, const Status& outcome,
                                   const CallQueue::Done& done) {
  count_open_bindings(bindings_open_ - 1);
  done();
  const auto took = std::chrono::steady_clock::now() - bind.since;
  handlers_.bound(bind.request.pod, outcome, std::chrono::duration_cast<Millis>(took));
  handlers_.drained();
}

void ClusterWriter::count_open_bindings(std::size_t open) {
  bindings_open_ = open;
  events_.set_width(events_width());
  settlements_.set_width(settlements_width());
}

std::size_t ClusterWriter::events_width() const {
  if (bindings_open_ == 0) return kEventsUnderWay;
  const bool many_wait = events_.waiting() >= options_.events_waiting_max / 2;
  return many_wait ? std::max(kEventsCatchingUp, options_.events_beside_bindings)
                   : options_.events_beside_bindings;
}

std::size_t ClusterWriter::settlements_width() const {
  const bool yields = bindings_open_ > 0 && settlements_.waiting() < kSettlementsWaitingMax;
  return yields ? kSettlementsBesideBindings : kPatchesUnderWay;
}

// --- conditions ----------------------------------------------------------------------------------

void ClusterWriter::patch_pod(const core::PodStatusPatch& patch) {
  const auto [at, fresh] = pod_patches_.try_emplace(patch.pod.uid, patch);
  if (fresh) {
    patches_.add([this, uid = patch.pod.uid](CallQueue::Done done) {
      const auto waiting = pod_patches_.extract(uid);
      const core::PodStatusPatch& now = waiting.mapped();
      call(status_patch(pod_path(now.pod, "status"), pod_status_body(now), kFewRetries),
           [this, done = std::move(done),
            name = now.pod.ns + "/" + now.pod.name](const kube::Answer& answer) {
             done();
             // A pod that is gone or was replaced needs no status.
             if (answer.ok() || answer.status == 404 || answer.status == 409) return;
             complain("write the status of pod " + name, answer);
           });
    });
    return;
  }
  if (patch.condition) at->second.condition = patch.condition;
  if (patch.nominated_node) at->second.nominated_node = patch.nominated_node;
  if (patch.extended_claim) at->second.extended_claim = patch.extended_claim;
}

void ClusterWriter::patch_group(const core::GroupConditionPatch& patch) {
  const bool kept_back = grouping::is_memory_group(patch.group.name) &&
                         patch.condition.type != core::kBindingCondition;
  if (kept_back) return;
  const bool settles =
      patch.condition.type == core::kBindingCondition && patch.condition.status == "False";
  if (settles && !group_writes_.contains(patch.group)) {
    return settle_group(patch.group, patch.condition);
  }
  GroupWrite& write = group_writes_[patch.group];
  if (const auto settled = settled_.extract(patch.group)) {
    write.conditions.push_back(settled.mapped());
    loop_.post([this, key = patch.group] { send_group(key); });
  }
  const auto same = [&](const model::Condition& known) {
    return known.type == patch.condition.type;
  };
  const bool scheduled_to_go = !write.conditions.empty();
  if (const auto known = std::ranges::find_if(write.conditions, same);
      known != write.conditions.end()) {
    *known = patch.condition;
  } else {
    write.conditions.push_back(patch.condition);
  }
  if (!scheduled_to_go && !write.under_way) {
    // Not at once: what one decision says of a group goes in one patch.
    loop_.post([this, key = patch.group] { send_group(key); });
  }
}

void ClusterWriter::settle_group(const model::ObjectKey& key, const model::Condition& settled) {
  const auto [at, fresh] = settled_.insert_or_assign(key, settled);
  if (!fresh) return;
  settlements_.add([this, key](const CallQueue::Done& done) {
    const auto waiting = settled_.extract(key);
    if (!waiting) return loop_.post(done);  // it went with something more urgent
    GroupWrite& write = group_writes_[key];
    write.conditions.push_back(waiting.mapped());
    write.under_way = true;
    write_group(key, done);
  });
}

void ClusterWriter::send_group(const model::ObjectKey& key) {
  group_writes_.at(key).under_way = true;
  patches_.add([this, key](const CallQueue::Done& done) { write_group(key, done); });
}

void ClusterWriter::write_group(const model::ObjectKey& key, const CallQueue::Done& done) {
  const std::vector<model::Condition> sent = std::exchange(group_writes_.at(key).conditions, {});
  const auto answered = [this, key, sent, done](const kube::Answer& answer) {
    done();
    group_answered(key, sent, answer);
  };
  if (auto patch = group_call(key, sent)) return call(*std::move(patch), answered);
  kube::Answer gone;
  gone.status = 404;
  gone.message = "the group is gone";
  loop_.post([answered, gone] { answered(gone); });
}

std::optional<kube::Call> ClusterWriter::group_call(
    const model::ObjectKey& key, const std::vector<model::Condition>& conditions) const {
  if (grouping::is_memory_group(key.name)) {
    const auto pod = options_.carrier ? options_.carrier(key) : std::nullopt;
    if (!pod) return std::nullopt;
    return status_patch(pod_path(*pod, "status"),
                        pod_status_body({*pod, conditions.back(), std::nullopt}),
                        kRetriesWithoutEnd);
  }
  const bool composite = key.kind == model::Kind::composite_pod_group;
  return status_patch(
      object_path(composite ? options_.composite_pod_groups_version : options_.pod_groups_version,
                  model::facts(key.kind).plural, key.ns, key.name, "status"),
      group_status_body(conditions), kRetriesWithoutEnd);
}

void ClusterWriter::group_answered(const model::ObjectKey& key,
                                   const std::vector<model::Condition>& sent,
                                   const kube::Answer& answer) {
  GroupWrite& write = group_writes_.at(key);
  write.under_way = false;
  // The patch names no version, so a conflict is a race inside the server: it is tried again.
  if (answer.status == 409) return send_group_again(key, sent);
  if (!answer.ok() && answer.status != 404) {
    complain("write the status of " + model::describe(key), answer);
  }
  // Newer conditions came meanwhile, and bindings that wait for them wait on.
  if (!write.conditions.empty()) return send_group(key);
  const std::vector<PendingBind> waiting = std::move(write.waiting);
  group_writes_.erase(key);
  for (const PendingBind& bind : waiting) {
    if (answer.ok()) {
      send_binding(bind);
    } else {
      finish_binding(bind,
                     Error{code_of(answer), fmt::format("the status of {} could not be "
                                                        "written: {}",
                                                        model::describe(key), answer.message)},
                     [] {});
    }
  }
}

void ClusterWriter::send_group_again(const model::ObjectKey& key,
                                     const std::vector<model::Condition>& sent) {
  GroupWrite& write = group_writes_.at(key);
  for (const model::Condition& condition : sent) {
    const auto newer = [&](const model::Condition& known) { return known.type == condition.type; };
    if (std::ranges::none_of(write.conditions, newer)) write.conditions.push_back(condition);
  }
  write.under_way = true;
  write.again = loop_.after(kConflictPause, [this, key] { send_group(key); });
}

// --- the rest ------------------------------------------------------------------------------------

void ClusterWriter::evict(const core::PodReference& pod, const model::Condition& reason) {
  evictions_.add([this, pod, reason](const CallQueue::Done& done) {
    const core::PodStatusPatch why{pod, reason, std::nullopt};
    call(status_patch(pod_path(pod, "status"), pod_status_body(why), kFewRetries),
         [this, pod, done](const kube::Answer&) { delete_pod(pod, done); });
  });
}

// Whoever decided waits for the pod to go, so it is not given up while we lead.
void ClusterWriter::delete_pod(const core::PodReference& pod, const CallQueue::Done& done) {
  call(write_call("DELETE", pod_path(pod, {}), delete_body(pod.uid), kRetriesWithoutEnd),
       [this, pod, done](const kube::Answer& answer) {
         if (answer.ok() || answer.status == 404) return done();
         if (answer.status == 409) return delete_pod_unless_replaced(pod, done);
         complain(fmt::format("evict pod {}/{}", pod.ns, pod.name), answer);
         delete_pod_after(kRefusedPause, pod, done);
       });
}

void ClusterWriter::delete_pod_unless_replaced(const core::PodReference& pod,
                                               const CallQueue::Done& done) {
  call(question_about(pod), [this, pod, done](const kube::Answer& answer) {
    const bool gone = answer.status == 404 || (answer.ok() && facts_of(answer.body).uid != pod.uid);
    if (gone) return done();
    delete_pod_after(kConflictPause, pod, done);
  });
}

void ClusterWriter::delete_pod_after(Millis pause, const core::PodReference& pod,
                                     const CallQueue::Done& done) {
  deletions_[pod.uid] = loop_.after(pause, [this, pod, done] {
    const auto timer = deletions_.extract(pod.uid);
    delete_pod(pod, done);
  });
}

void ClusterWriter::record(const core::EventRecord& event) {
  // What is said of a group that nobody can look at is said of its pods as well.
  if (grouping::is_memory_group(event.about->meta.name)) return;
  if (events_.waiting() >= options_.events_waiting_max) return handlers_.event_dropped();
  const std::string name = fmt::format("{}.{:x}{:04x}", event.about->meta.name,
                                       loop_.now().time_since_epoch().count(), events_recorded_++);
  events_.add([this, event, name, at = loop_.now()](const CallQueue::Done& done) {
    const std::string& ns = event.about->meta.ns;
    call(
        write_call("POST", object_path("events.k8s.io/v1", "events", ns.empty() ? "default" : ns),
                   event_body(event, name, options_.instance, at), kFewRetries),
        [this, done](const kube::Answer& answer) {
          done();
          handlers_.drained();
          // A namespace that is going away takes no events.
          if (answer.ok() || answer.status == 404 || answer.status == 403 || answer.status == 409) {
            return;
          }
          complain("write an event", answer);
        });
  });
}

// A write that lost a race is dropped: the scheduler sees what won and decides again.
void ClusterWriter::update(const model::ObjectPtr& object) {
  patches_.add([this, object](const CallQueue::Done& done) {
    wire::Document document;
    std::string body = wire::to_json(wire::encode(*object, document));
    call(write_call("PUT",
                    object_path(object->api_version, model::facts(object->kind).plural,
                                object->meta.ns, object->meta.name),
                    std::move(body), kFewRetries),
         [this, object, done](const kube::Answer& answer) {
           done();
           if (answer.ok() || answer.status == 404 || answer.status == 409) return;
           complain("update " + model::describe(*object), answer);
         });
  });
}

void ClusterWriter::patch_claim(const core::ClaimPatch& patch) {
  patches_.add([this, patch](const CallQueue::Done& done) {
    claims_.write(patch, options_.resource_claims_version, done);
  });
}

// One that is there already was made for the same pod.
void ClusterWriter::create_claim(const std::shared_ptr<const model::ResourceClaim>& claim) {
  patches_.add([this, claim](const CallQueue::Done& done) {
    wire::Document document;
    call(write_call(
             "POST",
             object_path(claim->api_version, model::facts(claim->kind).plural, claim->meta.ns),
             wire::to_json(wire::encode(*claim, document)), kFewRetries),
         [this, claim, done](const kube::Answer& answer) {
           done();
           if (answer.ok() || answer.status == 409) return;
           complain("make " + model::describe(*claim), answer);
         });
  });
}

}  // namespace tutti::daemon
