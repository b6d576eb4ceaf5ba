// Lets a deleted PodGroup go once no pod that has not ended names it, by taking away the finalizer
// that admission gave it.
#pragma once

#include <map>

#include "base/std.h"
#include "controllers/controller.h"

namespace tutti::controllers {

inline constexpr std::string_view kGroupProtection = "scheduling.k8s.io/podgroup-protection";

class GroupProtection : public Controller {
 public:
  // `patience`: how long a group may be free before it is let go. Beside a cluster's own controller
  // that gives the latter the time to do it.
  explicit GroupProtection(Cluster& cluster, Millis patience = {})
      : Controller(cluster), patience_(patience) {}

  void observe(const store::WatchEvent& event) override;

 protected:
  // Lets a PodGroup go that is being deleted, once no pod of it lives.
  void reconcile(const model::ObjectKey& key) override;

 private:
  void count(const model::ObjectPtr& pod, int change);

  Millis patience_;
  std::map<model::ObjectKey, int> live_pods_;       // groups with at least one
  std::map<model::ObjectKey, Instant> free_since_;  // deleted groups without
};

}  // namespace tutti::controllers
