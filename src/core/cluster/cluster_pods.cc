// Pods in the cluster: interning, placing, counting.
#include <algorithm>

#include "base/check.h"
#include "base/digest.h"
#include "core/cluster/cluster.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

// Evaluations older than this many changes start over instead of catching up.
constexpr std::size_t kJournalLimit = 1U << 16;

std::string claim_key(std::string_view ns, std::string_view claim) {
  return std::string(ns).append("/").append(claim);
}

LabelClassId id_of(const LabelCount& entry) { return entry.labels; }
ShapeId id_of(const ShapeCount& entry) { return entry.shape; }

// Thousands of pods at the cap could overflow one node's sum; unsigned arithmetic keeps even that
// defined and reversible.
void add(std::int64_t& sum, std::int64_t amount, std::int32_t sign) {
  sum = static_cast<std::int64_t>(static_cast<std::uint64_t>(sum) +
                                  static_cast<std::uint64_t>(sign * amount));
}

// Works on LabelCount and ShapeCount: an id, then its count.
template <typename Counts, typename IdType>
void adjust(Counts& counts, IdType id, std::int32_t sign) {
  for (auto& entry : counts) {
    if (id_of(entry) != id) continue;
    entry.count += static_cast<std::uint32_t>(sign);
    if (entry.count == 0) {
      entry = counts.back();
      counts.pop_back();
    }
    return;
  }
  TUTTI_CHECK(sign > 0, "counting off what was never counted on");
  counts.push_back({id, 1});
}

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

template <typename Slots, typename IdType>
IdType take_slot(Slots& slots, std::vector<IdType>& vacant) {
  if (!vacant.empty()) {
    const IdType id = vacant.back();
    vacant.pop_back();
    TUTTI_CHECK(id.index < slots.size(), "a vacant slot beyond the table");
    return id;
  }
  slots.emplace_back();
  return IdType{static_cast<std::uint32_t>(slots.size() - 1)};
}

}  // namespace

ShapeId Cluster::intern_shape(const model::Pod& pod) {
  const bool resizing = !pod.status.container_resources.empty();
  if (!resizing) {
    const ShapeId* known = shape_of_spec_.find(pod.spec);
    if (known != nullptr && shape(*known).ns == pod.meta.ns) return *known;
  }
  auto made = std::make_unique<PodShape>(make_shape(
      pod, [this](std::string_view name) { return resource_id(name); }, aspects_));
  made->demanding = is_demanding(*made);
  const std::uint64_t hash = shape_hash(*made);
  ShapeId id;
  const auto [first, last] = shape_ids_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    if (same_shape(*shapes_[at->second.index].shape, *made)) id = at->second;
  }
  if (!id.valid()) {
    id = take_slot(shapes_, vacant_shapes_);
    shapes_[id.index] = {std::move(made), hash, 0, 0};
    shape_ids_.emplace(hash, id);
    ++unused_shapes_;
  }
  if (!resizing) shape_of_spec_.keep(pod.spec, id);
  return id;
}

void Cluster::look_at(PodAspects aspects) {
  TUTTI_CHECK(pods_.empty(), "pods were sorted into classes by what plugins looked at before");
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
  const auto [first, last] = label_class_ids_.equal_range(hash);
  for (auto at = first; at != last; ++at) {
    const LabelClass& known = *label_classes_[at->second.index].value;
    if (known.terminating == terminating && known.ns == pod.meta.ns &&
        known.labels == pod.meta.labels) {
      return at->second;
    }
  }
  const LabelClassId id = take_slot(label_classes_, vacant_label_classes_);
  label_classes_[id.index] = {
      std::make_unique<LabelClass>(LabelClass{pod.meta.ns, pod.meta.labels, terminating}), hash, 0,
      0};
  label_class_ids_.emplace(hash, id);
  ++unused_label_classes_;
  return id;
}

