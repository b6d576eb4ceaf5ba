// Kueue's Workload: of the spec what admission and queues change, and the whole status. The
// templates of the pods are as the document says.
#include "wire/decode/priority_class_source.h"
#include "wire/decode/quota_words.h"
#include "wire/encode/encode_kinds.h"
#include "wire/encode/encode_topology_assignment.h"

namespace tutti::wire {
namespace {

using model::AdmissionRequest;

// A set of pods without a name has the usual one.
bool is_named(const Value& item, std::string_view name) {
  const Value* written = item.find("name");
  return written == nullptr || written->is_null() || says(item, "name", name);
}

void write_priority_class(Overlay& spec, bool old,
                          const std::optional<model::PriorityClassReference>& reference) {
  if (!old) {
    if (!reference) return;
    return spec.member("priorityClassRef", [&](Overlay& at) {
      at.text("group", reference->group);
      at.text("kind", reference->kind);
      at.text("name", reference->name);
    });
  }
  spec.text("priorityClassName", reference ? reference->name : std::string{});
  // Without a word it is a class of pods.
  if (!reference) return;
  const bool of_workloads = reference->group == kWorkloadClassGroup;
  if (of_workloads || spec.find("priorityClassSource") != nullptr) {
    spec.text_unless_present("priorityClassSource", word_for(of_workloads, kPriorityClassSources));
  }
}

void write_spec(Overlay& spec, bool old, const model::AdmissionRequestSpec& written) {
  // Active unless it says otherwise.
  if (!written.active) spec.json("active", "false");
  if (written.active && spec.find("active") != nullptr) spec.flag("active", true);
  spec.number("maximumExecutionTimeSeconds", written.max_execution_seconds);
  spec.list(
      "podSets", written.pod_sets,
      [](const Value& item, const model::PodSet& set) { return is_named(item, set.name); },
      [](Overlay& at, const model::PodSet& set) {
        at.number("count", set.count);
        at.number("minCount", set.min_count);
        at.text_always("name", set.name);
      });
  spec.number("priority", written.priority);
  write_priority_class(spec, old, written.priority_class);
  spec.text("queueName", written.queue);
}

bool same_assignment(const Value& item, const model::PodSetAssignment& assignment) {
  return is_named(item, assignment.pod_set);
}

void write_admission(Overlay& status, bool old, const std::optional<model::Admission>& admission) {
  if (!admission) {
    const Value* before = status.find("admission");
    if (before != nullptr && !before->is_null()) status.remove("admission");
    return;
  }
  status.object_unless_present("admission");
  status.member("admission", [&](Overlay& at) {
    at.text("clusterQueue", admission->cluster_queue);
    at.list("podSetAssignments", admission->pod_sets, same_assignment,
            [&](Overlay& item, const model::PodSetAssignment& assignment) {
              item.number("count", assignment.count);
              item.text("delayedTopologyRequest", assignment.delayed_topology);
              item.map("flavors", assignment.flavors);
              item.text_always("name", assignment.pod_set);
              item.amounts("resourceUsage", assignment.usage);
              write_topology_assignment(item, old, assignment.topology);
            });
  });
}

void write_requeue(Overlay& status, const std::optional<model::RequeueState>& requeue) {
  if (!requeue) {
    const Value* before = status.find("requeueState");
    if (before != nullptr && !before->is_null()) status.remove("requeueState");
    return;
  }
  status.object_unless_present("requeueState");
  status.member("requeueState", [&](Overlay& at) {
    at.number("count", requeue->count);
    at.time("requeueAt", requeue->at);
  });
}

void write_update(Overlay& at, const model::PodSetUpdate& update) {
  const auto same = [](const Value& item, const model::Toleration& toleration) {
    return says(item, "key", toleration.key) && says(item, "effect", toleration.effect) &&
           says(item, "value", toleration.value);
  };
  at.map("annotations", update.annotations);
  at.map("labels", update.labels);
  at.text_always("name", update.pod_set);
  at.map("nodeSelector", update.node_selector);
  at.list("tolerations", update.tolerations, same, write_toleration);
}

// A word that we do not know, read as the safest choice, stays until another choice is made.
template <typename Choice, std::size_t N>
void write_choice(Overlay& at, std::string_view name, Choice choice, Choice safest,
                  const EnumTable<Choice, N>& words) {
  const Value* present = at.find(name);
  if (choice == safest && present != nullptr && present->is_string() && !present->text().empty() &&
      std::ranges::find(words, present->text(), &std::pair<std::string_view, Choice>::first) ==
          words.end()) {
    return;
  }
  at.text_always(name, word_for(choice, words));
}

void write_check(Overlay& at, const model::AdmissionCheckState& check) {
  const auto same = [](const Value& item, const model::PodSetUpdate& update) {
    return says(item, "name", update.pod_set);
  };
  at.time("lastTransitionTime", check.last_transition);
  at.text_always("message", check.message);
  at.text_always("name", check.check);
  at.list("podSetUpdates", check.updates, same, write_update);
  at.number("requeueAfterSeconds", check.requeue_after_seconds);
  at.number("retryCount", check.retries);
  write_choice(at, "state", check.state, model::CheckState::pending, kCheckStates);
}

void write_gate(Overlay& at, const model::PreemptionGateState& gate) {
  at.time("lastTransitionTime", gate.last_transition);
  at.text_always("name", gate.gate);
  write_choice(at, "position", gate.open, false, kGatePositions);
}

void write_evictions(Overlay& status, const std::vector<model::EvictionCount>& evictions) {
  const auto same = [](const Value& item, const model::EvictionCount& eviction) {
    return says(item, "reason", eviction.reason) && says(item, "underlyingCause", eviction.cause);
  };
  status.member("schedulingStats", [&](Overlay& stats) {
    stats.list("evictions", evictions, same, [](Overlay& at, const model::EvictionCount& eviction) {
      at.number("count", eviction.count);
      at.text_always("reason", eviction.reason);
      at.text_always("underlyingCause", eviction.cause);
    });
  });
}

void write_counts(Overlay& status, const model::AdmissionRequestStatus& written) {
  status.list(
      "reclaimablePods", written.reclaimable,
      [](const Value& item, const model::ReclaimablePods& pods) {
        return says(item, "name", pods.pod_set);
      },
      [](Overlay& at, const model::ReclaimablePods& pods) {
        at.number("count", pods.count);
        at.text_always("name", pods.pod_set);
      });
  status.list(
      "resourceRequests", written.requests,
      [](const Value& item, const model::PodSetRequest& request) {
        return says(item, "name", request.pod_set);
      },
      [](Overlay& at, const model::PodSetRequest& request) {
        at.text_always("name", request.pod_set);
        at.amounts("resources", request.amounts);
      });
}

void write_status(Overlay& status, const AdmissionRequest& request) {
  const model::AdmissionRequestStatus& written = request.status;
  const auto same_check = [](const Value& item, const model::AdmissionCheckState& check) {
    return says(item, "name", check.check);
  };
  const auto same_gate = [](const Value& item, const model::PreemptionGateState& gate) {
    return says(item, "name", gate.gate);
  };
  const auto same_node = [](const Value& item, const std::string& node) {
    return says(item, "name", node);
  };
  status.number(past_execution_member(request), written.past_execution_seconds);
  write_admission(status, is_kueue_v1beta1(request), written.admission);
  status.list("admissionChecks", written.checks, same_check, write_check);
  status.text("clusterName", written.cluster);
  write_conditions(status, written.conditions, {});
  status.texts("nominatedClusterNames", written.nominated_clusters);
  status.list("preemptionGates", written.preemption_gates, same_gate, write_gate);
  write_counts(status, written);
  write_requeue(status, written.requeue);
  write_evictions(status, written.evictions);
  status.list("unhealthyNodes", written.unhealthy_nodes, same_node,
              [](Overlay& at, const std::string& node) { at.text_always("name", node); });
}

}  // namespace

void write_kind(Overlay& at, const AdmissionRequest& request) {
  at.member("spec",
            [&](Overlay& spec) { write_spec(spec, is_kueue_v1beta1(request), request.spec); });
  at.member("status", [&](Overlay& status) { write_status(status, request); });
}

}  // namespace tutti::wire
