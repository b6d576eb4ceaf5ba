#include "session/workload_forms.h"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "base/check.h"
#include "controllers/dependents.h"
#include "controllers/workloads/mapping.h"
#include "controllers/workloads/member_document.h"
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

// As it was written; null: of a Job, or nothing that can be read.
std::shared_ptr<const model::PodSpec> spec_of(const controllers::PlannedMember& member,
                                              const std::string& ns) {
  if (member.is_job) return nullptr;
  wire::Arena arena;
  wire::Decoder decoder(wire::Decoder::Documents::dropped);
  const auto decoded = wire::decode(controllers::member_document(member, ns, arena), decoder);
  return decoded.ok() ? model::as<model::Pod>(**decoded).spec : nullptr;
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
  return {*path, spec_of(*member, made.ns)};
}

}  // namespace

whatif::Form workload_form(const store::Store& objects, const model::OwnerReference& owner,
                           const model::ObjectMeta& made) {
  const auto object =
      objects.get({model::Kind::other, made.ns, owner.name, owner.api_version + "/" + owner.kind});
  if (object == nullptr || object->document == nullptr) return {};
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
