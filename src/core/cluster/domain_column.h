// DomainColumn: one topology key over all nodes: each node's domain, dense from 0 in order of first
// sight. Domain numbers carry no order and must not decide anything; names do.
//
// A node is in one domain of a label. By its devices it may be in several: it is divided, and what
// is placed on it is in one of them by the devices it gets (domains.h).
#pragma once

#include <map>
#include <unordered_map>

#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/name_ranks.h"

namespace tutti::core {

struct DomainColumn {
  static constexpr std::uint32_t kNone = kNoIndex;       // the node is in no domain, or in several
  std::vector<std::uint32_t> domain_of;                  // by node index
  std::map<NodeId, std::vector<std::uint32_t>> divided;  // domains of those in several, by value
  std::vector<std::string> values;                       // by domain
  std::vector<std::uint32_t> node_count;                 // live nodes, by domain
  std::vector<std::uint32_t> divided_count;              // of them those that are divided
  std::unordered_map<std::string, std::uint32_t> domain_ids;

  // Puts the node into the domain of that value; null: into none.
  void put(NodeId node, const std::string* value);
  // Into the domains of these values, which are in order and differ.
  void put(NodeId node, std::span<const std::string> values_there);
  // All domains that the node is in, in order of value. Valid until the node is put elsewhere.
  std::span<const std::uint32_t> domains_at(NodeId node) const;
  // The value of the node's domain; null: it is in none, or in several.
  const std::string* value_of(NodeId node) const;
  // Whether some node is in a domain.
  bool any() const;
  // Domains, those without nodes included, in order of value; and the position of each in that
  // order. Valid until nodes change.
  std::span<const std::uint32_t> in_order() const;
  std::span<const std::uint32_t> positions() const;

 private:
  std::uint32_t domain_id(const std::string& value);
  void take_out(NodeId node);

  mutable NameRanks ranks_;  // of the values
};

}  // namespace tutti::core
