#include "controllers/dependents.h"

#include <algorithm>
#include <iterator>
#include <ranges>

#include "model/pod.h"

namespace tutti::controllers {
namespace {

bool is_closed(const model::Object& object) {
  const auto* pod = model::try_as<model::Pod>(object);
  return pod != nullptr && pod->terminal() && pod->meta.finalizers.empty();
}

auto of_kind(const std::set<model::ObjectKey>& keys, model::Kind kind) {
  const auto next = static_cast<model::Kind>(static_cast<std::uint8_t>(kind) + 1);
  return std::ranges::subrange(keys.lower_bound({kind, {}, {}, {}}),
                               keys.lower_bound({next, {}, {}, {}}));
}

}  // namespace

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
  if (event.before && event.after && event.before->meta.owners == event.after->meta.owners &&
      is_closed(*event.before) == is_closed(*event.after)) {
    return;
  }
  if (event.before) remove(*event.before);
  if (event.after) add(*event.after);
}

void Dependents::add(const model::Object& object) {
  for (const auto& owner : object.meta.owners) {
    Family& family = by_owner_[owner.uid];
    (is_closed(object) ? family.closed : family.open).insert(model::key_of(object));
  }
}

void Dependents::remove(const model::Object& object) {
  for (const auto& owner : object.meta.owners) {
    const auto at = by_owner_.find(owner.uid);
    if (at == by_owner_.end()) continue;
    const auto key = model::key_of(object);
    at->second.open.erase(key);
    at->second.closed.erase(key);
    if (at->second.open.empty() && at->second.closed.empty()) by_owner_.erase(at);
  }
}

const Dependents::Family* Dependents::family_of(const std::string& owner_uid) const {
  const auto at = by_owner_.find(owner_uid);
  return at != by_owner_.end() ? &at->second : nullptr;
}

std::vector<model::ObjectKey> Dependents::of(const std::string& owner_uid) const {
  std::vector<model::ObjectKey> out;
  if (const Family* family = family_of(owner_uid)) {
    std::ranges::set_union(family->open, family->closed, std::back_inserter(out));
  }
  return out;
}

std::vector<model::ObjectKey> Dependents::of(const std::string& owner_uid, model::Kind kind) const {
  std::vector<model::ObjectKey> out;
  const Family* family = family_of(owner_uid);
  if (family == nullptr) return out;
  const auto open = of_kind(family->open, kind);
  const auto closed = of_kind(family->closed, kind);
  std::set_union(open.begin(), open.end(), closed.begin(), closed.end(), std::back_inserter(out));
  return out;
}

std::vector<model::ObjectKey> Dependents::open_pods_of(const std::string& owner_uid) const {
  const Family* family = family_of(owner_uid);
  if (family == nullptr) return {};
  const auto pods = of_kind(family->open, model::Kind::pod);
  return {pods.begin(), pods.end()};
}

bool Dependents::any_pods(const std::string& owner_uid) const {
  const Family* family = family_of(owner_uid);
  if (family == nullptr) return false;
  return !family->closed.empty() || !of_kind(family->open, model::Kind::pod).empty();
}

}  // namespace tutti::controllers
