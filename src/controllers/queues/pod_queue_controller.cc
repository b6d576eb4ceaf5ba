#include "controllers/queues/pod_queue_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/digest.h"
#include "controllers/dependents.h"
#include "controllers/labels.h"
#include "controllers/queues/replica_order.h"
#include "controllers/queues/request_name.h"
#include "controllers/queues/work/documents.h"
#include "controllers/queues/work/pod_info.h"
#include "controllers/queues/work/queue_words.h"
#include "controllers/queues/work/queued_kinds.h"
#include "wire/json_writer.h"

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::Kind;
using model::ObjectKey;
using model::Pod;
using model::PodPhase;
using model::PodSet;
using wire::Arena;
using wire::Value;

const std::string* group_named_by(const Pod& pod) {
  return model::find(pod.meta.labels, kQueuedGroup);
}

bool says_true(const Pod& pod, std::string_view annotation) {
  const std::string* value = model::find(pod.meta.annotations, annotation);
  return value != nullptr && *value == "true";
}

std::optional<std::int32_t> group_size(const Pod& pod) {
  const std::string* text = model::find(pod.meta.annotations, kQueuedGroupCount);
  std::int32_t size = 0;
  if (text == nullptr) return std::nullopt;
  const auto [stopped, error] = std::from_chars(text->data(), text->data() + text->size(), size);
  const bool whole = error == std::errc() && stopped == text->data() + text->size();
  return whole && size > 0 ? std::optional(size) : std::nullopt;
}

bool is_gated_by_queue(const Pod& pod) {
  const auto& gates = pod.spec->scheduling_gates;
  return std::ranges::find(gates, kAdmissionGate) != gates.end();
}

void add_amounts(Digest& digest, const model::ResourceList& amounts) {
  for (const auto& [resource, amount] : amounts) {
    digest.add(resource);
    digest.add(amount.text());
  }
}

// Pods of a group that ask for the same are one set of it.
std::string role_of(const Pod& pod) {
  if (group_named_by(pod) == nullptr) return PodSet{}.name;
  Digest digest;
  for (const auto* list : {&pod.spec->init_containers, &pod.spec->containers}) {
    digest.add(list->size());
    for (const model::Container& container : *list) {
      add_amounts(digest, container.requests);
      add_amounts(digest, container.limits);
    }
  }
  digest.add(static_cast<std::uint64_t>(pod.priority.value_or(0)));
  return fmt::format("{:08x}", digest.value() & 0xffffffffU);
}

// What the author of the pod wrote of where it may be is part of the set; what starting it added is
// not there yet.
AskedSet set_from(const Pod& pod) {
  AskedSet asked;
  asked.set.name = role_of(pod);
  asked.set.pods.labels = pod.meta.labels;
  asked.set.pods.annotations = pod.meta.annotations;
  auto ungated = std::make_shared<model::PodSpec>(*pod.spec);
  std::erase(ungated->scheduling_gates, kAdmissionGate);
  asked.set.pods.spec = std::move(ungated);
  asked.set.pods.priority = pod.priority;
  asked.set.pods.preemption_policy = pod.preemption_policy;
  if (const auto document = stored_document(pod)) {
    const Value* written = member_at(document->root(), {"spec"});
    Value form = Value::object();
    if (written != nullptr) {
      form.set_member(document->arena(), "spec", written->clone(document->arena()));
    }
    if (Value* spec = form.find("spec")) spec->remove_member("schedulingGates");
    asked.form = wire::to_json(form);
  }
  return asked;
}

std::vector<AskedSet> sets_from(const std::vector<PodPtr>& pods, std::optional<std::int32_t> size) {
  std::vector<AskedSet> sets;
  std::int32_t counted = 0;
  for (const PodPtr& pod : pods) {
    if (size && counted == *size) break;
    ++counted;
    const std::string role = role_of(*pod);
    const auto same =
        std::ranges::find_if(sets, [&](const AskedSet& asked) { return asked.set.name == role; });
    if (same != sets.end()) {
      ++same->set.count;
    } else {
      sets.push_back(set_from(*pod));
    }
  }
  // Pods that are to come are like the first.
  if (size) sets.front().set.count += *size - counted;
  return sets;
}

std::int32_t size_of(const AdmissionRequest& request) {
  std::int32_t size = 0;
  for (const PodSet& set : request.spec.pod_sets) size += promised_count(request, set);
  return size;
}

bool has_started(const Pod& pod) {
  return model::find(pod.meta.annotations, kRequestOfPod) != nullptr;
}

