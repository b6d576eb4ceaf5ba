// Keeps the pods of a StatefulSet: name-0, name-1 …, one after the other unless it says Parallel.
#pragma once

#include "controllers/apps/replica_controller.h"

namespace tutti::controllers {

class StatefulSetController : public ReplicaController<model::StatefulSet> {
 public:
  explicit StatefulSetController(Cluster& cluster) : ReplicaController(cluster, model::Kind::pod) {}

 protected:
  void keep(const model::StatefulSet& set) override;

 private:
  bool create_claims(const model::StatefulSet& set, const std::string& pod);
  void create_missing(const model::StatefulSet& set);
  void remove_surplus(const model::StatefulSet& set);
};

}  // namespace tutti::controllers
