#include "session/work/workload_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "controllers/dependents.h"
#include "controllers/workloads/document.h"
#include "controllers/workloads/mapping.h"
#include "sim/controllers/cron_jobs.h"
#include "sim/controllers/daemon_sets.h"
#include "whatif/change_target.h"
#include "wire/decode/decode.h"
#include "wire/json_reader.h"

namespace tutti::session {
namespace {

using wire::Value;

// The JSON pointer of a part of the tree; empty: it is no part of it.
std::optional<std::string> pointer_to(const Value& tree, const Value* part) {
  if (&tree == part) return std::string();
  const auto below = [&](const Value& child, const std::string& step) {
    auto rest = pointer_to(child, part);
    if (rest) rest->insert(0, "/" + step);
    return rest;
  };
  if (tree.is_array()) {
    for (std::size_t i = 0; i < tree.items().size(); ++i) {
      if (auto found = below(tree.items()[i], fmt::format("{}", i))) return found;
    }
  }
  if (!tree.is_object()) return std::nullopt;
  for (const wire::Member& member : tree.members()) {
    if (auto found = below(member.value, whatif::pointer_part(member.key))) return found;
  }
  return std::nullopt;
}

// A pod's spec as it was written; null: it is none.
std::shared_ptr<const model::PodSpec> spec_in(const Value* spec) {
  if (spec == nullptr || !spec->is_object()) return nullptr;
  wire::Arena arena;
  Value pod = Value::object();
  pod.set_member(arena, "apiVersion", Value::string(arena, "v1"));
  pod.set_member(arena, "kind", Value::string(arena, "Pod"));
  pod.set(arena, {"metadata", "name"}, Value::string(arena, "form"));
  pod.set_member(arena, "spec", spec->clone(arena));
  wire::Decoder decoder(wire::Decoder::Documents::dropped);
  const auto decoded = wire::decode(pod, decoder);
  return decoded.ok() ? model::as<model::Pod>(**decoded).spec : nullptr;
}

// Without what the controller adds to it.
std::shared_ptr<const model::PodSpec> spec_of(const controllers::PlannedMember& member) {
  return spec_in(member.is_job ? controllers::at(*member.form, {"spec", "template", "spec"})
                               : controllers::at(*member.form, {"spec"}));
}

whatif::Form form_in(const Value& document, const controllers::MappingRow& row,
                     const model::ObjectMeta& made) {
  // What is made with the help of another object is not written in this one alone.
  const controllers::Neighbours nobody{[](std::string_view, std::string_view) { return nullptr; }};
  const controllers::Plan plan = row.plan(document, nobody);
  const auto member = std::ranges::find(plan.members, made.name, &controllers::PlannedMember::name);
  if (member == plan.members.end()) return {};
  const auto path = pointer_to(document, member->form);
  if (!path) return {};
  return {*path, spec_of(*member)};
}

}  // namespace

whatif::Form workload_form(const store::Store& objects, const model::OwnerReference& owner,
                           const model::ObjectMeta& made) {
  const auto object =
      objects.get({model::Kind::other, made.ns, owner.name, owner.api_version + "/" + owner.kind});
  if (object == nullptr || object->document == nullptr) return {};
  if (sim::is_cron_job(*object)) return {"/spec/jobTemplate", nullptr};
  if (sim::is_daemon_set(*object)) {
    whatif::Form form{"/spec/template", nullptr};
    const Status read = wire::read_json(*object->document, [&](wire::Document&& document) {
      form.spec = spec_in(controllers::at(document.root(), {"spec", "template", "spec"}));
      return ok_status();
    });
    TUTTI_CHECK(read.ok(), "a stored document is JSON");
    return form;
  }
  const controllers::MappingRow* row = controllers::mapping_of(*object);
  if (row == nullptr || row->plan == nullptr) return {};
  if (controllers::controller_of(object->meta) != nullptr) return {};
  whatif::Form form;
  const Status read = wire::read_json(*object->document, [&](wire::Document&& document) {
    form = form_in(document.root(), *row, made);
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
  return form;
}

}  // namespace tutti::session
