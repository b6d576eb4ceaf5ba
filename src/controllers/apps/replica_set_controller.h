// Keeps as many pods as a ReplicaSet asks for.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "controllers/apps/replica_controller.h"

namespace tutti::controllers {

class ReplicaSetController : public ReplicaController<model::ReplicaSet> {
 public:
  explicit ReplicaSetController(Cluster& cluster) : ReplicaController(cluster, model::Kind::pod) {}

 protected:
  void keep(const model::ReplicaSet& set) override;

 private:
  void adopt_pods(const model::ReplicaSet& set);
  void create_pods(const model::ReplicaSet& set, std::size_t count);

  std::unordered_map<std::string, std::uint64_t> pods_made_;  // by the set's uid
};

}  // namespace tutti::controllers
