// Rules of the kinds that say who may use how much, as Kueue's webhooks and CRDs have them. What a
// queue names need not exist: it then waits for it.
#include <algorithm>
#include <cstdint>
#include <string>

#include "admission/checks/checks.h"
#include "admission/checks/selector_rules.h"
#include "admission/rules/kind_rules.h"
#include "admission/rules/update_rules.h"

namespace tutti::admission {
namespace {

constexpr std::size_t kGroupsMax = 16;
constexpr std::size_t kGroupItemsMax = 64;
constexpr std::size_t kQueueItemsMax = 256;
constexpr std::size_t kAmountsMax = 512;
constexpr std::size_t kChecksMax = 64;
constexpr std::size_t kFlavorItemsMax = 8;
constexpr std::size_t kRacingFlavorsMax = 16;
constexpr std::size_t kControllerNameMax = 253;
constexpr std::size_t kDescriptionMax = 2048;

// Who holds quota: the rules of limits differ.
struct Holder {
  std::string_view parent_field;
  bool has_parent = false;
  bool lends_at_most_nominal = false;
};

void check_item_count(std::size_t count, const Path& path, Findings& findings) {
  if (count >= 1 && count <= kGroupItemsMax) return;
  findings.add(path, "must have 1 to {} entries, has {}", kGroupItemsMax, count);
}

void check_quota(const Quantity& amount, const Path& path, Findings& findings) {
  if (amount.negative()) findings.add(path, "must be at least 0, is {}", amount.text());
}

void check_limit(const std::optional<Quantity>& limit, const Holder& holder, const Path& path,
                 Findings& findings) {
  if (!limit) return;
  check_quota(*limit, path, findings);
  if (!holder.has_parent) {
    findings.add(path, "must be absent without spec.{}, is {}", holder.parent_field, limit->text());
  }
}

void check_amount(const model::QuotaAmount& amount, const Holder& holder, const Path& path,
                  Findings& findings) {
  check_quota(amount.nominal, path.field("nominalQuota"), findings);
  check_limit(amount.borrowing_limit, holder, path.field("borrowingLimit"), findings);
  check_limit(amount.lending_limit, holder, path.field("lendingLimit"), findings);
  if (holder.lends_at_most_nominal && amount.lending_limit > amount.nominal) {
    findings.add(path.field("lendingLimit"), "must be at most nominalQuota, which is {}, is {}",
                 amount.nominal.text(), amount.lending_limit->text());
  }
}

void check_flavor_quotas(const model::FlavorQuotas& flavor, const model::ResourceGroup& group,
                         const Holder& holder, const Path& path, Findings& findings) {
  check_dns_subdomain(flavor.flavor, path.field("name"), findings);
  if (flavor.amounts.size() != group.covered.size()) {
    findings.add(path.field("resources"),
                 "must have one entry for each of coveredResources ({}), has {}",
                 group.covered.size(), flavor.amounts.size());
  }
  for (std::size_t i = 0; i < flavor.amounts.size(); ++i) {
    const Path place = path.item("resources", i);
    if (i < group.covered.size() && flavor.amounts[i].resource != group.covered[i]) {
      findings.add(place.field("name"), "must be '{}' as in coveredResources[{}], is '{}'",
                   group.covered[i], i, flavor.amounts[i].resource);
    }
    check_amount(flavor.amounts[i], holder, place, findings);
  }
}

// Sees all groups of a holder: a resource and a flavor belong to one of them.
class GroupChecker {
 public:
  GroupChecker(const Holder& holder, Findings& findings) : holder_(holder), findings_(findings) {}

  void check(const model::ResourceGroup& group, const Path& path) {
    check_item_count(group.covered.size(), path.field("coveredResources"), findings_);
    for (std::size_t i = 0; i < group.covered.size(); ++i) {
      const Path place = path.item("coveredResources", i);
      check_qualified_name(group.covered[i], place, findings_);
      resources_.see(group.covered[i], place, findings_);
    }
    check_item_count(group.flavors.size(), path.field("flavors"), findings_);
    std::size_t amounts = 0;
    for (std::size_t i = 0; i < group.flavors.size(); ++i) {
      const Path place = path.item("flavors", i);
      check_flavor_quotas(group.flavors[i], group, holder_, place, findings_);
      flavors_.see(group.flavors[i].flavor, place.field("name"), findings_);
      amounts += group.flavors[i].amounts.size();
    }
    if (amounts > kAmountsMax) {
      findings_.add(path, "must have at most {} pairs of flavor and resource, has {}", kAmountsMax,
                    amounts);
    }
  }

