// TopologyColumns: the domains that groups lie in, for keys that may name an attribute of devices.
//
//   the node has the label KEY              ──> the label's value
//   its own devices have one value of KEY   ──> that value, as text
//   they have several                       ──> no domain: the node is divided
//   anything else                           ──> no domain
//
// Own devices are those that only this node can use, of complete pools. A value means the same on
// every node, except for attributes that describe the inside of a machine (PCIe root, NUMA node):
// "pci0000:15" is another root on every node, so their domains are called "NODE/VALUE".
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "core/domain_column.h"
#include "core/ids.h"
#include "devices/ids.h"

namespace tutti::core {

class Cluster;

struct TopologyColumn {
  DomainColumn domains;
  std::map<NodeId, std::size_t> divided;  // how many values their devices have
};

// Whether a key has the form of an attribute's full name, DOMAIN/NAME.
bool may_name_attribute(std::string_view key);

class TopologyColumns {
 public:
  // The cluster must outlive it.
  explicit TopologyColumns(const Cluster& cluster) : cluster_(cluster) {}

  // Requires a key that may name an attribute. Built on first use, then kept up to date; the
  // reference stays valid.
  const TopologyColumn& column(std::string_view key);
  // Of the columns there are, in order.
  std::vector<std::string> keys() const;

  void make_room(std::size_t node_slots);
  // Labels of the live node are what they are from now on.
  void add(NodeId node);
  // It goes, or its labels are about to change.
  void remove(NodeId node);
  // Devices of these nodes changed. False: no node is elsewhere because of it.
  bool devices_changed(const std::set<devices::ReachId>& reaches);

 private:
  bool place(std::string_view key, TopologyColumn& column, NodeId node) const;

  const Cluster& cluster_;
  std::map<std::string, TopologyColumn, std::less<>> columns_;
};

}  // namespace tutti::core
