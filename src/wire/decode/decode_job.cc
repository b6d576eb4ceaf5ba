#include "wire/decode/decode_parts.h"
#include "wire/decode/decode_scheduling.h"
#include "wire/decode/decode_template.h"

namespace tutti::wire {
namespace {

using Action = model::PodFailureRule::Action;

constexpr EnumTable<bool, 2> kCompletionModes = {{{"NonIndexed", false}, {"Indexed", true}}};
constexpr EnumTable<bool, 2> kReplacementPolicies = {
    {{"TerminatingOrFailed", false}, {"Failed", true}}};
constexpr EnumTable<Action, 4> kActions = {{
    {"Count", Action::count},
    {"Ignore", Action::ignore},
    {"FailJob", Action::fail_job},
    {"FailIndex", Action::fail_index},
}};

void read_scheduling(const Field& at, model::JobScheduling& out) {
  at.member("schedulingPolicy", [&](const Field& policy) {
    const int index = policy.exactly_one_of({"basic", "gang"});
    out.gang = index == 1;
    policy.member("basic", [](const Field& basic) { basic.expect_object(); });
    policy.member("gang", [&](const Field& gang) { gang("minCount", out.minimum); });
  });
  at.member("schedulingConstraints",
            [&](const Field& constraints) { read_topology(constraints, out.topology_key); });
  at.member("disruptionMode",
            [&](const Field& mode) { read_disruption_mode(mode, out.disruption.emplace()); });
  at("resourceClaims", out.resource_claims);
}

void read_rule(const Field& at, model::PodFailureRule& out) {
  at.required("action", out.action, kActions);
  at.list("onPodConditions", [&](const Field& condition) {
    auto& pattern = out.conditions.emplace_back();
    condition("type", pattern.type);
    condition("status", pattern.status);
  });
}

void read_spec(const Field& at, PodSpecPool* specs, model::Job& out) {
  at("parallelism", out.parallelism);
  at("completions", out.completions);
  at("completionMode", out.indexed, kCompletionModes);
  at("suspend", out.suspend);
  at("backoffLimit", out.backoff_limit);
  at("activeDeadlineSeconds", out.active_deadline_seconds);
  at("ttlSecondsAfterFinished", out.ttl_seconds);
  at("manualSelector", out.manual_selector);
  at("selector", out.selector);
  at("podReplacementPolicy", out.replaces_failed_only, kReplacementPolicies);
  at("managedBy", out.managed_by);
  at.member("podFailurePolicy", [&](const Field& policy) {
    policy.list("rules",
                [&](const Field& rule) { read_rule(rule, out.failure_rules.emplace_back()); });
  });
  at.member("scheduling", [&](const Field& scheduling) {
    if (scheduling.expect_object()) read_scheduling(scheduling, out.scheduling.emplace());
  });
  if (specs == nullptr) return;
  at.required_member("template", [&](const Field& pods) { read_template(pods, *specs, out.pods); });
}

void read_status(const Field& at, model::JobStatus& out) {
  at("active", out.active);
  at("ready", out.ready);
  at("terminating", out.terminating);
  at("succeeded", out.succeeded);
  at("failed", out.failed);
  at("completedIndexes", out.completed_indexes);
  at("failedIndexes", out.failed_indexes);
  at("startTime", out.start_time);
  at("completionTime", out.completion_time);
  at("conditions", out.conditions);
}

}  // namespace

void read_template(const Field& at, PodSpecPool& specs, model::PodTemplate& out) {
  at.member("metadata", [&](const Field& meta) {
    meta("labels", out.labels);
    meta("annotations", out.annotations);
    meta("finalizers", out.finalizers);
  });
  at.required_member("spec", [&](const Field& spec) {
    spec("nodeName", out.node_name);
    spec("priority", out.priority);
    spec("preemptionPolicy", out.preemption_policy, kPreemptionPolicies);
    out.spec = specs.intern(spec, out.labels);
  });
}

void read_kind(const Field& at, PodSpecPool* specs, model::Job& out) {
  at.required_member("spec", [&](const Field& spec) { read_spec(spec, specs, out); });
  at.member("status", [&](const Field& status) { read_status(status, out.status); });
}

}  // namespace tutti::wire