 private:
  const Holder& holder_;
  Findings& findings_;
  Unique resources_;
  Unique flavors_;
};

void check_groups(const std::vector<model::ResourceGroup>& groups, const Holder& holder,
                  Findings& findings) {
  const Path spec("spec");
  const Path list = spec.field("resourceGroups");
  check_at_most_items(groups.size(), kGroupsMax, list, findings);
  GroupChecker checker(holder, findings);
  std::size_t flavors = 0;
  std::size_t resources = 0;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    checker.check(groups[i], spec.item("resourceGroups", i));
    flavors += groups[i].flavors.size();
    resources += groups[i].covered.size();
  }
  if (flavors > kQueueItemsMax) {
    findings.add(list, "must have at most {} flavors, has {}", kQueueItemsMax, flavors);
  }
  if (resources > kQueueItemsMax) {
    findings.add(list, "must cover at most {} resources, covers {}", kQueueItemsMax, resources);
  }
}

// Checks that the weight is not so little that it divides to nothing.
void check_share_weight(const Quantity& weight, Findings& findings) {
  static const Quantity kLeast = *Quantity::parse("1n");
  const Path path("spec.fairSharing.weight");
  check_quota(weight, path, findings);
  if (!weight.zero() && !weight.negative() && weight <= kLeast) {
    findings.add(path, "must be 0 or above 1n, is {}", weight.text());
  }
}

bool has_flavor(const model::ClusterQueueSpec& spec, std::string_view name) {
  return std::ranges::any_of(spec.groups, [&](const model::ResourceGroup& group) {
    return std::ranges::find(group.flavors, name, &model::FlavorQuotas::flavor) !=
           group.flavors.end();
  });
}

void check_admission_checks(const model::ClusterQueueSpec& spec, Findings& findings) {
  const Path strategy("spec.admissionChecksStrategy");
  check_at_most_items(spec.checks.size(), kChecksMax, strategy.field("admissionChecks"), findings);
  for (std::size_t i = 0; i < spec.checks.size(); ++i) {
    const Path rule = strategy.item("admissionChecks", i);
    check_dns_subdomain(spec.checks[i].check, rule.field("name"), findings);
    const auto& flavors = spec.checks[i].on_flavors;
    check_at_most_items(flavors.size(), kGroupItemsMax, rule.field("onFlavors"), findings);
    for (std::size_t j = 0; j < flavors.size(); ++j) {
      if (has_flavor(spec, flavors[j])) continue;
      findings.add(rule.item("onFlavors", j), "must be a flavor of this queue, is '{}'",
                   flavors[j]);
    }
  }
}

void check_migration(const model::ClusterQueueSpec& spec, Findings& findings) {
  if (!spec.migration) return;
  const Path path("spec.concurrentAdmissionPolicy.migration");
  const Path last = path.field("constraints.lastAcceptableFlavorName");
  if (spec.groups.size() != 1) {
    findings.add(Path("spec.resourceGroups"),
                 "must have one entry with concurrentAdmissionPolicy, has {}", spec.groups.size());
  } else {
    check_at_most_items(spec.groups[0].flavors.size(), kRacingFlavorsMax,
                        Path("spec.resourceGroups[0].flavors"), findings);
  }
  if (spec.migration->constrained &&
      spec.migration->mode == model::MigrationMode::retain_first_admission) {
    findings.add(path.field("constraints"), "must be absent unless mode is TryPreferredFlavors");
  } else if (const std::string& name = spec.migration->last_acceptable_flavor;
             !name.empty() && !has_flavor(spec, name)) {
    findings.add(last, "must be a flavor of this queue, is '{}'", name);
  }
  if (spec.strategy == model::QueueingStrategy::strict_fifo) {
    findings.add(Path("spec.queueingStrategy"),
                 "must not be StrictFIFO with concurrentAdmissionPolicy");
  }
}

void check_preemption(const model::ClusterQueueSpec& spec, Findings& findings) {
  if (spec.preemption.while_borrowing &&
      spec.preemption.reclaim == model::ReclaimPreemption::never) {
    findings.add(Path("spec.preemption.borrowWithinCohort.policy"),
                 "must be Never while reclaimWithinCohort is Never, is 'LowerPriority'");
  }
  if (spec.fungibility.preference &&
      (spec.fungibility.stops_when_borrowing || spec.fungibility.stops_when_preempting)) {
    findings.add(Path("spec.flavorFungibility.preference"),
                 "must be absent unless whenCanBorrow and whenCanPreempt are TryNextFlavor");
  }
}

// Who may start before others that wait.
void check_backfill(const model::ObjectMeta& object, Findings& findings) {
  constexpr std::string_view kMode = "tutti.dev/backfill";
  const std::string* word = model::find(object.annotations, kMode);
  if (word == nullptr) return;
  const Path meta("metadata");
  check_one_of(*word, {"none", "easy", "conservative"}, meta.entry("annotations", kMode), findings);
}

}  // namespace

void check_words(const model::UnknownWords& words, Findings& findings) {
  for (const model::UnknownWord& word : words) {
    findings.add(Path(word.field), "must be one of {}, is '{}'", word.known, word.word);
  }
}

