// Which pods are on which node, kept from the changes of the store.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "model/object.h"
#include "sim/plane/plane.h"

namespace tutti::sim {

class NodePods : public Controller {
 public:
  void observe(const store::WatchEvent& event) override;
  // In order of namespace and name. A copy: acting on pods changes the set.
  std::vector<model::ObjectKey> on(std::string_view node) const;

 private:
  using Name = std::pair<std::string, std::string>;  // namespace, name
  // Pods that have ended stay, so there may be very many on one node.
  std::map<std::string, std::set<Name>, std::less<>> pods_;
};

}  // namespace tutti::sim
