// Keeps the status of PodDisruptionBudgets: what they allow as pods come, get ready and go.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "controllers/controller.h"
#include "controllers/disruption/allowance.h"
#include "model/apps.h"
#include "model/pod.h"

namespace tutti::controllers {

class DisruptionController final : public Controller {
 public:
  explicit DisruptionController(Cluster& cluster) : Controller(cluster) {}

  void observe(const store::WatchEvent& event) override;

 protected:
  void reconcile(const model::ObjectKey& key) override;

 private:
  void look_at_budgets_of(const model::Object& pod);
  Guarded guarded_by(const model::PodDisruptionBudget& budget) const;
  std::optional<std::int64_t> replicas_of(const model::ObjectMeta& pod) const;

  std::map<std::string, std::set<model::ObjectKey>, std::less<>> budgets_;  // by namespace
};

}  // namespace tutti::controllers
