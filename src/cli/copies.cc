#include "cli/copies.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "model/apps.h"
#include "model/group.h"
#include "model/job.h"
#include "store/typed.h"

namespace tutti::cli {
namespace {

using model::Kind;

template <typename Group>
void set_parts(Group& group, const std::string& parent, const std::string& workload) {
  group.parent = parent;
  if (group.workload) group.workload->workload = workload;
}

}  // namespace

Copier::Copier(const sim::Script& original) : original_(original) {
  for (const sim::Action& action : original.actions) keys_.insert(action.key);
}

sim::Script Copier::copy(std::size_t number) {
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

std::string Copier::renamed(Kind kind, const std::string& ns, const std::string& name) const {
  return keys_.contains({kind, ns, name, {}}) ? name + suffix_ : name;
}

void Copier::rename(Kind kind, const std::string& ns, std::string& name) const {
  name = renamed(kind, ns, name);
}

void Copier::rename(const std::string& ns, std::vector<model::ClaimReference>& claims) const {
  for (model::ClaimReference& claim : claims) {
    rename(Kind::resource_claim, ns, claim.claim_name);
    rename(Kind::resource_claim_template, ns, claim.template_name);
  }
}

Copier::SpecPtr Copier::spec_for(const std::string& ns, const SpecPtr& spec) {
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

model::ObjectPtr Copier::copy_of(const model::Object& object) {
  auto made = store::clone(object);
  made->meta.name += suffix_;
  made->meta.uid.clear();
  made->document.reset();
  rename_references(*made);
  return made;
}

void Copier::rename_references(model::Object& object) {
  const std::string& ns = object.meta.ns;
  switch (object.kind) {
    case Kind::pod: {
      auto& pod = static_cast<model::Pod&>(object);
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

}  // namespace tutti::cli
