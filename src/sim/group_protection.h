// Lets a deleted PodGroup go once no pod that has not ended names it, by taking away the finalizer
// that admission gave it.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <utility>

#include "sim/plane.h"

namespace tutti::sim {

class GroupProtection : public Controller {
 public:
  // The plane must outlive it.
  explicit GroupProtection(Plane& plane) : plane_(plane) {}

  void observe(const store::WatchEvent& event) override;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace, group

  void count(const model::ObjectPtr& pod, int change);
  void release_if_free(const Name& name);

  Plane& plane_;
  std::map<Name, int> live_pods_;  // groups with at least one
};

}  // namespace tutti::sim
