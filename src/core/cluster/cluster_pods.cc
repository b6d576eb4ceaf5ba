// Pods in the cluster: interning, placing, counting.
#include <algorithm>

#include "base/check.h"
#include "base/digest.h"
#include "core/cluster/cluster.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

std::uint64_t label_hash(const model::Pod& pod, bool terminating) {
  Digest digest;
  digest.add(pod.meta.ns);
  digest.add(std::uint64_t{terminating});
  for (const auto& [key, value] : pod.meta.labels) {
    digest.add(key);
    digest.add(value);
  }
  return digest.value();
}

// A pod whose spec is the very same asks for the same, unless its containers are being resized.
bool keeps_shape(const PodEntry& entry, const model::Pod& pod) {
  return entry.object->spec == pod.spec && entry.object->status.container_resources.empty() &&
         pod.status.container_resources.empty();
}

}  // namespace

ShapeId Cluster::intern_shape(const model::Pod& pod) {
  const bool resizing = !pod.status.container_resources.empty();
  if (!resizing) {
    const ShapeId* known = shape_of_spec_.find(pod.spec);
    if (known != nullptr && shape(*known).ns == pod.meta.ns) return *known;
  }
  PodShape made = make_shape(
      pod, [this](std::string_view name) { return resource_id(name); }, aspects_);
  made.demanding = is_demanding(made);
  made.shares_devices = std::ranges::any_of(made.requests, [&](const ResourceAmount& asked) {
    return resources_.name(asked.resource) == kGpuMilli;
  });
  const std::uint64_t hash = shape_hash(made);
  ShapeId id = shapes_.find(hash, [&](const PodShape& known) { return same_shape(known, made); });
  if (!id.valid()) id = shapes_.add(hash, std::move(made));
  if (!resizing) shape_of_spec_.keep(pod.spec, id);
  return id;
}

void Cluster::look_at(PodAspects aspects) {
  TUTTI_CHECK(pods_.slots() == 0, "pods were sorted into classes by what plugins looked at before");
  aspects_ = aspects;
}

// A number that pods share which nothing beside shape, labels and claims tells apart.
std::uint32_t Cluster::apart_number(const model::Pod& pod, const PodShape& shape) {
  if (shape.has_own_volumes || looks_at(aspects_, PodAspects::name)) return ++last_apart_;
  if (!looks_at(aspects_, PodAspects::annotations)) return 0;
  const auto [at, fresh] = apart_by_annotations_.try_emplace(pod.meta.annotations, 0);
  if (fresh) at->second = ++last_apart_;
  return at->second;
}

LabelClassId Cluster::intern_labels(const model::Pod& pod) {
  const bool terminating = pod.meta.deletion.has_value();
  const std::uint64_t hash = label_hash(pod, terminating);
  const LabelClassId known = label_classes_.find(hash, [&](const LabelClass& labels) {
    return labels.terminating == terminating && labels.ns == pod.meta.ns &&
           labels.labels == pod.meta.labels;
  });
  if (known.valid()) return known;
  return label_classes_.add(hash, {pod.meta.ns, pod.meta.labels, terminating});
}

PodId Cluster::set_pod(std::shared_ptr<const model::Pod> pod) {
  TUTTI_CHECK(pod != nullptr && pod->spec != nullptr);
  const auto known = pods_.find(pod->meta.uid);
  const bool same_spec = known && keeps_shape(pods_.at(*known), *pod);
  const ShapeId shape_id = same_spec ? pods_.at(*known).shape : intern_shape(*pod);
  const LabelClassId labels = intern_labels(*pod);
  const std::uint32_t apart = apart_number(*pod, shape(shape_id));
  PodEntry entry{std::move(pod), shape_id, labels, {}, false, WorkClass::none, apart};
  entry.work = work_of(*entry.object);
  if (known && arrived(*known, entry)) {
    refresh_pod(*known, std::move(entry.object));
    return *known;
  }
  shapes_.use(shape_id);
  label_classes_.use(labels);
  ++versions_.observed;
  if (known) {
    update_pod(*known, std::move(entry));
    return *known;
  }
  const PodId id = pods_.add(std::move(entry));
  settle(id);
  return id;
}

