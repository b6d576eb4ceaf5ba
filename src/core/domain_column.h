// DomainColumn: one topology key over all nodes: each node's domain, dense from 0 in order of first
// sight. Domain numbers carry no order and must not decide anything; names do.
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/ids.h"
#include "core/name_ranks.h"

namespace tutti::core {

struct DomainColumn {
  static constexpr std::uint32_t kNone = kNoIndex;  // the node is in no domain
  std::vector<std::uint32_t> domain_of;             // by node index
  std::vector<std::string> values;                  // by domain
  std::vector<std::uint32_t> node_count;            // live nodes, by domain
  std::unordered_map<std::string, std::uint32_t> domain_ids;

  // Puts the node into the domain of that value; null: into none.
  void put(NodeId node, const std::string* value);
  // The value of the node's domain; null: it is in none.
  const std::string* value_of(NodeId node) const;
  // Whether some node is in a domain.
  bool any() const;
  // Domains, those without nodes included, in order of value; and the position of each in that
  // order. Valid until nodes change.
  std::span<const std::uint32_t> in_order() const;
  std::span<const std::uint32_t> positions() const;

 private:
  mutable NameRanks ranks_;  // of the values
};

}  // namespace tutti::core