std::optional<WorkEnding> ending_of(const AdmissionRequest& request,
                                    const std::vector<PodPtr>& pods) {
  const Pod& first = *pods.front();
  if (says_true(first, kServingGroup)) return std::nullopt;
  if (group_named_by(first) == nullptr) {
    if (!first.terminal()) return std::nullopt;
    return WorkEnding{first.status.phase == PodPhase::succeeded, first.status.message};
  }
  const auto succeeded = std::ranges::count_if(
      pods, [](const PodPtr& pod) { return pod->status.phase == PodPhase::succeeded; });
  const bool active = std::ranges::any_of(pods, [](const PodPtr& pod) { return !pod->terminal(); });
  const bool final = std::ranges::any_of(pods, [](const PodPtr& pod) {
    const std::string* word = model::find(pod->meta.annotations, kRetriable);
    return word != nullptr && *word == "false";
  });
  const std::int32_t size = size_of(request);
  if (succeeded < size && (active || !final)) return std::nullopt;
  return WorkEnding{true, fmt::format("Pods succeeded: {}/{}.", succeeded, size)};
}

void add_missing(model::Labels& into, const model::Labels& from) {
  for (const auto& [key, value] : from) set_label(into, key, value);
}

void take_gate_away(Value& root, Arena& arena) {
  Value* spec = root.find("spec");
  Value* gates = spec != nullptr ? spec->find("schedulingGates") : nullptr;
  if (gates == nullptr || !gates->is_array()) return;
  const auto ours = [](const Value& gate) {
    const Value* name = gate.find("name");
    return name != nullptr && name->is_string() && name->text() == kAdmissionGate;
  };
  // A gate of somebody else stays, and with it the list.
  if (std::ranges::all_of(gates->items(), ours)) {
    spec->remove_member("schedulingGates");
    return;
  }
  Value left = Value::array();
  for (Value& gate : gates->items()) {
    if (!ours(gate)) left.push_back(arena, std::move(gate));
  }
  *gates = std::move(left);
}

}  // namespace

// --- when something is looked at -----------------------------------------------------------------

void PodQueueController::observe(const store::WatchEvent& event) {
  const model::Object& object = event.object();
  if (object.kind == Kind::priority_class || object.kind == Kind::workload_priority_class) {
    for (const ObjectKey& key : std::exchange(waiting_, {})) look_at(key);
  }
  if (object.kind == Kind::admission_request) {
    const ObjectKey key = model::key_of(object);
    if (members_.contains(key) || event.after) look_at(key);
    return;
  }
  if (object.kind != Kind::pod || model::find(object.meta.labels, kManagedPod) == nullptr) return;
  const ObjectKey key = request_key(model::as<Pod>(object));
  if (event.after) {
    members_[key].insert(object.meta.name);
  } else if (const auto known = members_.find(key); known != members_.end()) {
    known->second.erase(object.meta.name);
    if (known->second.empty()) members_.erase(known);
  }
  look_at(key);
}

std::vector<PodPtr> PodQueueController::members_of(const ObjectKey& key) const {
  std::vector<PodPtr> pods;
  const auto known = members_.find(key);
  if (known == members_.end()) return pods;
  for (const std::string& name : known->second) {
    if (auto pod = objects().find<Pod>(key.ns, name)) pods.push_back(std::move(pod));
  }
  return pods;
}

// --- what is done --------------------------------------------------------------------------------

void PodQueueController::reconcile(const ObjectKey& key) {
  const auto request = objects().find<AdmissionRequest>(key.ns, key.name);
  const auto pods = members_of(key);
  if (pods.empty()) {
    if (request != nullptr) drop_if_unused(*request);
    return;
  }
  if (request == nullptr) return create_request(key, pods);
  if (is_finished(*request)) return;
  own(*request, pods);
  if (const auto ending = ending_of(*request, pods)) {
    return say_finished(request, *ending, cluster());
  }
  if (is_evicted(*request)) {
    for (const PodPtr& pod : pods) {
      if (is_active(*pod) && has_started(*pod)) cluster().remove(model::key_of(*pod));
    }
  } else if (may_run(*request)) {
    start(*request, pods);
  }
  const auto now = objects().find<AdmissionRequest>(key.ns, key.name);
  const auto left = members_of(key);
  if (now != nullptr && !left.empty()) report(now, left);
}

void PodQueueController::create_request(const ObjectKey& key, const std::vector<PodPtr>& all) {
  std::vector<PodPtr> pods = all;
  std::erase_if(pods, [](const PodPtr& pod) { return !is_active(*pod) || has_started(*pod); });
  if (pods.empty()) return;
  const Pod& first = *pods.front();
  RequestMaker::Wanted wanted{
      .name = key.name, .about = pods.front(), .owners = {}, .sets = {}, .tenure = {}};
  if (group_named_by(first) == nullptr) {
    wanted.owners = {controller_reference(first)};
    wanted.sets = sets_from(pods, std::nullopt);
  } else {
    const auto size = group_size(first);
    if (!size) return;
    const bool complete = static_cast<std::int32_t>(pods.size()) >= *size;
    if (!complete && !says_true(first, kFastAdmission)) return;
    wanted.sets = sets_from(pods, *size);
    const model::OwnerReference* above = controller_of(first.meta);
    const QueuedKind* kind =
        above != nullptr ? queued_kind_of(above->api_version, above->kind) : nullptr;
    if (kind != nullptr && kind->way == HoldWay::groups) {
      wanted.owners = {*above};
    } else {
      for (const PodPtr& pod : pods) wanted.owners.push_back(plain_reference(*pod));
    }
  }
  for (AskedSet& asked : wanted.sets) complete_set(asked.set, objects());
  const FindObject find = [this](const ObjectKey& about) { return objects().get(about).get(); };
  if (const model::Object* set = guaranteeing_set(first.meta, find)) {
    wanted.tenure = tenure_of_replica(key, *set, cluster());
  }
  const auto made = maker_.make(std::move(wanted));
  if (made.ok()) return;
  waiting_.insert(key);
  cluster().record({kQueueReporter, pods.front(), true, "FailedCreate",
                    "Error creating: " + made.error().message});
}

