// Keeps the requests of replicas told whether they are guaranteed or burst, while replicas come and
// go (tutti.dev/guaranteed-replicas on the set).
#pragma once

#include "base/std.h"
#include "controllers/controller.h"

namespace tutti::controllers {

class ReplicaTenures : public Controller {
 public:
  using Controller::Controller;

  void observe(const store::WatchEvent& event) override;

 protected:
  // A set of replicas.
  void reconcile(const model::ObjectKey& key) override;

 private:
  void tell(const model::ObjectKey& request, std::string_view tenure);

  std::map<model::ObjectKey, std::string> refused_;  // what a set says, and is no number
};

}  // namespace tutti::controllers
