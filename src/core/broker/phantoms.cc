#include "core/broker/phantoms.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "core/framework/transaction.h"

namespace tutti::core {
namespace {

constexpr std::string_view kUidPrefix = "phantom:";
constexpr std::string_view kIndexAnnotation = "batch.kubernetes.io/job-completion-index";

void set_label(model::Labels& labels, std::string_view key, std::string_view value) {
  auto& list = labels.edit();
  const auto at =
      std::ranges::lower_bound(list, key, {}, &std::pair<std::string, std::string>::first);
  if (at != list.end() && at->first == key) {
    at->second = value;
  } else {
    list.insert(at, {std::string(key), std::string(value)});
  }
}

// What the request says of topology, in the annotations that pods say it with.
void add_topology(model::Labels& annotations, const model::PodSetTopologyRequest& asked) {
  const auto say = [&](std::string_view what, const std::string& value) {
    if (!value.empty())
      set_label(annotations, fmt::format("kueue.x-k8s.io/podset-{}", what), value);
  };
  say("required-topology", asked.required);
  say("preferred-topology", asked.preferred);
  if (asked.unconstrained.value_or(false)) say("unconstrained-topology", "true");
  say("slice-required-topology", asked.slice_topology);
  if (asked.slice_size) say("slice-size", fmt::to_string(*asked.slice_size));
  // One layer is what the two above say. More are not supported: who asks for them is told so.
  if (asked.slice_layers.size() == 1) {
    say("slice-required-topology", asked.slice_layers[0].topology);
    say("slice-size", fmt::to_string(asked.slice_layers[0].size));
  } else if (!asked.slice_layers.empty()) {
    say("slice-required-topology-constraints", asked.slice_layers.back().topology);
  }
}

std::shared_ptr<const model::PodSpec> spec_of(const PhantomForm& form, const std::string& leaf) {
  auto spec = std::make_shared<model::PodSpec>(*form.set->pods.spec);
  spec->scheduling_group = leaf;
  spec->scheduling_gates.clear();
  // Claims of templates are made with the pods.
  spec->resource_claims.clear();
  for (const model::ResourceFlavor* flavor : form.flavors) {
    for (const auto& [key, value] : flavor->node_labels) set_label(spec->node_selector, key, value);
    for (const model::Toleration& toleration : flavor->tolerations) {
      if (std::ranges::find(spec->tolerations, toleration) == spec->tolerations.end()) {
        spec->tolerations.push_back(toleration);
      }
    }
  }
  return spec;
}

// A Workload of a real cluster names classes of pods and says only its own priority, which is
// theirs if it comes from such a class.
std::int32_t priority_of_pods(const model::AdmissionRequest& request, const model::PodSet& set) {
  const auto& spec = request.spec;
  const auto said = set.pods.priority ? set.pods.priority : spec.pod_sets.front().pods.priority;
  const bool of_pods = spec.priority_class && spec.priority_class->kind == "PriorityClass";
  return said.value_or(of_pods ? spec.priority.value_or(0) : 0);
}

std::string form_text(std::span<const PhantomForm> forms) {
  std::string text;
  for (const PhantomForm& form : forms) {
    text += fmt::format("{}:{}", form.set->name, form.count);
    for (const auto* flavor : form.flavors) text += "," + flavor->meta.name;
    text += ';';
  }
  return text;
}

}  // namespace

bool is_phantom(const model::Pod& pod) { return pod.meta.uid.starts_with(kUidPrefix); }

PhantomGang* Phantoms::find(const std::string& request) {
  const auto at = gangs_.find(request);
  return at != gangs_.end() ? &at->second : nullptr;
}

bool Phantoms::have(const std::string& request, std::span<const PhantomForm> forms) {
  const PhantomGang* known = find(request);
  return known != nullptr && known->form == form_text(forms);
}

PhantomGang* Phantoms::shape(const Request& request, std::span<const PhantomForm> forms,
                             Instant /*now*/) {
  const std::string text = form_text(forms);
  if (PhantomGang* known = find(request.name); known != nullptr && known->form == text) {
    return known;
  }
  remove_all(request.name);
  const std::uint64_t before = state_.cluster.versions().observed;
  PhantomGang gang;
  gang.form = text;
  gang.made = ++made_;
  gang.sets.resize(forms.size());
  const auto somebody = [](const PhantomForm& form) {
    return form.count > 0 && form.set->pods.spec != nullptr;
  };
  const auto sets = std::ranges::count_if(forms, somebody);
  const std::string root = request.object->meta.name + "#";
  if (sets > 1) {
    gang.root = add_group(request, root, {}, {nullptr, sets, {}});
  }
  for (std::size_t i = 0; i < forms.size(); ++i) {
    const PhantomForm& form = forms[i];
    if (!somebody(form)) continue;
    const std::string leaf = root + form.set->name;
    PhantomGang::Set& set = gang.sets[i];
    set.leaf = add_group(request, leaf, sets > 1 ? root : std::string(), form);
    if (sets == 1) gang.root = set.leaf;
    const auto spec = spec_of(form, leaf);
    for (std::int64_t index = 0; index < form.count; ++index) {
      set.pods.push_back(add(request, form, leaf, spec, index));
      request_of_.emplace(set.pods.back(), request.name);
    }
    if (gang.profile == nullptr) {
      gang.profile = state_.profile_for(*state_.cluster.pod(set.pods.front()).object);
    }
  }
  state_.queue.tried_against(before, state_.cluster.versions().observed);
  PhantomGang& kept = gangs_[request.name] = std::move(gang);
  return kept.profile != nullptr ? &kept : nullptr;
}

GroupId Phantoms::add_group(const Request& request, const std::string& name,
                            const std::string& parent, const PhantomForm& form) {
  const model::PodSet& set =
      form.set != nullptr ? *form.set : request.object->spec.pod_sets.front();
  const auto fill = [&](auto& group) {
    group.api_version = model::kSchedulingV1Alpha3;
    group.meta.ns = request.object->meta.ns;
    group.meta.name = name;
    group.meta.uid = request.object->meta.uid;
    group.meta.created = request.object->meta.created;
    group.spec.policy = {.gang = true, .minimum = static_cast<std::int32_t>(form.count)};
    group.spec.priority = priority_of_pods(*request.object, set);
    group.parent = parent;
  };
  if (form.set == nullptr) {
    auto group = std::make_shared<model::CompositePodGroup>();
    fill(*group);
    return state_.groups.set(std::move(group));
  }
  auto group = std::make_shared<model::PodGroup>();
  fill(*group);
  return state_.groups.set(std::move(group));
}

PodId Phantoms::add(const Request& request, const PhantomForm& form, const std::string& leaf,
                    const std::shared_ptr<const model::PodSpec>& spec, std::int64_t index) {
  const model::PodTemplate& pods = form.set->pods;
  auto pod = std::make_shared<model::Pod>();
  pod->api_version = "v1";
  pod->meta.ns = request.object->meta.ns;
  pod->meta.name = fmt::format("{}-{}", leaf, index);
  pod->meta.uid = fmt::format("{}{}/{}", kUidPrefix, pod->meta.ns, pod->meta.name);
  pod->meta.created = request.object->meta.created;
  pod->meta.labels = pods.labels;
  pod->meta.annotations = pods.annotations;
  if (form.set->topology) add_topology(pod->meta.annotations, *form.set->topology);
  set_label(pod->meta.annotations, kIndexAnnotation, fmt::to_string(index));
  pod->spec = spec;
  pod->priority = priority_of_pods(*request.object, *form.set);
  pod->preemption_policy = pods.preemption_policy;
  const PodId id = state_.cluster.set_pod(pod);
  state_.join_group(id, *pod, GroupTable::Membership::pending);
  return id;
}

Entity Phantoms::entity_of(const Request& request, const PhantomGang& gang, Instant now) const {
  Entity entity;
  entity.root = gang.root;
  entity.name = request.name + "#";
  entity.profile = gang.profile;
  entity.priority = state_.groups[gang.root].priority();
  entity.queued_at = now;
  entity.attempts = request.attempts;
  entity.area = Entity::Area::in_attempt;
  for (const PhantomGang::Set& set : gang.sets) {
    for (const PodId pod : set.pods) {
      if (state_.cluster.pod(pod).node.valid()) continue;
      entity.members.try_emplace(pod, Member{.pod = pod, .joined = 0, .added = now});
    }
  }
  return entity;
}

void Phantoms::count_as_assumed(std::span<const ProposedPod> placed) {
  for (const auto& [pod, node] : placed) {
    state_.groups.add_pod(state_.group_of(pod), pod, GroupTable::Membership::assumed);
  }
}

const std::string* Phantoms::request_of(PodId pod) const {
  const auto at = request_of_.find(pod);
  return at != request_of_.end() ? &at->second : nullptr;
}

void Phantoms::lift(PodId phantom) {
  release_placement(state_.cluster, *gangs_.at(request_of_.at(phantom)).profile, phantom);
  state_.groups.add_pod(state_.group_of(phantom), phantom, GroupTable::Membership::pending);
}

void Phantoms::put_back(PodId phantom, NodeId node) {
  Transaction transaction(state_.cluster);
  const PluginStatus outcome =
      transaction.place(phantom, node, *gangs_.at(request_of_.at(phantom)).profile);
  TUTTI_CHECK(outcome.success(), "a phantom is put back where it was");
  transaction.commit();
  state_.groups.add_pod(state_.group_of(phantom), phantom, GroupTable::Membership::assumed);
}

void Phantoms::drop(PodId phantom) {
  if (state_.cluster.pod(phantom).node.valid()) lift(phantom);
  const GroupId leaf = state_.group_of(phantom);
  state_.leaf_of.erase(phantom);
  state_.groups.remove_pod(leaf, phantom);
  state_.cluster.remove_pod(phantom);
  request_of_.erase(phantom);
}

void Phantoms::remove(PodId phantom) {
  const std::string request = request_of_.at(phantom);
  PhantomGang& gang = gangs_.at(request);
  drop(phantom);
  bool any = false;
  for (PhantomGang::Set& set : gang.sets) {
    std::erase(set.pods, phantom);
    any = any || !set.pods.empty();
  }
  if (!any) remove_all(request);
}

bool Phantoms::remove_all(const std::string& request) {
  const auto at = gangs_.find(request);
  if (at == gangs_.end()) return false;
  const std::uint64_t before = state_.cluster.versions().observed;
  bool held_room = false;
  for (const PhantomGang::Set& set : at->second.sets) {
    for (const PodId pod : set.pods) {
      held_room = held_room || state_.cluster.pod(pod).node.valid();
      drop(pod);
    }
    if (set.leaf.valid()) state_.groups.remove_object(set.leaf);
  }
  const GroupId root = at->second.root;
  const bool composite = root.valid() && state_.groups.alive(root) && state_.groups[root].composite;
  if (composite) state_.groups.remove_object(root);
  gangs_.erase(at);
  if (!held_room) state_.queue.tried_against(before, state_.cluster.versions().observed);
  return held_room;
}

std::vector<std::pair<std::string, PodId>> Phantoms::on_node(NodeId node) const {
  std::vector<std::pair<std::string, PodId>> found;
  for (const auto& [request, gang] : gangs_) {
    for (const PhantomGang::Set& set : gang.sets) {
      for (const PodId pod : set.pods) {
        if (state_.cluster.pod(pod).node == node) found.emplace_back(request, pod);
      }
    }
  }
  return found;
}

}  // namespace tutti::core
