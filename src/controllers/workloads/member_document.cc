#include "controllers/workloads/member_document.h"

#include <utility>

#include "controllers/workloads/document.h"

namespace tutti::controllers {
namespace {

using wire::Arena;
using wire::Value;

void set_labels(Value& holder, const PlannedMember& member, Arena& arena) {
  for (const auto* labels : {&member.labels, &member.keys}) {
    for (const auto& [key, value] : *labels) {
      holder.set(arena, {"metadata", "labels", key}, Value::string(arena, value));
    }
  }
}

Value requirement(std::string_view key, std::string_view word, const std::string* value,
                  Arena& arena) {
  Value out = Value::object();
  out.set_member(arena, "key", Value::string(arena, key));
  out.set_member(arena, "operator", Value::string(arena, word));
  if (value == nullptr) return out;
  Value values = Value::array();
  values.push_back(arena, Value::string(arena, *value));
  out.set_member(arena, "values", std::move(values));
  return out;
}

// Beside (or apart from) pods with another value of the label, or with this one.
Value affinity_term(const ExclusivePlace& place, bool apart, Arena& arena) {
  Value wanted = Value::array();
  if (apart) wanted.push_back(arena, requirement(place.label, "Exists", nullptr, arena));
  wanted.push_back(arena, requirement(place.label, apart ? "NotIn" : "In", &place.value, arena));
  Value term = Value::object();
  term.set(arena, {"labelSelector", "matchExpressions"}, std::move(wanted));
  term.set_member(arena, "topologyKey", Value::string(arena, place.topology_key));
  if (place.everywhere) term.set_member(arena, "namespaceSelector", Value::object());
  return term;
}

void add_term(Value& pods, std::string_view kind, Value term, Arena& arena) {
  constexpr std::string_view kRequired = "requiredDuringSchedulingIgnoredDuringExecution";
  Value terms = Value::array();
  if (const Value* present = at(pods, {"spec", "affinity", kind, kRequired});
      present != nullptr && present->is_array()) {
    terms = present->clone(arena);
  }
  terms.push_back(arena, std::move(term));
  pods.set(arena, {"spec", "affinity", kind, kRequired}, std::move(terms));
}

void set_exclusive(Value& pods, const PlannedMember& member, Arena& arena) {
  for (const ExclusivePlace& place : member.exclusive) {
    if (place.together) add_term(pods, "podAffinity", affinity_term(place, false, arena), arena);
    add_term(pods, "podAntiAffinity", affinity_term(place, true, arena), arena);
  }
}

// Members of the template, as far as it has them.
Value copy_form(const Value& form, Arena& arena) {
  Value out = Value::object();
  for (const std::string_view name : {"metadata", "spec"}) {
    const Value* part = at(form, {name});
    out.set_member(arena, name, part != nullptr ? part->clone(arena) : Value::object());
  }
  return out;
}

}  // namespace

Value member_document(const PlannedMember& member, const std::string& ns, Arena& arena) {
  Value out = copy_form(*member.form, arena);
  out.set_member(arena, "apiVersion", Value::string(arena, member.is_job ? "batch/v1" : "v1"));
  out.set_member(arena, "kind", Value::string(arena, member.is_job ? "Job" : "Pod"));
  out.set(arena, {"metadata", "name"}, Value::string(arena, member.name));
  out.set(arena, {"metadata", "namespace"}, Value::string(arena, ns));
  set_labels(out, member, arena);
  Value* pods = member.is_job ? out.find("spec")->find("template") : &out;
  if (pods == nullptr || !pods->is_object()) return out;
  if (member.is_job) set_labels(*pods, member, arena);
  set_exclusive(*pods, member, arena);
  if (!member.group.empty()) {
    pods->set(arena, {"spec", "schedulingGroup", "podGroupName"},
              Value::string(arena, member.group));
  }
  return out;
}

std::string priority_class_of(const PlannedMember& member) {
  return member.is_job ? text_at(*member.form, {"spec", "template", "spec", "priorityClassName"})
                       : text_at(*member.form, {"spec", "priorityClassName"});
}

}  // namespace tutti::controllers
