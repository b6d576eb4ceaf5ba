// PodTable: which pods there are, by uid, and which are on a node.
#pragma once

#include <boost/unordered/unordered_flat_set.hpp>
#include <functional>
#include <unordered_map>

#include "base/check.h"
#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/work_class.h"
#include "model/pod.h"

namespace tutti::core {

struct PodEntry {
  std::shared_ptr<const model::Pod> object;
  ShapeId shape;
  LabelClassId labels;
  NodeId node;           // where it counts; invalid while pending or when the node is unknown
  bool assumed = false;  // on `node` by our decision, not yet observed there
  WorkClass work = WorkClass::none;  // declared by the pod or its group
  std::uint32_t apart = 0;           // see PodClass
};

class PodTable {
 public:
  PodTable() = default;
  PodTable(const PodTable&) = delete;
  PodTable& operator=(const PodTable&) = delete;

  std::size_t slots() const { return pods_.size(); }  // a vacant slot has no object

  // The pod of that uid; empty: there is none.
  std::optional<PodId> find(std::string_view uid) const;
  const PodEntry& at(PodId id) const { return pods_[id.index]; }
  // Pods on the node, assumed ones too, in no order that may decide anything.
  std::span<const PodId> on(NodeId node) const {
    TUTTI_CHECK(node.index < on_.size(), "a node beyond the table");
    return on_[node.index];
  }

  // To be written in; where it is, is for put() and take().
  PodEntry& entry(PodId id) {
    TUTTI_CHECK(id.index < pods_.size(), "a pod beyond the table");
    return pods_[id.index];
  }
  PodId add(PodEntry entry);
  // Requires that it is on no node.
  void remove(PodId id);
  void make_room(std::size_t node_slots);
  void put(PodId id, NodeId node);
  void take(PodId id);

  // Pods that are assigned to a node of a name that we do not know.
  void wait_for_node(const std::string& name, PodId id) { homeless_[name].push_back(id); }
  // Ends the wait of the pod for the node that its object names, if it did wait.
  void stop_waiting(PodId id);
  // Ends the wait for the node, and returns who waited.
  std::vector<PodId> take_waiting(const std::string& name);

 private:
  // Pods by uid, without a copy of it: the entry knows its own.
  struct UidHash {
    using is_transparent = void;
    const std::vector<PodEntry>* pods;
    std::size_t operator()(std::string_view uid) const {
      return std::hash<std::string_view>{}(uid);
    }
    std::size_t operator()(PodId id) const { return (*this)((*pods)[id.index].object->meta.uid); }
  };
  struct SameUid {
    using is_transparent = void;
    const std::vector<PodEntry>* pods;
    bool operator()(PodId a, PodId b) const { return a == b; }
    bool operator()(std::string_view uid, PodId id) const {
      return (*pods)[id.index].object->meta.uid == uid;
    }
  };

  std::vector<PodEntry> pods_;
  std::vector<std::uint32_t> position_on_node_;  // where a placed pod stands in on_ of its node
  std::vector<PodId> vacant_;
  boost::unordered_flat_set<PodId, UidHash, SameUid> ids_{0, UidHash{&pods_}, SameUid{&pods_}};
  std::vector<std::vector<PodId>> on_;
  std::unordered_map<std::string, std::vector<PodId>> homeless_;
};

}  // namespace tutti::core
