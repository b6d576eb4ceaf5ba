// Populations: what kinds of pods are on each node beyond what they use of it.
#pragma once

#include <unordered_map>

#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/shape.h"
#include "model/object.h"

namespace tutti::core {

// Pods that no selector can tell apart. Terminating pods form classes of their own because spread
// does not count them.
struct LabelClass {
  std::string ns;
  model::Labels labels;
  bool terminating = false;
};

struct LabelCount {
  LabelClassId labels;
  std::uint32_t count = 0;
};
struct ShapeCount {
  ShapeId shape;
  std::uint32_t count = 0;
};

class Populations {
 public:
  // Label classes present on the node with their counts, in no particular order.
  std::span<const LabelCount> labels_on(NodeId node) const { return labels_[node.index]; }
  // Special shapes (ports, volumes, pod affinity) on the node; and over all live nodes.
  std::span<const ShapeCount> special_on(NodeId node) const { return special_[node.index]; }
  std::span<const ShapeCount> special() const { return special_total_; }
  // How many pods (placed anywhere, any shape) use the claim "ns/name".
  std::uint32_t claim_users(std::string_view ns, std::string_view claim) const;
  // By "ns/claim".
  const std::unordered_map<std::string, std::uint32_t>& claim_users() const { return claim_users_; }

  void make_room(std::size_t node_slots);
  // Counts a pod on a node (+1) or off it (-1).
  void tally(ShapeId id, const PodShape& shape, LabelClassId labels, NodeId node,
             std::int32_t sign);

 private:
  void tally_claims(const PodShape& shape, std::int32_t sign);

  std::vector<std::vector<LabelCount>> labels_;
  std::vector<std::vector<ShapeCount>> special_;
  std::vector<ShapeCount> special_total_;
  std::unordered_map<std::string, std::uint32_t> claim_users_;
};

}  // namespace tutti::core
