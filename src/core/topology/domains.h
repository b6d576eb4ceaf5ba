// The domains of one topology key: which nodes share a value of the label or device attribute, and
// where members that already run hold their group.
#pragma once

#include "base/bitset.h"
#include "base/result.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/framework/extension_points.h"
#include "devices/inventory/confinement.h"

namespace tutti::core {

// Members of all leaves below the group that have a node, decided or observed, in order of ids
// within each leaf.
std::vector<PodId> scheduled_members(const GroupTable& groups, GroupId group);

// The domains of the key that a pod with a node is in, in order of value: those of the node; where
// it is divided, those of them that no device of the pod lies outside of.
std::vector<std::uint32_t> domains_of(const Cluster& cluster, PodId pod, const std::string& key);

// Returns the values of such domains, for a pod that need not be known: then by its node alone.
std::vector<std::string> domain_values(const Cluster& cluster, const std::string& key,
                                       const model::Pod& pod);

// The domains of the key that all these pods are in, in order of value; none when there are no
// pods. An error names the member that is elsewhere, in no domain, or nowhere.
Result<std::vector<std::uint32_t>> common_domains(const Cluster& cluster,
                                                  std::span<const PodId> scheduled,
                                                  const std::string& key);

// One placement for every domain that has nodes in `within`, in order of value; only `wanted` ones,
// unless there are none of these.
std::vector<Placement> domains_within(const Cluster& cluster, const std::string& key,
                                      const Bitset& within,
                                      std::span<const std::uint32_t> wanted = {});

// Nodes in a domain whose devices have this value, by label or by device.
Bitset nodes_bounded_by(const Cluster& cluster, const devices::Bound& bound);

// The value of the key that the node of this name is in the one domain of.
std::optional<std::string> domain_at(const Cluster& cluster, const std::string& key,
                                     std::string_view node);

// Why no node is in a domain of the key: "no node has label row". Requires that none is.
std::string nowhere_text(const Cluster& cluster, const std::string& key);

// "key=value" of a domain that as many as possible of these pods are in, from the first on that has
// a node; empty without a key.
std::string placement_text(const Cluster& cluster, const std::string& key,
                           std::span<const PodId> pods);

}  // namespace tutti::core
