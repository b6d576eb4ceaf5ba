// kueue.x-k8s.io: who may use how much of what. ResourceFlavor, ClusterQueue, Cohort, LocalQueue,
// WorkloadPriorityClass and AdmissionCheck, of v1beta1 and v1beta2 in one form; `api_version` of an
// object remembers which one it was. Amounts are kept exactly.
#pragma once

#include "base/std.h"
#include "model/node.h"
#include "model/object.h"
#include "model/pod.h"
#include "model/resources.h"
#include "model/selector.h"

namespace tutti::model {

inline constexpr std::string_view kKueueV1Beta1 = "kueue.x-k8s.io/v1beta1";

// A choice that we do not know, as a newer Kueue may write it. The field has its safest value: what
// takes the least from others. In a file it is a mistake.
struct UnknownWord {
  std::string field;  // "spec.stopPolicy"
  std::string word;
  std::string known;  // "None, Hold, HoldAndDrain"
  bool operator==(const UnknownWord&) const = default;
};
using UnknownWords = std::vector<UnknownWord>;

// The machines that a part of the quota stands for.
struct ResourceFlavor : Object {
  static constexpr Kind kKind = Kind::resource_flavor;
  ResourceFlavor() : Object(kKind) {}
  Labels node_labels;
  std::vector<Taint> node_taints;
  std::vector<Toleration> tolerations;
  std::string topology;  // empty: places are not Kueue's matter
};

// The quota of one resource in one flavor.
struct QuotaAmount {
  std::string resource;
  Quantity nominal;
  std::optional<Quantity> borrowing_limit;  // absent: unlimited
  // How much of the nominal quota others may have while it is unused; absent: all of it.
  std::optional<Quantity> lending_limit;
  bool operator==(const QuotaAmount&) const = default;
};

// What a queue or cohort has of one flavor.
struct FlavorQuotas {
  std::string flavor;
  std::vector<QuotaAmount> amounts;  // in the order of the covered resources
  bool operator==(const FlavorQuotas&) const = default;
};

// Resources that a workload takes from one flavor together; flavors in the order of preference.
struct ResourceGroup {
  std::vector<std::string> covered;
  std::vector<FlavorQuotas> flavors;
  bool operator==(const ResourceGroup&) const = default;
};

// Whether a request that cannot be admitted holds up those behind it.
enum class QueueingStrategy : std::uint8_t { strict_fifo, best_effort_fifo };
// Whether new requests are admitted, and whether admitted ones may stay.
enum class StopPolicy : std::uint8_t { none, hold, hold_and_drain };
// Whom of its own queue a request may have evicted.
enum class WithinQueuePreemption : std::uint8_t { never, lower_priority, lower_or_newer_equal };
// Whom of other queues of the cohort a request may have evicted, to get back what they borrow.
enum class ReclaimPreemption : std::uint8_t { never, lower_priority, any };
// What is worse when one flavor needs the one and another flavor the other.
enum class FlavorPreference : std::uint8_t { borrowing_over_preemption, preemption_over_borrowing };
// Whether LocalQueues that used little come first inside a ClusterQueue.
enum class AdmissionMode : std::uint8_t { no_fair_sharing, usage_based };
// Whether an admitted request that could have a better flavor keeps the one it has.
enum class MigrationMode : std::uint8_t { retain_first_admission, try_preferred_flavors };

// Whom a ClusterQueue's requests may have evicted. By default nobody.
struct QueuePreemption {
  WithinQueuePreemption within = WithinQueuePreemption::never;
  ReclaimPreemption reclaim = ReclaimPreemption::never;
  bool while_borrowing = false;  // borrowWithinCohort: LowerPriority
  std::optional<std::int32_t>
      while_borrowing_up_to;  // priority of victims; absent: below one's own
  bool operator==(const QueuePreemption&) const = default;
};

// Whether the search for a flavor ends with one that borrows, or that preempts.
struct FlavorFungibility {
  bool stops_when_borrowing = true;
  bool stops_when_preempting = false;
  std::optional<FlavorPreference> preference;  // absent: borrowing over preemption
  bool operator==(const FlavorFungibility&) const = default;
};

// A check that requests of the queue must pass, and for which flavors.
struct AdmissionCheckRule {
  std::string check;
  std::vector<std::string> on_flavors;  // empty: always
  bool operator==(const AdmissionCheckRule&) const = default;
};

// What becomes of admitted requests when a flavor that they like better comes free.
struct FlavorMigration {
  std::optional<MigrationMode> mode;
  bool constrained = false;            // constraints are given, even if empty
  std::string last_acceptable_flavor;  // empty: all are
  bool operator==(const FlavorMigration&) const = default;
};

// A pool of quota and the rules of those who want of it.
struct ClusterQueueSpec {
  std::vector<ResourceGroup> groups;
  std::string cohort;  // empty: none
  QueueingStrategy strategy = QueueingStrategy::best_effort_fifo;
  std::optional<LabelSelector> namespace_selector;  // absent: no namespace
  FlavorFungibility fungibility;
  QueuePreemption preemption;
  std::vector<AdmissionCheckRule> checks;
  StopPolicy stop = StopPolicy::none;
  // Under fair sharing: twice the weight makes the same use count half.
  Quantity weight = Quantity::from_units(1);
  std::optional<AdmissionMode> admission_mode;
  std::optional<FlavorMigration> migration;
  UnknownWords unknown_words;
  bool operator==(const ClusterQueueSpec&) const = default;
};

// How much of one resource in one flavor is in use, as status says it.
struct ResourceUsage {
  std::string resource;
  Quantity total;
  Quantity borrowed;  // 0 in a LocalQueue, which borrows nothing
  bool operator==(const ResourceUsage&) const = default;
};

// What is in use of one flavor.
struct FlavorUsage {
  std::string flavor;
  std::vector<ResourceUsage> resources;
  bool operator==(const FlavorUsage&) const = default;
};

// What the work of a LocalQueue took over time.
struct ConsumedResources {
  ResourceList amounts;
  std::optional<Instant> last_update;
  bool operator==(const ConsumedResources&) const = default;
};

// The status of ClusterQueues and LocalQueues, which differ in few fields.
struct QueueStatus {
  Conditions conditions;
  std::vector<FlavorUsage> reservation;  // reserved, admitted or not
  std::vector<FlavorUsage> usage;        // admitted
  // Absent until someone has counted.
  std::optional<std::int32_t> pending;
  std::optional<std::int32_t> reserving;
  std::optional<std::int32_t> admitted;
  std::optional<std::int64_t> weighted_share;
  std::optional<ConsumedResources> consumed;  // of a LocalQueue
  bool operator==(const QueueStatus&) const = default;
};

// The queue that has quota. Cluster-scoped; people reach it through a LocalQueue.
struct ClusterQueue : Object {
  static constexpr Kind kKind = Kind::cluster_queue;
  ClusterQueue() : Object(kKind) {}
  ClusterQueueSpec spec;
  QueueStatus status;
};

// Queues, and other cohorts, that lend each other what they do not use.
struct CohortSpec {
  std::string parent;                 // empty: a root
  std::vector<ResourceGroup> groups;  // beside what members have
  Quantity weight = Quantity::from_units(1);
  bool operator==(const CohortSpec&) const = default;
};

struct Cohort : Object {
  static constexpr Kind kKind = Kind::cohort;
  Cohort() : Object(kKind) {}
  CohortSpec spec;
  std::optional<std::int64_t> weighted_share;
};

// A namespace's door to a ClusterQueue.
struct LocalQueueSpec {
  std::string cluster_queue;
  StopPolicy stop = StopPolicy::none;
  Quantity weight = Quantity::from_units(1);
  UnknownWords unknown_words;
  bool operator==(const LocalQueueSpec&) const = default;
};

struct LocalQueue : Object {
  static constexpr Kind kKind = Kind::local_queue;
  LocalQueue() : Object(kKind) {}
  LocalQueueSpec spec;
  QueueStatus status;
};

// Decides the order in queues and whom quota is taken from; never the priority of pods.
struct WorkloadPriorityClass : Object {
  static constexpr Kind kKind = Kind::workload_priority_class;
  WorkloadPriorityClass() : Object(kKind) {}
  std::int32_t value = 0;
  std::string description;
};

// Names an object that the check's controller reads; we hand it on.
struct AdmissionCheckParameters {
  std::string api_group;
  std::string kind;
  std::string name;
  bool operator==(const AdmissionCheckParameters&) const = default;
};

// Something outside that has a say before a request starts, such as a provisioner of nodes.
struct AdmissionCheck : Object {
  static constexpr Kind kKind = Kind::admission_check;
  AdmissionCheck() : Object(kKind) {}
  std::string controller;
  std::optional<AdmissionCheckParameters> parameters;
  Conditions conditions;
};

}  // namespace tutti::model
