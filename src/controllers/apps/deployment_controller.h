// Keeps one ReplicaSet per template of a Deployment: the present one at its full size, those of
// former templates empty.
#pragma once

#include "base/std.h"
#include "controllers/apps/replica_controller.h"

namespace tutti::controllers {

class DeploymentController : public ReplicaController<model::Deployment> {
 public:
  explicit DeploymentController(Cluster& cluster)
      : ReplicaController(cluster, model::Kind::replica_set) {}

 protected:
  void keep(const model::Deployment& deployment) override;

 private:
  using SetPtr = std::shared_ptr<const model::ReplicaSet>;

  std::vector<SetPtr> sets_of(const model::Deployment& deployment) const;
  bool create_set(const model::Deployment& deployment, std::size_t revision);
  void resize(const model::ReplicaSet& set, std::int32_t replicas);
};

}  // namespace tutti::controllers
