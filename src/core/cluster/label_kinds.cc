#include "core/cluster/label_kinds.h"

#include <algorithm>
#include <set>

#include "model/apps.h"

namespace tutti::core {
namespace {

// Sorters are small, but every shape that selects something has one.
constexpr std::size_t kSortersMax = 4096;

template <typename T, typename Add>
void for_each_in_namespace(const Cluster& cluster, const std::string& ns, const Add& add) {
  const auto& all = cluster.objects(T::kKind);
  for (auto at = all.lower_bound({T::kKind, ns, {}, {}}); at != all.end() && at->first.ns == ns;
       ++at) {
    add(model::as<T>(*at->second));
  }
}

bool selects_pods(const PodShape& shape) {
  return shape.has_pod_affinity || !shape.spec->spread.empty();
}

}  // namespace

std::uint32_t LabelSorter::kind_of(const Cluster& cluster, LabelClassId labels) {
  if (selected_.empty()) return 0;
  const auto [at, fresh] = known_.try_emplace(labels, 0);
  if (fresh) {
    const auto number = static_cast<std::uint32_t>(kinds_.size() + 1);
    const auto seen = selected_.seen_of(cluster.label_classes().at(labels).labels);
    at->second = kinds_.try_emplace(seen, number).first->second;
  }
  return at->second;
}

std::uint32_t LabelKinds::of(ShapeId id, LabelClassId labels) {
  follow();
  const auto known = sorter_of_shape_.find(id);
  LabelSorter& sorter = known != sorter_of_shape_.end() ? *known->second : sorter_of(id);
  return sorter.kind_of(cluster_, labels);
}

LabelSorter& LabelKinds::sorter_of(ShapeId id) {
  if (sorters_.size() >= kSortersMax) {
    sorters_.clear();
    sorter_of_shape_.clear();
  }
  const PodShape& shape = cluster_.shape(id);
  const auto [at, fresh] = sorters_.try_emplace({shape.ns, selects_pods(shape) ? id : ShapeId{}});
  if (fresh) {
    SelectedLabels selected = in_force(shape.ns);
    if (selects_pods(shape)) selected.add(selected_by(shape));
    at->second = LabelSorter(std::move(selected));
  }
  sorter_of_shape_[id] = &at->second;
  return at->second;
}

LabelSorter LabelKinds::among(std::span<const ShapeId> shapes) {
  follow();
  if (shapes.empty()) return {};
  SelectedLabels selected = in_force(cluster_.shape(shapes.front()).ns);
  for (const ShapeId id : std::set(shapes.begin(), shapes.end())) {
    const PodShape& shape = cluster_.shape(id);
    if (selects_pods(shape)) selected.add(selected_by(shape));
  }
  return LabelSorter(std::move(selected));
}

// Forgets what was worked out from other selectors than those in force.
void LabelKinds::follow() {
  if (version_ == cluster_.versions().selectors) return;
  version_ = cluster_.versions().selectors;
  sorters_.clear();
  sorter_of_shape_.clear();
  by_namespace_.clear();
  by_placed_ = {};
  for (const ShapeCount& entry : cluster_.populations().special()) {
    const PodShape& shape = cluster_.shape(entry.shape);
    if (shape.has_pod_affinity) by_placed_.add(selected_by_affinity(shape));
  }
}

const SelectedLabels& LabelKinds::in_force(const std::string& ns) {
  const auto [at, fresh] = by_namespace_.try_emplace(ns);
  if (!fresh) return at->second;
  SelectedLabels& selected = at->second;
  selected = by_placed_;
  const auto by_labels = [&](const auto& owner) { selected.add(owner.selector.list()); };
  const auto by_selector = [&](const auto& owner) {
    if (owner.selector) selected.add(*owner.selector);
  };
  for_each_in_namespace<model::Service>(cluster_, ns, by_labels);
  for_each_in_namespace<model::ReplicationController>(cluster_, ns, by_labels);
  for_each_in_namespace<model::ReplicaSet>(cluster_, ns, by_selector);
  for_each_in_namespace<model::StatefulSet>(cluster_, ns, by_selector);
  return selected;
}

}  // namespace tutti::core
