#include "session/object_copies.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

#include "base/check.h"
#include "controllers/workloads/conventions.h"
#include "model/apps.h"
#include "model/group.h"
#include "model/job.h"
#include "store/typed.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::session {
namespace {

using controllers::Convention;
using model::Kind;

struct NamingField {
  std::string_view field;
  Kind kind;
};
constexpr std::array<NamingField, 3> kNamingFields = {
    {{"resourceClaimName", Kind::resource_claim},
     {"resourceClaimTemplateName", Kind::resource_claim_template},
     {"claimName", Kind::persistent_volume_claim}}};

template <typename Group>
void set_parts(Group& group, const std::string& parent, const std::string& workload) {
  group.parent = parent;
  if (group.workload) group.workload->workload = workload;
}

}  // namespace

ObjectCopier::ObjectCopier(const sim::Script& original) : original_(original) {
  for (const sim::Action& action : original.actions) keys_.insert(action.key);
  for (const sim::Action& action : original.actions) {
    if (action.object == nullptr || action.object->kind != Kind::pod) continue;
    add_gangs(action.object->meta.ns, action.object->meta.labels);
    add_gangs(action.object->meta.ns, action.object->meta.annotations);
  }
}

// A gang in Kueue's words is named by its pods alone; one of other schedulers has an object, which
// may be the cluster's.
void ObjectCopier::add_gangs(const std::string& ns, const model::Labels& labels) {
  for (const auto& [key, name] : labels) {
    const Convention convention = controllers::convention_of(key);
    const auto is_object = [&, &wanted = name](const model::ObjectKey& known) {
      return known.kind == Kind::other && known.ns == ns && known.name == wanted;
    };
    const bool mine = convention == Convention::kueue ||
                      (convention != Convention::none && std::ranges::any_of(keys_, is_object));
    if (mine) keys_.insert({Kind::pod_group, ns, name, {}});
  }
}

sim::Script ObjectCopier::copy(std::size_t number) {
  suffix_ = fmt::format("-copy-{}", number);
  specs_.clear();
  sim::Script made;
  for (const sim::Action& action : original_.actions) {
    if (action.key.ns.empty()) continue;  // what the whole cluster has is there once
    sim::Action twin = action;
    twin.key.name += suffix_;
    if (action.object != nullptr) twin.object = copy_of(*action.object);
    made.actions.push_back(std::move(twin));
  }
  return made;
}

std::string ObjectCopier::renamed(Kind kind, const std::string& ns, const std::string& name) const {
  return keys_.contains({kind, ns, name, {}}) ? name + suffix_ : name;
}

void ObjectCopier::rename(Kind kind, const std::string& ns, std::string& name) const {
  name = renamed(kind, ns, name);
}

void ObjectCopier::rename(const std::string& ns, std::vector<model::ClaimReference>& claims) const {
  for (model::ClaimReference& claim : claims) {
    rename(Kind::resource_claim, ns, claim.claim_name);
    rename(Kind::resource_claim_template, ns, claim.template_name);
  }
}

ObjectCopier::SpecPtr ObjectCopier::spec_for(const std::string& ns, const SpecPtr& spec) {
  if (spec == nullptr) return spec;
  SpecPtr& known = specs_[spec.get()];
  if (known != nullptr) return known;
  auto made = std::make_shared<model::PodSpec>(*spec);
  rename(Kind::pod_group, ns, made->scheduling_group);
  rename(ns, made->resource_claims);
  for (model::Volume& volume : made->volumes) {
    if (volume.source == model::Volume::Source::claim) {
      rename(Kind::persistent_volume_claim, ns, volume.id);
    }
  }
  known = std::move(made);
  return known;
}

model::ObjectPtr ObjectCopier::copy_of(const model::Object& object) {
  auto made = store::clone(object);
  made->meta.name += suffix_;
  made->meta.uid.clear();
  made->document = object.kind == Kind::other ? document_for(object) : nullptr;
  rename_references(*made);
  return made;
}

void ObjectCopier::rename_gangs(const std::string& ns, model::Labels& labels) const {
  const auto says = [](const auto& label) {
    return controllers::convention_of(label.first) != Convention::none;
  };
  if (std::ranges::none_of(labels, says)) return;
  for (auto& label : labels.edit()) {
    if (says(label)) rename(Kind::pod_group, ns, label.second);
  }
}

std::shared_ptr<const std::string> ObjectCopier::document_for(const model::Object& object) const {
  if (object.document == nullptr) return nullptr;
  std::string text;
  const Status read = wire::read_json(*object.document, [&](wire::Document&& document) {
    wire::Value& root = document.root();
    root.set(document.arena(), {"metadata", "name"},
             wire::Value::string(document.arena(), object.meta.name + suffix_));
    rename_in(document.arena(), object.meta.ns, root);
    text = wire::to_json(root);
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
  return std::make_shared<const std::string>(std::move(text));
}

// What pod templates, wherever they are, name.
void ObjectCopier::rename_in(wire::Arena& arena, const std::string& ns, wire::Value& value) const {
  if (value.is_array()) {
    for (wire::Value& item : value.items()) rename_in(arena, ns, item);
  }
  if (!value.is_object()) return;
  for (wire::Member& member : value.members()) {
    const auto field = std::ranges::find(kNamingFields, member.key, &NamingField::field);
    if (field == kNamingFields.end() || !member.value.is_string()) {
      rename_in(arena, ns, member.value);
      continue;
    }
    const std::string name = renamed(field->kind, ns, std::string(member.value.text()));
    member.value = wire::Value::string(arena, name);
  }
}

void ObjectCopier::rename_references(model::Object& object) {
  const std::string& ns = object.meta.ns;
  switch (object.kind) {
    case Kind::pod: {
      auto& pod = static_cast<model::Pod&>(object);
      rename_gangs(ns, pod.meta.labels);
      rename_gangs(ns, pod.meta.annotations);
      pod.spec = spec_for(ns, pod.spec);
      break;
    }
    case Kind::pod_group: {
      auto& group = static_cast<model::PodGroup&>(object);
      set_parts(group, renamed(Kind::composite_pod_group, ns, group.parent),
                group.workload ? renamed(Kind::workload, ns, group.workload->workload) : "");
      rename(ns, group.spec.resource_claims);
      break;
    }
    case Kind::composite_pod_group: {
      auto& group = static_cast<model::CompositePodGroup&>(object);
      set_parts(group, renamed(Kind::composite_pod_group, ns, group.parent),
                group.workload ? renamed(Kind::workload, ns, group.workload->workload) : "");
      break;
    }
    case Kind::workload: {
      auto& workload = static_cast<model::Workload&>(object);
      if (workload.controller) rename(Kind::job, ns, workload.controller->name);
      break;
    }
    case Kind::job: {
      auto& job = static_cast<model::Job&>(object);
      job.pods.spec = spec_for(ns, job.pods.spec);
      if (job.scheduling) rename(ns, job.scheduling->resource_claims);
      break;
    }
    case Kind::deployment:
    case Kind::replica_set:
    case Kind::stateful_set: {
      auto& keeper = static_cast<model::ReplicaKeeper&>(object);
      keeper.pods.spec = spec_for(ns, keeper.pods.spec);
      break;
    }
    default:
      break;
  }
}

}  // namespace tutti::session
