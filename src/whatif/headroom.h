// Headroom: at most how many of the asker's waiting members nodes could take, by counting resources
// alone. It costs a pass over the nodes and is never too low, so what it rules out need not be
// rehearsed.
//
// Where members differ each counts with the least that any of them asks for. Of a tree of groups
// nothing more is known than that somebody must find a place.
#pragma once

#include "base/std.h"
#include "core/shapes/ids.h"
#include "core/shapes/shape.h"
#include "whatif/rehearsal.h"

namespace tutti::whatif {

class Headroom {
 public:
  // As if everyone on nodes below the priority was gone.
  Headroom(Rehearsal& rehearsal, std::int32_t evicting_below);

  // The topology key of the asker's group; empty: it has none, or is a tree of groups.
  const std::string& key() const { return key_; }
  // Members that have to be placed for the asker to run.
  std::int64_t needed() const { return needed_; }
  // In the best domain of the topology key, or on all nodes together where it is empty.
  std::int64_t members_within(const std::string& key) const;
  // Whether the asker may have a place, whatever else than resources is in its way.
  bool suffices() const { return members_within(key_) >= needed_; }
  // The most that each member could ask for of the resource with all that are needed in one domain:
  // at most `most`, and zero when even next to nothing would be too much.
  std::int64_t largest_request(core::ResourceId resource, std::int64_t most) const;

  // --- by node -----------------------------------------------------------------------------------
  std::span<const std::int64_t> rooms() const { return rooms_; }
  // What the node has too little of: whatever else ends there, only more of this makes room.
  const core::ResourceAmount& bottleneck(core::NodeId node) const {
    return requests_[bottlenecks_[node.index]];
  }
  // The sum of a figure of every node, by domain of the key; one domain where it is empty.
  std::vector<std::int64_t> by_domain(const std::string& key,
                                      std::span<const std::int64_t> figures) const;
  // Numbers the domain of each node for by_domain(); kNoIndex: none.
  std::vector<std::uint32_t> domains(const std::string& key) const;

 private:
  void count_needed(const Rehearsal& rehearsal);
  void find_requests(const Rehearsal& rehearsal);
  void find_free(Rehearsal& rehearsal, std::int32_t evicting_below);
  void add_back(core::PodId pod, core::NodeId node);
  // Members the node takes as far as all resources but one are concerned; kNoIndex: all.
  std::int64_t room_but_for(std::size_t node, std::size_t spared) const;

  const core::Cluster& cluster_;
  std::string key_;
  std::int64_t needed_ = 1;
  std::vector<core::ResourceAmount> requests_;   // of one member
  std::vector<std::vector<std::int64_t>> free_;  // by request, by node
  std::vector<std::int64_t> rooms_;              // by node
  std::vector<std::uint32_t> bottlenecks_;       // by node: into requests_
  core::ShapeId back_;                           // of the pod added back last,
  std::vector<std::int64_t> back_amounts_;       // what it asks for, by request
};

}  // namespace tutti::whatif
