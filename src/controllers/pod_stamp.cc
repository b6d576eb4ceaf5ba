#include "controllers/pod_stamp.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/dependents.h"
#include "controllers/labels.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::controllers {
namespace {

using wire::Arena;
using wire::Value;

bool has_variable(const Value& list, std::string_view name) {
  return std::ranges::any_of(list.items(), [&](const Value& entry) {
    const Value* known = entry.find("name");
    return known != nullptr && known->is_string() && known->text() == name;
  });
}

void add_variable(Value& container, std::string_view name, std::string_view field, Arena& arena) {
  if (!container.is_object()) return;
  Value* list = container.find("env");
  if (list == nullptr || !list->is_array()) {
    list = &container.set_member(arena, "env", Value::array());
  }
  if (has_variable(*list, name)) return;
  Value variable = Value::object();
  variable.set_member(arena, "name", Value::string(arena, name));
  variable.set(arena, {"valueFrom", "fieldRef", "apiVersion"}, Value::string(arena, "v1"));
  variable.set(arena, {"valueFrom", "fieldRef", "fieldPath"}, Value::string(arena, field));
  list->push_back(arena, std::move(variable));
}

}  // namespace

PodStamp::PodStamp(const model::Object& owner, const model::PodTemplate& pods,
                   std::initializer_list<std::string_view> path) {
  prototype_.api_version = "v1";
  prototype_.meta.ns = owner.meta.ns;
  prototype_.meta.labels = pods.labels;
  prototype_.meta.annotations = pods.annotations;
  prototype_.meta.finalizers = pods.finalizers;
  prototype_.meta.owners = {controller_reference(owner)};
  prototype_.spec = pods.spec;
  prototype_.node_name = pods.node_name;
  prototype_.priority = pods.priority;
  prototype_.preemption_policy = pods.preemption_policy;
  if (owner.document) read_document(owner, path);
}

void PodStamp::read_document(const model::Object& owner,
                             std::initializer_list<std::string_view> path) {
  const Status status = wire::read_json(*owner.document, [&](wire::Document&& stored) {
    const Value* at = &stored.root();
    for (const std::string_view name : path) at = at != nullptr ? at->find(name) : nullptr;
    const Value* spec = at != nullptr ? at->find("spec") : nullptr;
    if (spec == nullptr) return ok_status();
    document_ = std::make_unique<wire::Document>();
    Value root = Value::object();
    root.set_member(document_->arena(), "spec", spec->clone(document_->arena()));
    document_->set_root(std::move(root));
    return ok_status();
  });
  TUTTI_CHECK(status.ok(), "a stored document is JSON");
}

model::PodSpec& PodStamp::edit_spec() {
  if (!own_spec_) {
    own_spec_ = std::make_shared<model::PodSpec>(*prototype_.spec);
    prototype_.spec = own_spec_;
  }
  return *own_spec_;
}

void PodStamp::join_group(const std::string& group) {
  edit_spec().scheduling_group = group;
  if (!document_) return;
  Arena& arena = document_->arena();
  document_->root().set(arena, {"spec", "schedulingGroup", "podGroupName"},
                        Value::string(arena, group));
}

void PodStamp::add_label(std::string_view key, std::string value) {
  set_label(prototype_.meta.labels, key, std::move(value));
}

void PodStamp::add_finalizer(std::string_view finalizer) {
  auto& finalizers = prototype_.meta.finalizers;
  if (std::ranges::find(finalizers, finalizer) != finalizers.end()) return;
  finalizers.push_back(std::string(finalizer));
}

void PodStamp::default_restart_policy(std::string_view policy) {
  if (!prototype_.spec->restart_policy.empty()) return;
  edit_spec().restart_policy = policy;
  if (!document_) return;
  Arena& arena = document_->arena();
  document_->root().set(arena, {"spec", "restartPolicy"}, Value::string(arena, policy));
}

void PodStamp::add_variable_from_label(std::string_view variable, std::string_view label) {
  if (!document_) return;
  const std::string field = fmt::format("metadata.labels['{}']", label);
  Value* spec = document_->root().find("spec");
  for (const std::string_view list : {"initContainers", "containers"}) {
    Value* containers = spec->find(list);
    if (containers == nullptr || !containers->is_array()) continue;
    for (Value& container : containers->items()) {
      add_variable(container, variable, field, document_->arena());
    }
  }
}

std::shared_ptr<const std::string> PodStamp::document_for(std::string_view host_name) const {
  if (!document_) return nullptr;
  if (host_name.empty()) return std::make_shared<const std::string>(to_json(document_->root()));
  Arena arena;
  Value root = document_->root().clone(arena);
  root.set(arena, {"spec", "hostname"}, Value::string(arena, host_name));
  return std::make_shared<const std::string>(to_json(root));
}

std::shared_ptr<model::Pod> PodStamp::make(std::string name, std::string_view host_name) const {
  auto pod = std::make_shared<model::Pod>(prototype_);
  pod->meta.name = std::move(name);
  pod->document = document_for(host_name);
  return pod;
}

}  // namespace tutti::controllers
