// Which pods are grouped in memory, and which are left to the cluster's own controllers.
#pragma once

#include <set>

#include "base/std.h"
#include "grouping/owner_kinds.h"
#include "kube/client/discovery.h"
#include "kube/client/feature_gates.h"
#include "kube/client/served_resources.h"
#include "kube/watch/reflector.h"

namespace tutti::daemon {

// automatic: whatever the cluster does not do itself. always: Jobs as well, even where the cluster
// seems to group them. never: only PodGroups count.
enum class GroupInMemory : std::uint8_t { automatic, always, never };

struct GroupSources {
  std::vector<kube::Resource> resources;  // to be watched before pods
  std::set<const grouping::OwnerKind*> watched;
  std::set<const grouping::OwnerKind*> left_alone;
  // For the log, one line per part: what is done and why.
  std::vector<std::pair<std::string, std::string>> lines;
};

// What discovery has to ask for.
std::vector<kube::ResourceName> owner_resources();

// `offers` in the order of owner_resources(). `gates` of the API server, if it tells them.
GroupSources group_sources(GroupInMemory mode, const kube::Served& served,
                           const std::optional<kube::FeatureGates>& gates,
                           const std::vector<kube::Offer>& offers);

}  // namespace tutti::daemon
