// Kinds of kueue.x-k8s.io that say who may use how much. The versions differ in names:
//
//   v1beta1                                  v1beta2
//   ClusterQueue spec.cohort                 spec.cohortName
//   ClusterQueue spec.admissionChecks        spec.admissionChecksStrategy.admissionChecks (in both)
//   whenCanBorrow: Borrow,                   MayStopSearch (in both)
//   whenCanPreempt: Preempt
//   LocalQueue status.flavorUsage            status.flavorsUsage
//   Cohort spec.parent (v1alpha1 only)       spec.parentName (in both)
#include "wire/decode/decode_kinds.h"
#include "wire/decode/decode_parts.h"
#include "wire/decode/quota_words.h"

namespace tutti::wire {
namespace {

constexpr std::string_view kCohortAlpha = "kueue.x-k8s.io/v1alpha1";

void read_amount(const Field& at, model::QuotaAmount& out) {
  at("name", out.resource);
  at.required("nominalQuota", out.nominal);
  at("borrowingLimit", out.borrowing_limit);
  at("lendingLimit", out.lending_limit);
}

void read_groups(const Field& spec, std::vector<model::ResourceGroup>& out) {
  spec.list("resourceGroups", [&](const Field& item) {
    model::ResourceGroup& group = out.emplace_back();
    item("coveredResources", group.covered);
    item.list("flavors", [&](const Field& flavor) {
      model::FlavorQuotas& quotas = group.flavors.emplace_back();
      flavor("name", quotas.flavor);
      flavor.list("resources",
                  [&](const Field& amount) { read_amount(amount, quotas.amounts.emplace_back()); });
    });
  });
}

void read_weight(const Field& spec, Quantity& out) {
  spec.member("fairSharing", [&](const Field& sharing) { sharing("weight", out); });
}

void read_fungibility(const Field& spec, bool old, model::FlavorFungibility& out,
                      model::UnknownWords& unknown) {
  const std::string place = "spec.flavorFungibility";
  spec.member("flavorFungibility", [&](const Field& at) {
    const auto ends = [&](std::string_view name, bool& end, const auto& words) {
      read_choice(at, name, place + "." + std::string(name), end, false, words, unknown);
    };
    if (old) {
      ends("whenCanBorrow", out.stops_when_borrowing, kSearchEndsAtBorrow);
      ends("whenCanPreempt", out.stops_when_preempting, kSearchEndsAtPreempt);
    } else {
      ends("whenCanBorrow", out.stops_when_borrowing, kSearchEnds);
      ends("whenCanPreempt", out.stops_when_preempting, kSearchEnds);
    }
    read_choice(at, "preference", place + ".preference", out.preference,
                model::FlavorPreference::borrowing_over_preemption, kFlavorPreferences, unknown);
  });
}

void read_preemption(const Field& spec, model::QueuePreemption& out, model::UnknownWords& unknown) {
  spec.member("preemption", [&](const Field& at) {
    read_choice(at, "withinClusterQueue", "spec.preemption.withinClusterQueue", out.within,
                model::WithinQueuePreemption::never, kWithinQueue, unknown);
    read_choice(at, "reclaimWithinCohort", "spec.preemption.reclaimWithinCohort", out.reclaim,
                model::ReclaimPreemption::never, kReclaims, unknown);
    at.member("borrowWithinCohort", [&](const Field& borrow) {
      read_choice(borrow, "policy", "spec.preemption.borrowWithinCohort.policy",
                  out.while_borrowing, false, kBorrowPreemption, unknown);
      borrow("maxPriorityThreshold", out.while_borrowing_up_to);
    });
  });
}

void read_checks(const Field& spec, bool old, std::vector<model::AdmissionCheckRule>& out) {
  const bool strategy = spec.member("admissionChecksStrategy", [&](const Field& at) {
    at.list("admissionChecks", [&](const Field& item) {
      model::AdmissionCheckRule& rule = out.emplace_back();
      item("name", rule.check);
      item("onFlavors", rule.on_flavors);
    });
  });
  if (!old) return;
  spec.list("admissionChecks", [&](const Field& item) {
    if (strategy) return item.parent().fail("excludes admissionChecksStrategy: give one");
    read(item, out.emplace_back().check);
  });
}

void read_migration(const Field& spec, std::optional<model::FlavorMigration>& out,
                    model::UnknownWords& unknown) {
  spec.member("concurrentAdmissionPolicy", [&](const Field& policy) {
    out.emplace();
    policy.member("migration", [&](const Field& at) {
      read_choice(at, "mode", "spec.concurrentAdmissionPolicy.migration.mode", out->mode,
                  model::MigrationMode::retain_first_admission, kMigrationModes, unknown);
      out->constrained = at.member("constraints", [&](const Field& constraints) {
        constraints("lastAcceptableFlavorName", out->last_acceptable_flavor);
      });
    });
  });
}

void read_spec(const Field& at, bool old, model::ClusterQueueSpec& out) {
  read_groups(at, out.groups);
  at(old ? "cohort" : "cohortName", out.cohort);
  read_choice(at, "queueingStrategy", "spec.queueingStrategy", out.strategy,
              model::QueueingStrategy::strict_fifo, kQueueingStrategies, out.unknown_words);
  at("namespaceSelector", out.namespace_selector);
  read_fungibility(at, old, out.fungibility, out.unknown_words);
  read_preemption(at, out.preemption, out.unknown_words);
  read_checks(at, old, out.checks);
  read_choice(at, "stopPolicy", "spec.stopPolicy", out.stop, model::StopPolicy::none, kStopPolicies,
              out.unknown_words);
  read_weight(at, out.weight);
  at.member("admissionScope", [&](const Field& scope) {
    read_choice(scope, "admissionMode", "spec.admissionScope.admissionMode", out.admission_mode,
                model::AdmissionMode::no_fair_sharing, kAdmissionModes, out.unknown_words);
  });
  read_migration(at, out.migration, out.unknown_words);
}

void read_usage(const Field& status, std::string_view name, std::vector<model::FlavorUsage>& out) {
  status.list(name, [&](const Field& item) {
    model::FlavorUsage& flavor = out.emplace_back();
    item("name", flavor.flavor);
    item.list("resources", [&](const Field& used) {
      model::ResourceUsage& usage = flavor.resources.emplace_back();
      used("name", usage.resource);
      used("total", usage.total);
      used("borrowed", usage.borrowed);
    });
  });
}

void read_status(const Field& at, std::string_view usage, model::QueueStatus& out) {
  at("conditions", out.conditions);
  read_usage(at, "flavorsReservation", out.reservation);
  read_usage(at, usage, out.usage);
  at("pendingWorkloads", out.pending);
  at("reservingWorkloads", out.reserving);
  at("admittedWorkloads", out.admitted);
  at.member("fairSharing", [&](const Field& sharing) {
    sharing("weightedShare", out.weighted_share);
    sharing.member("admissionFairSharingStatus", [&](const Field& history) {
      out.consumed.emplace();
      history("consumedResources", out.consumed->amounts);
      history("lastUpdate", out.consumed->last_update);
    });
  });
}

}  // namespace

void read_kind(const Field& at, model::ResourceFlavor& out) {
  at.member("spec", [&](const Field& spec) {
    spec("nodeLabels", out.node_labels);
    spec("nodeTaints", out.node_taints);
    spec("tolerations", out.tolerations);
    spec("topologyName", out.topology);
  });
}

void read_kind(const Field& at, model::ClusterQueue& out) {
  at.member("spec", [&](const Field& spec) { read_spec(spec, is_kueue_v1beta1(out), out.spec); });
  at.member("status",
            [&](const Field& status) { read_status(status, "flavorsUsage", out.status); });
}

void read_kind(const Field& at, model::Cohort& out) {
  at.member("spec", [&](const Field& spec) {
    spec(out.api_version == kCohortAlpha ? "parent" : "parentName", out.spec.parent);
    read_groups(spec, out.spec.groups);
    read_weight(spec, out.spec.weight);
  });
  at.member("status", [&](const Field& status) {
    status.member("fairSharing",
                  [&](const Field& sharing) { sharing("weightedShare", out.weighted_share); });
  });
}

void read_kind(const Field& at, model::LocalQueue& out) {
  at.required_member("spec", [&](const Field& spec) {
    spec("clusterQueue", out.spec.cluster_queue);
    read_choice(spec, "stopPolicy", "spec.stopPolicy", out.spec.stop, model::StopPolicy::none,
                kStopPolicies, out.spec.unknown_words);
    read_weight(spec, out.spec.weight);
  });
  at.member("status",
            [&](const Field& status) { read_status(status, local_usage_member(out), out.status); });
}

void read_kind(const Field& at, model::WorkloadPriorityClass& out) {
  at.required("value", out.value);
  at("description", out.description);
}

void read_kind(const Field& at, model::AdmissionCheck& out) {
  at.required_member("spec", [&](const Field& spec) {
    spec("controllerName", out.controller);
    spec.member("parameters", [&](const Field& parameters) {
      out.parameters.emplace();
      parameters("apiGroup", out.parameters->api_group);
      parameters("kind", out.parameters->kind);
      parameters("name", out.parameters->name);
    });
  });
  at.member("status", [&](const Field& status) { status("conditions", out.conditions); });
}

}  // namespace tutti::wire
