#include "controllers/queues/hold.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/dependents.h"
#include "controllers/labels.h"
#include "controllers/queues/replica_order.h"
#include "controllers/queues/request_name.h"
#include "controllers/queues/work/documents.h"
#include "controllers/queues/work/queue_words.h"
#include "controllers/queues/work/queued_document.h"
#include "controllers/queues/work/queued_kinds.h"
#include "controllers/workloads/document.h"
#include "model/apps.h"
#include "model/job.h"
#include "model/pod.h"
#include "model/quota_annotations.h"

namespace tutti::controllers {
namespace {

using model::Kind;
using model::Object;
using model::Pod;
using wire::Arena;
using wire::Value;

void name_default_queue(Object& object, const FindObject& find) {
  if (!queue_of(object.meta).empty()) return;
  const bool there =
      find({Kind::local_queue, object.meta.ns, std::string(kDefaultQueue), {}}) != nullptr;
  if (there) set_label(object.meta.labels, kQueueName, std::string(kDefaultQueue));
}

void suspend(Object& object) {
  if (object.kind == Kind::job) {
    static_cast<model::Job&>(object).suspend = true;
    return;
  }
  const std::string kind = static_cast<model::OtherObject&>(object).kind_name;
  edit_document(object, [&](Value& root, Arena& arena) { set_suspended(root, arena, kind, true); });
}

bool is_gated(const model::PodSpec& spec) {
  const auto& gates = spec.scheduling_gates;
  return std::ranges::find(gates, kAdmissionGate) != gates.end();
}

void add_gate(Pod& pod, admission::SpecRewrites& rewrites) {
  if (is_gated(*pod.spec)) return;
  pod.spec = rewrites.rewritten(pod.spec, "queue gate", [](model::PodSpec& spec) {
    spec.scheduling_gates.emplace_back(kAdmissionGate);
  });
  edit_document(pod, [](Value& root, Arena& arena) {
    Value gate = Value::object();
    gate.set_member(arena, "name", Value::string(arena, kAdmissionGate));
    Value* gates = member_at(root, {"spec", "schedulingGates"});
    if (gates != nullptr && gates->is_array()) {
      gates->push_back(arena, std::move(gate));
      return;
    }
    Value list = Value::array();
    list.push_back(arena, std::move(gate));
    root.set(arena, {"spec", "schedulingGates"}, std::move(list));
  });
}

void copy_label(Pod& pod, const Object& from, std::string_view key) {
  const std::string* value = model::find(from.meta.labels, key);
  const bool said = model::find(pod.meta.labels, key) != nullptr;
  if (value != nullptr && !said) set_label(pod.meta.labels, key, *value);
}

std::int32_t size_of_replica(const Object& set) {
  const auto document = stored_document(set);
  if (document == nullptr) return 1;
  return std::max(1, number_at(document->root(), {"spec", "leaderWorkerTemplate", "size"}, 1));
}

// The pods of a StatefulSet, and of each replica of a LeaderWorkerSet, are admitted together.
void join_group_of(Pod& pod, const Object& set) {
  const model::OwnerReference owner = plain_reference(set);
  std::string name = owner.name;
  std::int32_t size = 0;
  if (set.kind == Kind::stateful_set) {
    size = static_cast<const model::StatefulSet&>(set).replicas.value_or(1);
    set_label(pod.meta.annotations, kFastAdmission, "true");
  } else {
    const std::string* index = model::find(pod.meta.labels, kIndexInSet);
    if (index != nullptr) name = fmt::format("{}-{}", name, *index);
    size = size_of_replica(set);
  }
  set_label(pod.meta.labels, kQueuedGroup,
            request_name(api_group_of(owner.api_version), owner.kind, name, owner.uid));
  set_label(pod.meta.annotations, kQueuedGroupCount, fmt::to_string(size));
  set_label(pod.meta.annotations, kServingGroup, "true");
}

// What the sets that the pod belongs to say of its queue.
void inherit_queue(Pod& pod, const QueueRules& rules, const FindObject& find) {
  for (const Object* above = controller_above(pod.meta, find); above != nullptr;
       above = controller_above(above->meta, find)) {
    const QueuedKind* kind = queued_kind_of(*above, rules);
    if (kind == nullptr || queue_of(above->meta).empty()) continue;
    copy_label(pod, *above, kQueueName);
    copy_label(pod, *above, kQueuePriority);
    const std::string* idle = model::find(above->meta.annotations, model::kOpportunistic);
    if (idle != nullptr && model::find(pod.meta.annotations, model::kOpportunistic) == nullptr) {
      set_label(pod.meta.annotations, model::kOpportunistic, *idle);
    }
    // Replicas of which some are guaranteed come and go one by one.
    const bool apart = above->kind == Kind::stateful_set && guaranteed_replicas(*above);
    if (kind->way == HoldWay::groups && !apart) join_group_of(pod, *above);
    return;
  }
}

void hold_pod(Pod& pod, const QueueRules& rules, const FindObject& find,
              admission::SpecRewrites& rewrites) {
  if (pod.spec == nullptr || !pod.node_name.empty() || pod.terminal()) return;
  if (suspendable_above(pod.meta, rules, find) != nullptr) return;
  if (controller_of(pod.meta) == nullptr) name_default_queue(pod, find);
  inherit_queue(pod, rules, find);
  if (!waits_by_itself(pod, rules, find)) return;
  set_label(pod.meta.labels, kManagedPod, "true");
  add_gate(pod, rewrites);
}

void keep_pod_hold(Pod& next, const Pod& present) {
  auto spec = std::make_shared<model::PodSpec>(*next.spec);
  std::erase(spec->scheduling_gates, kAdmissionGate);
  if (is_gated(*present.spec)) spec->scheduling_gates.emplace_back(kAdmissionGate);
  if (model::find(present.meta.annotations, kRequestOfPod) != nullptr) {
    for (const auto& [key, value] : present.spec->node_selector) {
      set_label(spec->node_selector, key, value);
    }
    for (const model::Toleration& toleration : present.spec->tolerations) {
      if (std::ranges::find(spec->tolerations, toleration) == spec->tolerations.end()) {
        spec->tolerations.push_back(toleration);
      }
    }
  }
  next.spec = std::move(spec);
  for (const std::string_view key : {kManagedPod, kPodSetOfPod, kQueueName, kQueuedGroup}) {
    copy_label(next, present, key);
  }
  const std::string* request = model::find(present.meta.annotations, kRequestOfPod);
  if (request != nullptr) set_label(next.meta.annotations, kRequestOfPod, *request);
}

}  // namespace

void hold_new_work(Object& object, const QueueRules& rules, const FindObject& find,
                   admission::SpecRewrites& rewrites) {
  if (object.meta.created) return;
  const QueuedKind* kind = queued_kind_of(object, rules);
  if (kind == nullptr) return;
  if (object.kind == Kind::pod) {
    return hold_pod(static_cast<Pod&>(object), rules, find, rewrites);
  }
  if (suspendable_above(object.meta, rules, find) == nullptr) name_default_queue(object, find);
  if (kind->way == HoldWay::suspended && waits_by_itself(object, rules, find)) suspend(object);
}

void keep_hold(Object& next, const Object& present) {
  if (next.kind == Kind::pod) {
    if (model::find(present.meta.labels, kManagedPod) == nullptr) return;
    return keep_pod_hold(static_cast<Pod&>(next), static_cast<const Pod&>(present));
  }
  if (next.kind != Kind::job || queue_of(present.meta).empty()) return;
  static_cast<model::Job&>(next).suspend = static_cast<const model::Job&>(present).suspend;
}

}  // namespace tutti::controllers