PodId Cluster::set_pod(std::shared_ptr<const model::Pod> pod) {
  TUTTI_CHECK(pod != nullptr && pod->spec != nullptr);
  const auto known = pod_ids_.find(pod->meta.uid);
  const bool same_spec = known != pod_ids_.end() && keeps_shape(pods_[known->index], *pod);
  const ShapeId shape_id = same_spec ? pods_[known->index].shape : intern_shape(*pod);
  const LabelClassId labels = intern_labels(*pod);
  const WorkClass work = work_of(*pod);
  const std::uint32_t apart = apart_number(*pod, shape(shape_id));
  if (known != pod_ids_.end() && arrived(*known, {pod, shape_id, labels, {}, false, work, apart})) {
    const PodId id = *known;
    refresh_pod(id, std::move(pod));
    return id;
  }
  if (shapes_[shape_id.index].users++ == 0) --unused_shapes_;
  if (label_classes_[labels.index].users++ == 0) --unused_label_classes_;
  ++observed_version_;

  if (known == pod_ids_.end()) {
    const PodId id = take_slot(pods_, vacant_pods_);
    position_on_node_.resize(pods_.size());
    pods_[id.index] = {std::move(pod), shape_id, labels, {}, false, work, apart};
    pod_ids_.insert(id);
    settle(id);
    return id;
  }

  const PodId id = *known;
  PodEntry& entry = pods_[id.index];
  const auto held = held_.find(id);
  const NodeId kept = held != held_.end() ? held->second : NodeId{};
  if (kept.valid()) unhold(id);
  const NodeId before = entry.node;
  if (before.valid()) detach(id);
  release(entry.shape, entry.labels);
  forget_homeless(id);
  entry.object = std::move(pod);
  entry.shape = shape_id;
  entry.labels = labels;
  entry.work = work;
  entry.apart = apart;
  if (entry.assumed && entry.object->node_name.empty()) {
    attach(id, before);
  } else {
    entry.assumed = false;
    settle(id);
  }
  if (kept.valid() && entry.object->node_name.empty()) hold(id, kept);
  return id;
}

// Whether the update only confirms an assumption.
bool Cluster::arrived(PodId id, const PodEntry& as) const {
  const PodEntry& entry = pods_[id.index];
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
  PodEntry& entry = pods_[id.index];
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
    const std::string_view name = resource_name(asked.resource);
    return is_device(name) || name.starts_with(model::kClassResourcePrefix);
  });
}

void Cluster::refresh_pod(PodId id, std::shared_ptr<const model::Pod> object) {
  PodEntry& entry = pods_[id.index];
  TUTTI_CHECK(entry.object != nullptr && entry.object->meta.uid == object->meta.uid, "another pod");
  entry.object = std::move(object);
  if (!entry.object->node_name.empty()) entry.assumed = false;
  reclassify(id);
}

// Puts an observed pod where its object says it is.
void Cluster::settle(PodId id) {
  TUTTI_CHECK(!pods_[id.index].node.valid(), "it is on a node already");
  const std::string& name = pods_[id.index].object->node_name;
  if (name.empty()) return;
  if (const auto node = find_node(name)) {
    attach(id, *node);
  } else {
    homeless_[name].push_back(id);
  }
}

void Cluster::forget_homeless(PodId id) {
  const auto at = homeless_.find(pods_[id.index].object->node_name);
  if (at == homeless_.end()) return;
  std::erase(at->second, id);
  if (at->second.empty()) homeless_.erase(at);
}

void Cluster::remove_pod(PodId id) {
  PodEntry& entry = pods_[id.index];
  TUTTI_CHECK(entry.object != nullptr);
  ++observed_version_;
  devices_->decisions().forget(id.index);
  unhold(id);
  if (entry.node.valid()) detach(id);
  forget_homeless(id);
  release(entry.shape, entry.labels);
  pod_ids_.erase(id);
  entry = {};
  vacant_pods_.push_back(id);
}

