#include "controllers/workloads/member_document.h"

#include "controllers/workloads/document.h"

namespace tutti::controllers {
namespace {

using wire::Arena;
using wire::Value;

void set_labels(Value& holder, const PlannedMember& member, Arena& arena) {
  for (const auto& [key, value] : member.labels) {
    holder.set(arena, {"metadata", "labels", key}, Value::string(arena, value));
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
