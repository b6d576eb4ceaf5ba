// FlavorResources: pairs of a flavor and a resource as small dense numbers.
#pragma once

#include <boost/unordered/unordered_flat_map.hpp>

#include "base/interner.h"
#include "base/std.h"
#include "quota/ids.h"

namespace tutti::quota {

class FlavorResources {
 public:
  // The pair of these names, from now on if it is new. Ids are never given out again.
  FlavorResourceId intern(std::string_view flavor, std::string_view resource) {
    const FlavorId flavor_id{flavors_.intern(flavor)};
    const ResourceId resource_id{resources_.intern(resource)};
    const auto next = static_cast<std::uint32_t>(pairs_.size());
    const std::uint64_t key = (std::uint64_t{flavor_id.index} << 32) | resource_id.index;
    const auto [known, made] = ids_.emplace(key, next);
    if (made) pairs_.emplace_back(flavor_id, resource_id);
    return {known->second};
  }

  std::size_t size() const { return pairs_.size(); }
  FlavorId flavor(FlavorResourceId id) const { return pairs_.at(id.index).first; }
  ResourceId resource(FlavorResourceId id) const { return pairs_.at(id.index).second; }
  std::string_view name(FlavorId id) const { return flavors_.text(id.index); }
  std::string_view name(ResourceId id) const { return resources_.text(id.index); }

  // By names, resource first: an order that does not depend on who was interned when.
  bool comes_before(FlavorResourceId left, FlavorResourceId right) const {
    return sort_key(left) < sort_key(right);
  }

 private:
  std::pair<std::string_view, std::string_view> sort_key(FlavorResourceId id) const {
    return {name(resource(id)), name(flavor(id))};
  }

  Interner flavors_;
  Interner resources_;
  std::vector<std::pair<FlavorId, ResourceId>> pairs_;
  boost::unordered_flat_map<std::uint64_t, std::uint32_t> ids_;  // flavor and resource to pair
};

}  // namespace tutti::quota
