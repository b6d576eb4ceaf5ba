// Empties a namespace that is being deleted, and lets it go when nothing is left in it.
#pragma once

#include "base/std.h"
#include "controllers/controller.h"

namespace tutti::controllers {

// Holds a namespace that is being deleted until it is empty.
inline constexpr std::string_view kNamespaceContent = "kubernetes";

class NamespaceCleaner : public Controller {
 public:
  using Controller::Controller;

  void observe(const store::WatchEvent& event) override;

 protected:
  void reconcile(const model::ObjectKey& key) override;

 private:
  std::set<std::string, std::less<>> terminating_;
};

}  // namespace tutti::controllers
