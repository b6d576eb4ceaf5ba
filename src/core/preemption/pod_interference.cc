#include "core/preemption/pod_interference.h"

#include <algorithm>
#include <set>

#include "expr/label_selector.h"

namespace tutti::core {

PodInterference::PodInterference(const Cluster& cluster, const Profile& profile,
                                 std::span<const PodId> pods)
    : cluster_(cluster), anyone_(profile.has_user_filters) {
  std::set<ShapeId> shapes;
  for (const PodId pod : pods) shapes.insert(cluster.pod(pod).shape);
  const auto add = [this](const auto& constraint) {
    if (constraint.selector) selectors_.push_back(&*constraint.selector);
  };
  for (const ShapeId id : shapes) {
    const PodShape& shape = cluster.shape(id);
    has_volumes_ = has_volumes_ || shape.has_volumes;
    has_ports_ = has_ports_ || !shape.host_ports.empty();
    std::ranges::for_each(shape.spec->spread, add);
    std::ranges::for_each(shape.spec->affinity.required, add);
    std::ranges::for_each(shape.spec->anti_affinity.required, add);
  }
}

bool PodInterference::may_interfere(PodId other) {
  if (anyone_) return true;
  const PodEntry& entry = cluster_.pod(other);
  const PodShape& shape = cluster_.shape(entry.shape);
  return shape.has_pod_affinity || (has_volumes_ && shape.has_volumes) ||
         (has_ports_ && !shape.host_ports.empty()) || selects(entry.labels);
}

// By labels alone: namespaces only make it fewer.
bool PodInterference::selects(LabelClassId id) {
  if (selectors_.empty()) return false;
  if (selected_.size() <= id.index) selected_.resize(id.index + std::size_t{1}, Answer::unknown);
  Answer& answer = selected_[id.index];
  if (answer == Answer::unknown) {
    const model::Labels& labels = cluster_.label_classes().at(id).labels;
    const bool yes = std::ranges::any_of(selectors_, [&](const model::LabelSelector* selector) {
      return expr::matches(*selector, labels);
    });
    answer = yes ? Answer::yes : Answer::no;
  }
  return answer == Answer::yes;
}

}  // namespace tutti::core
