// TopologyColumns: the domains that groups lie in, for keys that may name an attribute of devices.
//
//   the node has the label KEY                ──> the label's value
//   devices it can use have values of KEY     ──> each of them, as text
//   anything else                             ──> no domain
//
// Devices count if their pools are complete, whether they belong to the node or to several nodes. A
// value means the same on every node, except for attributes that describe the inside of a machine
// (PCIe root, NUMA node): "pci0000:15" is another root on every node, so their domains are called
// "NODE/VALUE".
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "core/cluster/domain_column.h"
#include "core/shapes/ids.h"
#include "devices/inventory/ids.h"

namespace tutti::core {

class Cluster;

// Whether a key has the form of an attribute's full name, DOMAIN/NAME.
bool may_name_attribute(std::string_view key);
// The value that devices in a domain of the key have, where devices make the domain.
std::string_view device_value(std::string_view key, std::string_view domain);

class TopologyColumns {
 public:
  // The cluster must outlive it.
  explicit TopologyColumns(const Cluster& cluster) : cluster_(cluster) {}

  // Requires a key that may name an attribute. Built on first use, then kept up to date; the
  // reference stays valid.
  const DomainColumn& column(std::string_view key);
  // Returns the keys of the columns there are, in order.
  std::vector<std::string> keys() const;

  void make_room(std::size_t node_slots);
  // Labels of the live node are what they are from now on.
  void add(NodeId node);
  // Takes out a node that goes, or whose labels are about to change.
  void remove(NodeId node);
  // Devices of these reaches changed. False: no node is elsewhere because of it.
  bool devices_changed(const std::set<devices::ReachId>& reaches);

 private:
  struct Column {
    DomainColumn domains;
    // The values of devices that several nodes may use, by reach.
    std::map<devices::ReachId, std::vector<std::string>> wide;
  };

  void look_at_wide(std::string_view key, Column& column) const;
  bool place(std::string_view key, Column& column, NodeId node) const;
  std::vector<std::string> values_at(std::string_view key, const Column& column, NodeId node) const;

  const Cluster& cluster_;
  std::map<std::string, Column, std::less<>> columns_;
};

}  // namespace tutti::core
