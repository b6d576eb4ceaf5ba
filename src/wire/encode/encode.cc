#include "wire/encode/encode.h"

#include <fmt/format.h>

#include "base/check.h"
#include "wire/decode/kind_table.h"
#include "wire/encode/encode_kinds.h"
#include "wire/json_reader.h"

namespace tutti::wire {
namespace {

using model::Kind;

Value stored_document(const model::Object& object, Arena& arena) {
  if (object.document == nullptr) return Value::object();
  Value root;
  const Status status = read_json(*object.document, [&](Document&& stored) {
    root = stored.root().clone(arena);
    return ok_status();
  });
  TUTTI_CHECK(status.ok() && root.is_object(), "a stored document is a JSON object");
  return root;
}

void write_type(Overlay& at, const model::Object& object) {
  const bool other = object.kind == Kind::other;
  at.text("apiVersion", object.api_version.empty() ? default_api_version(object.kind)
                                                   : std::string_view(object.api_version));
  at.text("kind", other ? std::string_view(static_cast<const model::OtherObject&>(object).kind_name)
                        : model::facts(object.kind).name);
}

bool same_owner(const Value& item, const model::OwnerReference& owner) {
  return says(item, "uid", owner.uid) && says(item, "kind", owner.kind) &&
         says(item, "name", owner.name);
}

void write_owner(Overlay& at, const model::OwnerReference& owner) {
  at.text_always("apiVersion", owner.api_version);
  at.flag("blockOwnerDeletion", owner.block_owner_deletion);
  at.flag("controller", owner.controller);
  at.text_always("kind", owner.kind);
  at.text_always("name", owner.name);
  at.text_always("uid", owner.uid);
}

void write_meta(Overlay& at, const model::ObjectMeta& meta) {
  at.map("annotations", meta.annotations);
  at.time("creationTimestamp", meta.created);
  at.number("deletionGracePeriodSeconds", meta.deletion_grace_seconds);
  at.time("deletionTimestamp", meta.deletion);
  at.texts("finalizers", meta.finalizers);
  at.number_unless_zero("generation", meta.generation);
  at.map("labels", meta.labels);
  at.text("name", meta.name);
  at.text("namespace", meta.ns);
  at.list("ownerReferences", meta.owners.list(), same_owner, write_owner);
  const bool versioned = meta.resource_version != 0;
  at.text("resourceVersion", versioned ? fmt::to_string(meta.resource_version) : std::string{});
  at.text("uid", meta.uid);
}

template <typename T>
void write_as(Overlay& at, const model::Object& object) {
  write_kind(at, model::as<T>(object));
}

void write_fields(Overlay& at, const model::Object& object) {
  switch (object.kind) {
    case Kind::pod:
      return write_as<model::Pod>(at, object);
    case Kind::node:
      return write_as<model::Node>(at, object);
    case Kind::persistent_volume_claim:
      return write_as<model::PersistentVolumeClaim>(at, object);
    case Kind::persistent_volume:
      return write_as<model::PersistentVolume>(at, object);
    case Kind::event:
      return write_as<model::Event>(at, object);
    case Kind::lease:
      return write_as<model::Lease>(at, object);
    case Kind::workload:
      return write_as<model::Workload>(at, object);
    case Kind::pod_group:
      return write_as<model::PodGroup>(at, object);
    case Kind::composite_pod_group:
      return write_as<model::CompositePodGroup>(at, object);
    case Kind::resource_claim:
      return write_as<model::ResourceClaim>(at, object);
    case Kind::job:
      return write_as<model::Job>(at, object);
    case Kind::deployment:
      return write_as<model::Deployment>(at, object);
    case Kind::replica_set:
      return write_as<model::ReplicaSet>(at, object);
    case Kind::stateful_set:
      return write_as<model::StatefulSet>(at, object);
    case Kind::pod_disruption_budget:
      return write_as<model::PodDisruptionBudget>(at, object);
    case Kind::device_taint_rule:
      return write_as<model::DeviceTaintRule>(at, object);
    case Kind::cluster_queue:
      return write_as<model::ClusterQueue>(at, object);
    case Kind::cohort:
      return write_as<model::Cohort>(at, object);
    case Kind::local_queue:
      return write_as<model::LocalQueue>(at, object);
    case Kind::admission_check:
      return write_as<model::AdmissionCheck>(at, object);
    case Kind::admission_request:
      return write_as<model::AdmissionRequest>(at, object);
    case Kind::ns:
    case Kind::priority_class:
    case Kind::service:
    case Kind::replication_controller:
    case Kind::storage_class:
    case Kind::csi_node:
    case Kind::csi_driver:
    case Kind::csi_storage_capacity:
    case Kind::volume_attachment:
    case Kind::device_class:
    case Kind::resource_claim_template:
    case Kind::resource_slice:
    case Kind::topology:
    case Kind::resource_flavor:
    case Kind::workload_priority_class:
    case Kind::other:
      return;
  }
}

}  // namespace

void write_conditions(Overlay& status, const std::vector<model::Condition>& conditions,
                      std::string_view seen) {
  const auto same = [](const Value& item, const model::Condition& condition) {
    return says(item, "type", condition.type);
  };
  const auto write = [&](Overlay& at, const model::Condition& condition) {
    const auto word = seen.empty() ? &Overlay::text_always : &Overlay::text;
    if (!seen.empty()) at.null_unless_present(seen);
    at.time("lastTransitionTime", condition.last_transition);
    at.null_unless_present("lastTransitionTime");
    (at.*word)("message", condition.message);
    at.number_unless_zero("observedGeneration", condition.observed_generation);
    (at.*word)("reason", condition.reason);
    at.text_always("status", condition.status);
    at.text_always("type", condition.type);
  };
  status.list("conditions", conditions, same, write);
}

Value encode(const model::Object& object, Document& document) {
  Value root = stored_document(object, document.arena());
  Overlay at(root, document.arena());
  write_type(at, object);
  at.member("metadata", [&](Overlay& meta) { write_meta(meta, object.meta); });
  write_fields(at, object);
  return root;
}

}  // namespace tutti::wire
