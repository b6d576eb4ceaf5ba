// Company: members of a gang that must share one topology domain because their required affinity
// can be met by each other alone, and ask for more than any such domain has.
#pragma once

#include "base/std.h"
#include "explain/findings/demand.h"

namespace tutti::explain {

struct Company {
  std::vector<core::PodId> pods;  // one of each kind that must be there
  std::string key;                // of the domain
  std::size_t domains = 0;        // that there are
  Balance balance;                // all of them, against the domain that has the most
};

// A proof that no placement exists, even on empty nodes; nothing where counting proves none. It is
// about members that are needed at once, and whom nobody else in the cluster could keep company.
std::optional<Company> company_too_large(const core::Cluster& cluster, const Demand& demand);

}  // namespace tutti::explain
