// Kinds that keep a number of pods, whose selectors also decide the default spread of pods, and
// disruption budgets.
#pragma once

#include "base/std.h"
#include "model/object.h"
#include "model/pod_template.h"
#include "model/selector.h"
#include "model/storage.h"

namespace tutti::model {

// Pods that it selects are spread by default: they do the same work.
struct Service : Object {
  static constexpr Kind kKind = Kind::service;
  Service() : Object(kKind) {}
  Labels selector;  // empty: selects nothing
};

// Read for its selector alone, as Service is; the others below are also run in virtual time.
struct ReplicationController : Object {
  static constexpr Kind kKind = Kind::replication_controller;
  ReplicationController() : Object(kKind) {}
  Labels selector;
};

// What a controller says of the pods that it keeps.
struct ReplicaStatus {
  std::int32_t replicas = 0;
  std::int32_t ready = 0;
  bool operator==(const ReplicaStatus&) const = default;
};

// What the three kinds that keep replicas have in common.
struct ReplicaKeeper : Object {
  using Object::Object;
  std::optional<LabelSelector> selector;
  std::optional<std::int32_t> replicas;  // absent: 1
  PodTemplate pods;
  ReplicaStatus status;
};

// Keeps its pods through a ReplicaSet.
struct Deployment : ReplicaKeeper {
  static constexpr Kind kKind = Kind::deployment;
  Deployment() : ReplicaKeeper(kKind) {}
};

struct ReplicaSet : ReplicaKeeper {
  static constexpr Kind kKind = Kind::replica_set;
  ReplicaSet() : ReplicaKeeper(kKind) {}
};

// Keeps pods that have names and volumes of their own.
struct StatefulSet : ReplicaKeeper {
  static constexpr Kind kKind = Kind::stateful_set;
  StatefulSet() : ReplicaKeeper(kKind) {}
  std::vector<PersistentVolumeClaim> claim_templates;  // each pod gets one claim of each
  bool parallel = false;           // podManagementPolicy; else one after the other
  std::int32_t first_ordinal = 0;  // ordinals.start
};

// A number of pods, or a percentage of those there should be.
struct CountOrPercent {
  std::int32_t value = 0;
  bool percent = false;
  bool operator==(const CountOrPercent&) const = default;
};

// Bounds how many of the selected pods may be evicted at once.
struct PodDisruptionBudget : Object {
  static constexpr Kind kKind = Kind::pod_disruption_budget;
  PodDisruptionBudget() : Object(kKind) {}
  std::optional<LabelSelector> selector;
  std::optional<CountOrPercent> min_available;
  std::optional<CountOrPercent> max_unavailable;
  // Status.
  std::int32_t disruptions_allowed = 0;
  std::int32_t current_healthy = 0;
  std::int32_t desired_healthy = 0;
  std::int32_t expected_pods = 0;
  std::int64_t observed_generation = 0;
  // Pods whose eviction was granted and that have not gone yet: already counted.
  std::vector<std::string> disrupted_pods;
};

}  // namespace tutti::model