// A request of a group lives as long as one of its pods.
void PodQueueController::own(const AdmissionRequest& request, const std::vector<PodPtr>& pods) {
  if (controller_of(request.meta) != nullptr) return;
  std::vector<model::OwnerReference> missing;
  for (const PodPtr& pod : pods) {
    const bool known = std::ranges::any_of(
        request.meta.owners, [&](const auto& owner) { return owner.uid == pod->meta.uid; });
    if (!known) missing.push_back(plain_reference(*pod));
  }
  if (missing.empty()) return;
  // One that is gone has no owners.
  (void)cluster().patch_meta(model::key_of(request), [&](model::ObjectMeta& meta) {
    for (const model::OwnerReference& owner : missing) meta.owners.push_back(owner);
  });
}

// As many as were promised, those that take the places of failed ones among them.
void PodQueueController::start(const AdmissionRequest& request, const std::vector<PodPtr>& pods) {
  for (const PodSet& set : request.spec.pod_sets) {
    std::int32_t room = promised_count(request, set);
    std::vector<PodPtr> held;
    for (const PodPtr& pod : pods) {
      if (role_of(*pod) != set.name) continue;
      const bool counts =
          has_started(*pod) && (is_active(*pod) || pod->status.phase == PodPhase::succeeded);
      room -= counts ? 1 : 0;
      if (is_active(*pod) && is_gated_by_queue(*pod)) held.push_back(pod);
    }
    for (const PodPtr& pod : held) {
      if (room-- <= 0) break;
      let_go(pod, request, set);
    }
  }
}

void PodQueueController::let_go(const PodPtr& pod, const AdmissionRequest& request,
                                const PodSet& set) {
  PodSet added;
  added.name = set.name;
  const PodInfo info = started_info(request, added, objects());
  Pod next = *pod;
  auto spec = std::make_shared<model::PodSpec>(*pod->spec);
  std::erase(spec->scheduling_gates, kAdmissionGate);
  add_missing(spec->node_selector, info.node_selector);
  for (const model::Toleration& toleration : info.tolerations) {
    spec->tolerations.push_back(toleration);
  }
  next.spec = std::move(spec);
  add_missing(next.meta.labels, info.labels);
  add_missing(next.meta.annotations, info.annotations);
  edit_document(next, [&](Value& root, Arena& arena) {
    take_gate_away(root, arena);
    add_to_spec(info, root, arena);
  });
  // One that is gone needs nothing.
  if (!cluster().update(next).ok()) return;
  cluster().record({kQueueReporter, pod, false, "Started",
                    "Admitted by clusterQueue " + request.status.admission->cluster_queue});
}

void PodQueueController::report(const RequestPtr& request, const std::vector<PodPtr>& pods) {
  std::map<std::string, std::int32_t> succeeded;
  std::int32_t ready = 0;
  for (const PodPtr& pod : pods) {
    const bool ended_well = pod->status.phase == PodPhase::succeeded;
    if (ended_well) ++succeeded[role_of(*pod)];
    ready += ended_well || is_ready(*pod) ? 1 : 0;
  }
  const bool serving = says_true(*pods.front(), kServingGroup);
  if (may_run(*request) && !serving) {
    std::vector<model::ReclaimablePods> ended;
    for (const auto& [role, count] : succeeded) ended.push_back({.pod_set = role, .count = count});
    say_reclaimable(request, std::move(ended), cluster());
  }
  if (!rules_.reports_readiness) return;
  const auto now = objects().find<AdmissionRequest>(request->meta.ns, request->meta.name);
  if (now != nullptr) say_ready(now, ready >= size_of(*now), cluster());
}

// A set that keeps its requests over evictions has become smaller.
void PodQueueController::drop_if_unused(const AdmissionRequest& request) {
  const model::OwnerReference* owner = controller_of(request.meta);
  const QueuedKind* kind =
      owner != nullptr ? queued_kind_of(owner->api_version, owner->kind) : nullptr;
  if (kind == nullptr || kind->way != HoldWay::groups || is_evicted(request)) return;
  cluster().remove(model::key_of(request));
}

}  // namespace tutti::controllers
