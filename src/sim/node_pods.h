// Which pods are on which node, kept from the changes of the store.
#pragma once

#include <boost/container/flat_set.hpp>
#include <map>
#include <string>
#include <string_view>
#include <utility>
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
  using Name = std::pair<std::string, std::string>;  // namespace, name
  std::map<std::string, boost::container::flat_set<Name>, std::less<>> pods_;
};

}  // namespace tutti::sim
