// LabelKinds: label classes as far as anything can tell them apart.
//
// Every pod of an Indexed Job or StatefulSet has a label of its own. Those labels make a difference
// to a decision only where a selector names them: of an object that default spread follows
// (Service, ReplicationController, ReplicaSet, StatefulSet) in the pod's namespace, of a placed pod
// with affinity to pods, or of the pods that are to be placed. LabelClassIds that none of these
// selectors tells apart are of one kind.
#pragma once

#include <map>
#include <unordered_map>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/shapes/ids.h"
#include "core/shapes/selected_labels.h"

namespace tutti::core {

// Sorts label classes by what one set of selectors sees of them.
class LabelSorter {
 public:
  LabelSorter() = default;
  explicit LabelSorter(SelectedLabels selected) : selected_(std::move(selected)) {}

  // A number that label classes of one kind share; 0 where no selector sees anything at all.
  std::uint32_t kind_of(const Cluster& cluster, LabelClassId labels);

 private:
  SelectedLabels selected_;
  std::unordered_map<LabelClassId, std::uint32_t> known_;
  std::map<std::vector<std::pair<std::string, std::string>>, std::uint32_t> kinds_;
};

class LabelKinds {
 public:
  explicit LabelKinds(const Cluster& cluster) : cluster_(cluster) {}

  // The kind of a pod's labels for the pod itself: comparable between pods of one shape.
  std::uint32_t of(ShapeId id, LabelClassId labels);
  // For pods of these shapes that are to be placed together, all of one namespace: what one of them
  // selects tells the others apart.
  LabelSorter among(std::span<const ShapeId> shapes);

 private:
  // Shapes of one namespace without selectors of their own share a sorter.
  using SorterKey = std::pair<std::string, ShapeId>;

  void follow();
  LabelSorter& sorter_of(ShapeId id);
  const SelectedLabels& in_force(const std::string& ns);

  const Cluster& cluster_;
  std::uint64_t version_ = 0;  // Versions::selectors of what is kept
  SelectedLabels by_placed_;   // what placed pods select, wherever they are
  std::map<std::string, SelectedLabels> by_namespace_;
  std::map<SorterKey, LabelSorter> sorters_;
  std::unordered_map<ShapeId, LabelSorter*> sorter_of_shape_;
};

}  // namespace tutti::core
