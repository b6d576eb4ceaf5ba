// NodeLabels: which nodes carry a label, and the domains that labels make of them.
#pragma once

#include <functional>
#include <map>
#include <unordered_map>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/domain_column.h"
#include "core/cluster/node_table.h"
#include "core/shapes/ids.h"

namespace tutti::core {

class NodeLabels {
 public:
  // The nodes must outlive it.
  explicit NodeLabels(const NodeTable& nodes) : nodes_(nodes) {}

  // Nodes carrying the label, by number.
  std::span<const NodeId> nodes_with(std::string_view key, std::string_view value) const;
  // Nodes carrying the key; null when no node ever had it.
  const Bitset* nodes_with_key(std::string_view key) const;
  // Domains of the label, for what Kubernetes defines by labels. Built on first use, then kept up
  // to date. The reference stays valid; its content changes with the nodes.
  const DomainColumn& domains(std::string_view key) const;

  void make_room(std::size_t node_slots);
  // Takes the labels of the node into the index, and out of it again.
  void read(NodeId id) { index(id, true); }
  void unread(NodeId id) { index(id, false); }

 private:
  void index(NodeId id, bool present);

  const NodeTable& nodes_;
  // By "key=value". Lists, because every node may have a value of its own.
  std::unordered_map<std::string, std::vector<NodeId>> with_label_;
  std::unordered_map<std::string, Bitset> with_key_;
  mutable std::map<std::string, DomainColumn, std::less<>> domains_;
};

}  // namespace tutti::core
