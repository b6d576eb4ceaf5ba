// Which pods are on which node, kept from the changes of the store.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "model/object.h"
#include "sim/plane.h"

namespace tutti::sim {

class NodePods : public Controller {
 public:
  void observe(const store::WatchEvent& event) override;
  // In order of namespace and name. A copy: acting on pods changes the set.
  std::vector<model::ObjectKey> on(std::string_view node) const;

 private:
  std::map<std::string, std::set<model::ObjectKey>, std::less<>> pods_;
};

}  // namespace tutti::sim
