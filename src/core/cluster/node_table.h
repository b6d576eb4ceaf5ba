// NodeTable: which nodes there are, and what they say of themselves that is neither an amount
// (resource_columns.h) nor a label (node_labels.h): their taints, whether they take pods, their
// images.
#pragma once

#include <map>
#include <unordered_map>

#include "base/bitset.h"
#include "base/check.h"
#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/name_ranks.h"
#include "model/node.h"

namespace tutti::core {

struct ImageState {
  std::int64_t size_bytes = 0;
  Bitset nodes;  // which nodes have it
};

class NodeTable {
 public:
  NodeTable();

  // Ids are below this; slots may be vacant.
  std::size_t slots() const { return nodes_.size(); }
  const Bitset& live() const { return live_; }
  std::size_t count() const { return ids_.size(); }
  std::optional<NodeId> find(std::string_view name) const;
  bool alive(NodeId id) const { return live_.test(id.index); }
  const model::Node& at(NodeId id) const {
    TUTTI_CHECK(id.index < nodes_.size() && nodes_[id.index] != nullptr, "a node that is gone");
    return *nodes_[id.index];
  }
  const std::shared_ptr<const model::Node>& object(NodeId id) const { return nodes_[id.index]; }
  const std::string& name(NodeId id) const { return at(id).meta.name; }
  // Position of the node in order of names: the last word in every tie. Valid until nodes change.
  std::span<const std::uint32_t> name_ranks() const;

  const Bitset& unschedulable() const { return unschedulable_; }
  // By NodeId::index.
  std::span<const TaintSetId> taint_sets() const { return taint_set_of_; }
  std::size_t taint_set_count() const { return taint_sets_.size(); }
  // Id 0 is the empty set.
  const std::vector<model::Taint>& taint_set(TaintSetId id) const {
    TUTTI_CHECK(id.index < taint_sets_.size(), "taints that no node ever had");
    return taint_sets_[id.index];
  }
  // A name without a tag means ":latest".
  const ImageState* image(std::string_view name) const;

  // Gives a node of a new name a slot; what it says is read by read().
  NodeId add(std::shared_ptr<const model::Node> node);
  void replace(NodeId id, std::shared_ptr<const model::Node> node);
  void remove(NodeId id);
  // Takes what the node says into the columns, and out of them again.
  void read(NodeId id);
  void unread(NodeId id);

 private:
  NodeId take_node_slot();
  TaintSetId intern_taints(const std::vector<model::Taint>& taints);
  void index_images(NodeId id, bool present);

  std::vector<std::shared_ptr<const model::Node>> nodes_;
  std::unordered_map<std::string, NodeId> ids_;
  std::vector<NodeId> vacant_;
  Bitset live_;
  mutable NameRanks name_ranks_;
  Bitset unschedulable_;
  std::vector<TaintSetId> taint_set_of_;
  std::vector<std::vector<model::Taint>> taint_sets_;
  std::map<std::vector<model::Taint>, TaintSetId> taint_set_ids_;
  std::unordered_map<std::string, ImageState> images_;
};

}  // namespace tutti::core
