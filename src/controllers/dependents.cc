#include "controllers/dependents.h"

#include <algorithm>

namespace tutti::controllers {

std::string_view api_group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

const model::OwnerReference* controller_of(const model::ObjectMeta& meta) {
  const auto at = std::ranges::find_if(meta.owners, &model::OwnerReference::controller);
  return at != meta.owners.end() ? &*at : nullptr;
}

bool is_controlled_by(const model::ObjectMeta& meta, const model::Object& owner) {
  const auto* controller = controller_of(meta);
  return controller != nullptr && controller->uid == owner.meta.uid;
}

model::OwnerReference plain_reference(const model::Object& owner) {
  const bool other = owner.kind == model::Kind::other;
  const std::string_view kind = other ? static_cast<const model::OtherObject&>(owner).kind_name
                                      : model::facts(owner.kind).name;
  return {owner.api_version, std::string(kind), owner.meta.name, owner.meta.uid, false, false};
}

model::OwnerReference controller_reference(const model::Object& owner) {
  auto reference = plain_reference(owner);
  reference.controller = true;
  reference.block_owner_deletion = true;
  return reference;
}

void Dependents::observe(const store::WatchEvent& event) {
  if (event.before && event.after && event.before->meta.owners == event.after->meta.owners) return;
  if (event.before) remove(*event.before);
  if (event.after) add(*event.after);
}

void Dependents::add(const model::Object& object) {
  for (const auto& owner : object.meta.owners) by_owner_[owner.uid].insert(model::key_of(object));
}

void Dependents::remove(const model::Object& object) {
  for (const auto& owner : object.meta.owners) {
    const auto at = by_owner_.find(owner.uid);
    if (at == by_owner_.end()) continue;
    at->second.erase(model::key_of(object));
    if (at->second.empty()) by_owner_.erase(at);
  }
}

std::vector<model::ObjectKey> Dependents::of(const std::string& owner_uid) const {
  const auto at = by_owner_.find(owner_uid);
  if (at == by_owner_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

std::vector<model::ObjectKey> Dependents::of(const std::string& owner_uid, model::Kind kind) const {
  const auto at = by_owner_.find(owner_uid);
  if (at == by_owner_.end()) return {};
  const auto first = at->second.lower_bound({kind, {}, {}, {}});
  auto last = first;
  while (last != at->second.end() && last->kind == kind) ++last;
  return {first, last};
}

}  // namespace tutti::controllers