void Cluster::place(PodId id, NodeId node) {
  PodEntry& entry = pods_[id.index];
  TUTTI_CHECK(!entry.node.valid() && entry.object->node_name.empty());
  entry.assumed = true;
  attach(id, node);
}

void Cluster::take_off(PodId id) {
  PodEntry& entry = pods_[id.index];
  TUTTI_CHECK(entry.node.valid());
  detach(id);
  entry.assumed = false;
}

void Cluster::lift(PodId id) {
  TUTTI_CHECK(pods_[id.index].node.valid());
  devices_->imagined_absence().begin(*pods_[id.index].object);
  detach(id);
}

void Cluster::put_back(PodId id, NodeId node) {
  TUTTI_CHECK(!pods_[id.index].node.valid());
  devices_->imagined_absence().end(*pods_[id.index].object);
  attach(id, node);
}

void Cluster::hold(PodId id, NodeId node) {
  const PodEntry& entry = pods_[id.index];
  TUTTI_CHECK(!entry.node.valid() && entry.object->node_name.empty() && live_.test(node.index));
  const bool fresh = held_.emplace(id, node).second;
  TUTTI_CHECK(fresh);
  count(entry, node, +1);
}

void Cluster::unhold(PodId id) {
  const auto at = held_.find(id);
  if (at == held_.end()) return;
  count(pods_[id.index], at->second, -1);
  held_.erase(at);
}

void Cluster::unhold_on(NodeId node) {
  for (auto at = held_.begin(); at != held_.end();) {
    const PodId pod = (at++)->first;
    if (held_.at(pod) == node) unhold(pod);
  }
}

void Cluster::attach(PodId id, NodeId node) {
  PodEntry& entry = pods_[id.index];
  TUTTI_CHECK(!entry.node.valid(), "a pod is placed once");
  TUTTI_CHECK(live_.test(node.index), "pods go on nodes that are there");
  entry.node = node;
  auto& list = pods_on_[node.index];
  position_on_node_[id.index] = static_cast<std::uint32_t>(list.size());
  list.push_back(id);
  count(entry, node, +1);
}

void Cluster::detach(PodId id) {
  PodEntry& entry = pods_[id.index];
  auto& list = pods_on_[entry.node.index];
  const std::uint32_t position = position_on_node_[id.index];
  TUTTI_CHECK(position < list.size() && list[position] == id, "a pod is not where it was put");
  list[position] = list.back();
  position_on_node_[list[position].index] = position;
  list.pop_back();
  count(entry, entry.node, -1);
  entry.node = {};
}

void Cluster::count(const PodEntry& entry, NodeId node, std::int32_t sign) {
  ShapeSlot& slot = shapes_[entry.shape.index];
  const PodShape& shape = *slot.shape;
  TUTTI_CHECK(sign > 0 || slot.placed > 0, "a shape is counted off more often than on");
  for (const auto& [resource, amount] : shape.requests) {
    add(used_[resource.index][node.index], amount, sign);
  }
  add(nonzero_cpu_[node.index], shape.nonzero_cpu, sign);
  add(nonzero_memory_[node.index], shape.nonzero_memory, sign);
  if (entry.work != WorkClass::none && shape.demanding) {
    std::uint32_t& demanding = demanding_[static_cast<std::size_t>(entry.work)][node.index];
    TUTTI_CHECK(sign > 0 || demanding > 0, "a class of work is counted off more often than on");
    demanding += static_cast<std::uint32_t>(sign);
  }
  adjust(population_[node.index], entry.labels, sign);
  LabelSlot& labels = label_classes_[entry.labels.index];
  TUTTI_CHECK(sign > 0 || labels.placed > 0, "labels are counted off more often than on");
  labels.placed += static_cast<std::uint32_t>(sign);
  // Evaluators skip pod affinity while no placed pod has any: its first appearance starts them
  // over.
  if (shape.has_pod_affinity && sign > 0 && slot.placed == 0) {
    ++structure_version_;
    ++selectors_version_;
  }
  slot.placed += static_cast<std::uint32_t>(sign);
  if (shape.special()) {
    adjust(special_[node.index], entry.shape, sign);
    adjust(special_total_, entry.shape, sign);
    count_claims(shape, sign);
  }
  append({node, entry.shape, entry.labels, sign});
}