void check_added_tolerations(const std::vector<model::Toleration>& tolerations, const Path& path,
                             Findings& findings) {
  check_at_most_items(tolerations.size(), kFlavorItemsMax, path.field("tolerations"), findings);
  for (std::size_t i = 0; i < tolerations.size(); ++i) {
    const Path place = path.item("tolerations", i);
    check_toleration(tolerations[i], place, findings);
    using Operator = model::Toleration::Operator;
    if (tolerations[i].op == Operator::lt || tolerations[i].op == Operator::gt) {
      findings.add(place.field("operator"), "must be Equal or Exists");
    }
  }
}

void check_kind(const model::ResourceFlavor& flavor, Findings& findings) {
  const Path spec("spec");
  check_at_most_items(flavor.node_labels.size(), kFlavorItemsMax, spec.field("nodeLabels"),
                      findings);
  check_labels(flavor.node_labels, "nodeLabels", spec, findings);
  check_at_most_items(flavor.node_taints.size(), kFlavorItemsMax, spec.field("nodeTaints"),
                      findings);
  check_taints(flavor.node_taints, "nodeTaints", spec, findings);
  check_added_tolerations(flavor.tolerations, spec, findings);
  check_optional_name(flavor.topology, spec.field("topologyName"), findings);
  if (!flavor.topology.empty() && flavor.node_labels.empty()) {
    findings.add(spec.field("nodeLabels"), "must have at least one entry with topologyName");
  }
}

void check_kind(const model::ClusterQueue& queue, Findings& findings) {
  const model::ClusterQueueSpec& spec = queue.spec;
  const std::string_view parent =
      queue.api_version == model::kKueueV1Beta1 ? "cohort" : "cohortName";
  check_optional_name(spec.cohort, Path(parent == "cohort" ? "spec.cohort" : "spec.cohortName"),
                      findings);
  check_words(spec.unknown_words, findings);
  check_groups(spec.groups, {parent, !spec.cohort.empty(), true}, findings);
  check_selector(spec.namespace_selector, Path("spec.namespaceSelector"), findings);
  check_preemption(spec, findings);
  check_share_weight(spec.weight, findings);
  check_admission_checks(spec, findings);
  check_migration(spec, findings);
  check_backfill(queue.meta, findings);
}

void check_kind(const model::Cohort& cohort, Findings& findings) {
  check_backfill(cohort.meta, findings);
  check_optional_name(cohort.spec.parent, Path("spec.parentName"), findings);
  check_groups(cohort.spec.groups, {"parentName", !cohort.spec.parent.empty(), false}, findings);
  check_share_weight(cohort.spec.weight, findings);
}

void check_kind(const model::LocalQueue& queue, Findings& findings) {
  check_optional_name(queue.spec.cluster_queue, Path("spec.clusterQueue"), findings);
  check_words(queue.spec.unknown_words, findings);
  check_share_weight(queue.spec.weight, findings);
}

void check_kind(const model::WorkloadPriorityClass& priority_class, Findings& findings) {
  if (priority_class.description.size() > kDescriptionMax) {
    findings.add(Path("description"), "must have at most {} bytes, has {}", kDescriptionMax,
                 priority_class.description.size());
  }
}

void check_kind(const model::AdmissionCheck& check, Findings& findings) {
  const Path spec("spec");
  if (check.controller.empty()) {
    findings.add(spec.field("controllerName"), "is required");
  } else if (check.controller.size() > kControllerNameMax) {
    findings.add(spec.field("controllerName"), "must have at most {} bytes, has {}",
                 kControllerNameMax, check.controller.size());
  }
  if (!check.parameters) return;
  const Path parameters = spec.field("parameters");
  check_dns_subdomain(check.parameters->api_group, parameters.field("apiGroup"), findings);
  check_dns_label(check.parameters->name, parameters.field("name"), findings);
  if (check.parameters->kind.empty()) findings.add(parameters.field("kind"), "is required");
}

void check_change(const model::ResourceFlavor& before, const model::ResourceFlavor& after,
                  Findings& findings) {
  if (before.topology.empty()) return;
  check_frozen_text(before.topology, after.topology, Path("spec.topologyName"), findings);
}

void check_change(const model::ClusterQueue& before, const model::ClusterQueue& after,
                  Findings& findings) {
  check_frozen(before.spec.migration, after.spec.migration, Path("spec.concurrentAdmissionPolicy"),
               findings);
}

void check_change(const model::LocalQueue& before, const model::LocalQueue& after,
                  Findings& findings) {
  check_frozen_text(before.spec.cluster_queue, after.spec.cluster_queue, Path("spec.clusterQueue"),
                    findings);
}

void check_change(const model::AdmissionCheck& before, const model::AdmissionCheck& after,
                  Findings& findings) {
  check_frozen_text(before.controller, after.controller, Path("spec.controllerName"), findings);
}

}  // namespace tutti::admission
