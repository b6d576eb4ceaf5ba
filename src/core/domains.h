// The domains of one topology key: which nodes share a value of the label or device attribute, and
// where members that already run hold their group.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/bitset.h"
#include "base/result.h"
#include "core/cluster.h"
#include "core/groups.h"
#include "core/lifecycle.h"

namespace tutti::core {

// Members of all leaves below the group that have a node, decided or observed, in order of ids
// within each leaf.
std::vector<PodId> scheduled_members(const GroupTable& groups, GroupId group);

// The one domain of the key that all these pods are in; DomainColumn::kNone when there are none.
// An error names the member that is elsewhere, on a node in no domain, or nowhere.
Result<std::uint32_t> common_domain(const Cluster& cluster, std::span<const PodId> scheduled,
                                    const std::string& key);

// One placement for every domain that has nodes in `within`, in order of value; only the domain
// `wanted`, unless that is DomainColumn::kNone.
std::vector<Placement> domains_within(const Cluster& cluster, const std::string& key,
                                      const Bitset& within,
                                      std::uint32_t wanted = DomainColumn::kNone);

// The value of the key that the node of this name is in the domain of.
std::optional<std::string> domain_at(const Cluster& cluster, const std::string& key,
                                     std::string_view node);

// Why no node is in a domain of the key: "no node has label row". Requires that none is.
std::string nowhere_text(const Cluster& cluster, const std::string& key);
// "devices of node h1 have 2 values of gpu.example.com/island …"; empty when no node is in no
// domain because of that.
std::string divided_text(const Cluster& cluster, const std::string& key);

// "key=value" of the domain of the first of these pods that has a node; empty without a key.
std::string placement_text(const Cluster& cluster, const std::string& key,
                           std::span<const PodId> pods);

}  // namespace tutti::core