void Cluster::count_claims(const PodShape& shape, std::int32_t sign) {
  for (const auto& volume : shape.spec->volumes) {
    if (volume.source != model::Volume::Source::claim) continue;
    auto key = claim_key(shape.ns, volume.id);
    std::uint32_t& users = claim_users_[key];
    TUTTI_CHECK(sign > 0 || users > 0, "a claim loses a user that it never had");
    users += static_cast<std::uint32_t>(sign);
    if (users == 0) claim_users_.erase(key);
  }
}

std::uint32_t Cluster::claim_users(std::string_view ns, std::string_view claim) const {
  const auto at = claim_users_.find(claim_key(ns, claim));
  return at == claim_users_.end() ? 0 : at->second;
}

void Cluster::append(const Change& change) {
  if (journal_.size() >= kJournalLimit) {
    const auto half = static_cast<std::ptrdiff_t>(journal_.size() / 2);
    journal_.erase(journal_.begin(), journal_.begin() + half);
    journal_base_ += static_cast<std::uint64_t>(half);
  }
  journal_.push_back(change);
}

void Cluster::release(ShapeId shape, LabelClassId labels) {
  TUTTI_CHECK(shapes_[shape.index].users > 0 && label_classes_[labels.index].users > 0);
  if (--shapes_[shape.index].users == 0) ++unused_shapes_;
  if (--label_classes_[labels.index].users == 0) ++unused_label_classes_;
}

std::optional<PodId> Cluster::find_pod(std::string_view uid) const {
  const auto at = pod_ids_.find(uid);
  if (at == pod_ids_.end()) return std::nullopt;
  return *at;
}

PodClass Cluster::class_of(PodId id) const {
  const PodEntry& entry = pods_[id.index];
  TUTTI_CHECK(entry.object != nullptr, "the class of a pod that is not there");
  return {
      entry.shape, entry.labels,       wants_devices(id) ? devices_->class_of(*entry.object) : 0,
      entry.work,  entry.object.get(), entry.apart};
}

bool Cluster::wants_devices(const PodShape& shape) const {
  if (!shape.spec->resource_claims.empty()) return true;
  return std::ranges::any_of(shape.requests, [&](const ResourceAmount& asked) {
    return through_devices_[asked.resource.index].size() > 0;
  });
}

void Cluster::compact() {
  const auto sweep = [](auto& slots, auto& ids, auto& vacant, std::size_t& unused) {
    constexpr std::size_t kWorthIt = 1024;
    TUTTI_CHECK(unused + vacant.size() <= slots.size(), "more is unused than there is");
    if (unused < kWorthIt || unused * 2 < slots.size() - vacant.size()) return false;
    unused = 0;
    ids.clear();
    vacant.clear();
    for (std::uint32_t index = 0; index < slots.size(); ++index) {
      if (slots[index].users == 0) {
        slots[index] = {};
        vacant.push_back({index});
      } else {
        ids.emplace(slots[index].hash, typename std::decay_t<decltype(vacant)>::value_type{index});
      }
    }
    return true;
  };
  const bool shapes = sweep(shapes_, shape_ids_, vacant_shapes_, unused_shapes_);
  if (shapes) shape_of_spec_.clear();
  const bool labels =
      sweep(label_classes_, label_class_ids_, vacant_label_classes_, unused_label_classes_);
  // Ids will be given out again: whoever remembers one must forget it.
  if (shapes || labels) {
    ++structure_version_;
    ++selectors_version_;
  }
}

}  // namespace tutti::core
