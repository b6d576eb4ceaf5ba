// Kinds whose selectors decide the default spread of pods, and disruption budgets.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "model/object.h"
#include "model/selector.h"

namespace tutti::model {

struct Service : Object {
  static constexpr Kind kKind = Kind::service;
  Service() : Object(kKind) {}
  Labels selector;  // empty: selects nothing
};

struct ReplicationController : Object {
  static constexpr Kind kKind = Kind::replication_controller;
  ReplicationController() : Object(kKind) {}
  Labels selector;
};

struct ReplicaSet : Object {
  static constexpr Kind kKind = Kind::replica_set;
  ReplicaSet() : Object(kKind) {}
  std::optional<LabelSelector> selector;
};

struct StatefulSet : Object {
  static constexpr Kind kKind = Kind::stateful_set;
  StatefulSet() : Object(kKind) {}
  std::optional<LabelSelector> selector;
};

struct PodDisruptionBudget : Object {
  static constexpr Kind kKind = Kind::pod_disruption_budget;
  PodDisruptionBudget() : Object(kKind) {}
  std::optional<LabelSelector> selector;
  std::int32_t disruptions_allowed = 0;
  std::vector<std::string> disrupted_pods;
};

}  // namespace tutti::model