// Makes a known pod what `as` says, apart from where it is. An assumption and room that is held
// survive unless the pod has a node now.
void Cluster::update_pod(PodId id, PodEntry as) {
  PodEntry& entry = pods_.entry(id);
  const auto held = held_.find(id);
  const NodeId kept = held != held_.end() ? held->second : NodeId{};
  if (kept.valid()) unhold(id);
  const NodeId before = entry.node;
  if (before.valid()) detach(id);
  release(entry.shape, entry.labels);
  pods_.stop_waiting(id);
  as.assumed = entry.assumed && as.object->node_name.empty();
  entry = std::move(as);
  if (entry.assumed) {
    attach(id, before);
  } else {
    settle(id);
  }
  if (kept.valid() && entry.object->node_name.empty()) hold(id, kept);
}

// Whether the update only confirms an assumption.
bool Cluster::arrived(PodId id, const PodEntry& as) const {
  const PodEntry& entry = pods_.at(id);
  return entry.assumed && entry.shape == as.shape && entry.labels == as.labels &&
         entry.work == as.work && entry.node.valid() &&
         as.object->node_name == node_name(entry.node);
}

WorkClass Cluster::work_of(const model::Pod& pod) const {
  const auto group = group_classes_.empty() || pod.spec->scheduling_group.empty()
                         ? group_classes_.end()
                         : group_classes_.find({pod.meta.ns, pod.spec->scheduling_group});
  return declared_class(class_words(pod.meta),
                        group == group_classes_.end() ? ClassWords{} : group->second);
}

bool Cluster::set_group_class(std::string_view ns, std::string_view name, const ClassWords& words) {
  const std::pair key{std::string(ns), std::string(name)};
  const auto known = group_classes_.find(key);
  const ClassWords before = known == group_classes_.end() ? ClassWords{} : known->second;
  if (before == words) return false;
  if (words == ClassWords{}) {
    group_classes_.erase(known);
  } else {
    group_classes_[key] = words;
  }
  return true;
}

void Cluster::reclassify(PodId id) {
  PodEntry& entry = pods_.entry(id);
  TUTTI_CHECK(entry.object != nullptr, "a pod that is not there");
  const WorkClass work = work_of(*entry.object);
  if (entry.work == work) return;
  const auto held = held_.find(id);
  const NodeId at = held != held_.end() ? held->second : entry.node;
  if (at.valid()) count(entry, at, -1);
  entry.work = work;
  if (at.valid()) count(entry, at, +1);
}

bool Cluster::is_demanding(const PodShape& shape) const {
  if (!shape.spec->resource_claims.empty() || shape.request(kCpu) >= kDemandingMilliCpu)
    return true;
  return std::ranges::any_of(shape.requests, [&](const ResourceAmount& asked) {
    const std::string_view name = resources_.name(asked.resource);
    return is_device(name) || name.starts_with(model::kClassResourcePrefix);
  });
}

void Cluster::refresh_pod(PodId id, std::shared_ptr<const model::Pod> object) {
  PodEntry& entry = pods_.entry(id);
  TUTTI_CHECK(entry.object != nullptr && entry.object->meta.uid == object->meta.uid, "another pod");
  entry.object = std::move(object);
  if (!entry.object->node_name.empty()) entry.assumed = false;
  reclassify(id);
}

// Puts an observed pod where its object says it is.
void Cluster::settle(PodId id) {
  TUTTI_CHECK(!pods_.at(id).node.valid(), "it is on a node already");
  const std::string& name = pods_.at(id).object->node_name;
  if (name.empty()) return;
  if (const auto node = nodes_.find(name)) {
    attach(id, *node);
  } else {
    pods_.wait_for_node(name, id);
  }
}

void Cluster::remove_pod(PodId id) {
  PodEntry& entry = pods_.entry(id);
  TUTTI_CHECK(entry.object != nullptr);
  ++versions_.observed;
  devices_->decisions().forget(id.index);
  unhold(id);
  if (entry.node.valid()) detach(id);
  pods_.stop_waiting(id);
  release(entry.shape, entry.labels);
  pods_.remove(id);
}

void Cluster::place(PodId id, NodeId node) {
  PodEntry& entry = pods_.entry(id);
  TUTTI_CHECK(!entry.node.valid() && entry.object->node_name.empty());
  entry.assumed = true;
  attach(id, node);
}

void Cluster::take_off(PodId id) {
  PodEntry& entry = pods_.entry(id);
  TUTTI_CHECK(entry.node.valid());
  detach(id);
  entry.assumed = false;
}

void Cluster::lift(PodId id) {
  TUTTI_CHECK(pods_.at(id).node.valid());
  devices_->imagined_absence().begin(*pods_.at(id).object);
  detach(id);
}

void Cluster::put_back(PodId id, NodeId node) {
  TUTTI_CHECK(!pods_.at(id).node.valid());
  devices_->imagined_absence().end(*pods_.at(id).object);
  attach(id, node);
}

void Cluster::hold(PodId id, NodeId node) {
  const PodEntry& entry = pods_.at(id);
  TUTTI_CHECK(!entry.node.valid() && entry.object->node_name.empty() && nodes_.alive(node));
  const bool fresh = held_.emplace(id, node).second;
  TUTTI_CHECK(fresh);
  count(entry, node, +1);
}

void Cluster::unhold(PodId id) {
  const auto at = held_.find(id);
  if (at == held_.end()) return;
  count(pods_.at(id), at->second, -1);
  held_.erase(at);
}

void Cluster::unhold_on(NodeId node) {
  for (auto at = held_.begin(); at != held_.end();) {
    const PodId pod = (at++)->first;
    if (held_.at(pod) == node) unhold(pod);
  }
}

void Cluster::attach(PodId id, NodeId node) {
  TUTTI_CHECK(nodes_.alive(node), "pods go on nodes that are there");
  pods_.put(id, node);
  count(pods_.at(id), node, +1);
}

void Cluster::detach(PodId id) {
  const NodeId node = pods_.at(id).node;
  pods_.take(id);
  count(pods_.at(id), node, -1);
}

void Cluster::count(const PodEntry& entry, NodeId node, std::int32_t sign) {
  const PodShape& shape = shapes_.at(entry.shape);
  resources_.tally(shape, entry.work, node, sign);
  populations_.tally(entry.shape, shape, entry.labels, node, sign);
  label_classes_.count(entry.labels, sign);
  // Evaluators skip pod affinity while no placed pod has any: its first appearance starts them
  // over.
  if (shape.has_pod_affinity && sign > 0 && shapes_.placed(entry.shape) == 0) {
    ++versions_.structure;
    ++versions_.selectors;
  }
  shapes_.count(entry.shape, sign);
  journal_.append({node, entry.shape, entry.labels, sign});
}

void Cluster::release(ShapeId shape, LabelClassId labels) {
  shapes_.release(shape);
  label_classes_.release(labels);
}

PodClass Cluster::class_of(PodId id) const {
  const PodEntry& entry = pods_.at(id);
  TUTTI_CHECK(entry.object != nullptr, "the class of a pod that is not there");
  return {
      entry.shape, entry.labels,       wants_devices(id) ? devices_->class_of(*entry.object) : 0,
      entry.work,  entry.object.get(), entry.apart};
}

bool Cluster::wants_devices(const PodShape& shape) const {
  if (!shape.spec->resource_claims.empty()) return true;
  return std::ranges::any_of(shape.requests, [&](const ResourceAmount& asked) {
    return resources_.through_devices(asked.resource).size() > 0;
  });
}

void Cluster::compact() {
  const bool shapes = shapes_.sweep();
  if (shapes) shape_of_spec_.clear();
  const bool labels = label_classes_.sweep();
  // Ids will be given out again: whoever remembers one must forget it.
  if (shapes || labels) {
    ++versions_.structure;
    ++versions_.selectors;
  }
}

}  // namespace tutti::core
