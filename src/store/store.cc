#include "store/store.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <compare>
#include <iterator>
#include <tuple>
#include <utility>

#include "base/digest.h"
#include "store/typed.h"

namespace tutti::store {
namespace {

using model::Object;
using model::ObjectKey;
using model::ObjectPtr;
using std::chrono::seconds;

constexpr std::int64_t kDefaultGraceSeconds = 30;

Error not_found(const ObjectKey& key) {
  return {Error::Code::not_found, fmt::format("{} does not exist", model::describe(key))};
}

std::int64_t grace_left(const Object& object) {
  return object.meta.deletion_grace_seconds.value_or(0);
}

// Whether a terminating object must stay: finalizers hold it, or its grace period runs.
bool held(const Object& object) {
  return !object.meta.finalizers.empty() || grace_left(object) > 0;
}

// The time a pod gets to end by itself: none when it is not running anywhere.
std::int64_t grace_asked(const Object& object, const Removal& removal) {
  const auto* pod = model::try_as<model::Pod>(object);
  if (!pod || pod->node_name.empty() || pod->terminal()) return 0;
  const auto own = pod->spec ? pod->spec->termination_grace_seconds : std::nullopt;
  return std::max<std::int64_t>(removal.grace_seconds.value_or(own.value_or(kDefaultGraceSeconds)),
                                0);
}

// When the object was first asked to go.
Instant asked_at(const Object& object, Instant now) {
  return object.meta.deletion ? later(*object.meta.deletion, seconds(-grace_left(object))) : now;
}

// Only uninterpreted objects need more than their namespace and name.
std::string other_kind_of(const Object& object) {
  return object.kind == model::Kind::other ? model::key_of(object).other_kind : std::string();
}

// Writes the lowest `digits` hexadecimal digits of the number into the text.
void put_hex(std::string& text, std::size_t at, std::size_t digits, std::uint64_t number) {
  for (std::size_t i = digits; i-- > 0; number >>= 4) {
    text[at + i] = "0123456789abcdef"[number & 0xf];
  }
}

// The kind counts by its name, which outlives the order of an enumeration.
Digest digest_of(const ObjectKey& key, std::uint64_t seed) {
  Digest digest;
  digest.add(seed);
  digest.add(key.kind == model::Kind::other ? std::string_view(key.other_kind)
                                            : model::facts(key.kind).name);
  digest.add(key.ns);
  digest.add(key.name);
  return digest;
}

// Formatted as a random (version 4) UUID; two digests that know nothing of each other stand in for
// chance. Every object has one, so it is written by hand.
std::string uid_of(const ObjectKey& key, std::uint64_t seed, std::uint64_t attempt) {
  const auto half = [&](std::uint64_t salt) {
    Digest digest = digest_of(key, salt);
    digest.add(attempt);
    return digest.value();
  };
  const std::uint64_t high = half(seed);
  const std::uint64_t low = half(~seed);
  std::string uid = "00000000-0000-4000-0000-000000000000";
  put_hex(uid, 0, 8, high >> 32);
  put_hex(uid, 9, 4, (high >> 16) & 0xffff);
  put_hex(uid, 15, 3, high & 0xfff);
  put_hex(uid, 19, 4, 0x8000 | ((low >> 48) & 0x3fff));
  put_hex(uid, 24, 12, low & 0xffff'ffff'ffff);
  return uid;
}

std::strong_ordering compare(const Object& object, const ObjectKey& key) {
  if (const auto order = object.kind <=> key.kind; order != 0) return order;
  if (const auto order = object.meta.ns <=> key.ns; order != 0) return order;
  if (const auto order = object.meta.name <=> key.name; order != 0) return order;
  return other_kind_of(object) <=> key.other_kind;
}

}  // namespace

bool ByKey::operator()(const ObjectPtr& a, const ObjectPtr& b) const {
  const auto name_of = [](const Object& object) {
    return std::tie(object.kind, object.meta.ns, object.meta.name);
  };
  const auto order = name_of(*a) <=> name_of(*b);
  return order != 0 ? order < 0 : other_kind_of(*a) < other_kind_of(*b);
}
bool ByKey::operator()(const ObjectPtr& object, const ObjectKey& key) const {
  return compare(*object, key) < 0;
}
bool ByKey::operator()(const ObjectKey& key, const ObjectPtr& object) const {
  return compare(*object, key) > 0;
}

Result<ObjectPtr> Store::create(const Object& object, const Write& write) {
  auto& objects = table(object.kind);
  const ObjectKey key = model::key_of(object);
  if (objects.contains(key)) {
    return Error{Error::Code::conflict, fmt::format("{} already exists", model::describe(object))};
  }
  auto made = clone(object);
  auto& meta = made->meta;
  if (meta.uid.empty()) {
    meta.uid = fresh_uid(key);
  } else {
    reserve_uid(meta.uid);
  }
  meta.resource_version = version_ + 1;
  meta.generation = counts_generation(object.kind) ? 1 : 0;
  if (!meta.created) meta.created = write.now;
  meta.deletion.reset();
  meta.deletion_grace_seconds.reset();
  ObjectPtr shared = std::move(made);
  objects.insert(shared);
  append(WatchEvent::Type::added, nullptr, shared, write);
  return shared;
}

Result<ObjectPtr> Store::update(const Object& object, const Write& write) {
  TUTTI_ASSIGN(const Slot slot, find_slot(model::key_of(object), object.meta.resource_version));
  const Object& current = **slot;
  auto next = clone(object);
  copy_status(*next, current);
  auto& meta = next->meta;
  meta.uid = current.meta.uid;
  meta.generation = current.meta.generation;
  meta.created = current.meta.created;
  meta.deletion = current.meta.deletion;
  meta.deletion_grace_seconds = current.meta.deletion_grace_seconds;
  if (counts_generation(object.kind) && !same_spec(current, *next)) ++meta.generation;
  return replace(slot, std::move(next), write);
}

Result<ObjectPtr> Store::update_status(const Object& object, const Write& write) {
  TUTTI_ASSIGN(const Slot slot, find_slot(model::key_of(object), object.meta.resource_version));
  auto next = clone(**slot);
  copy_status(*next, object);
  return replace(slot, std::move(next), write);
}

Result<ObjectPtr> Store::patch(const ObjectKey& key, const Edit& edit, const Write& write) {
  TUTTI_ASSIGN(const Slot slot, find_slot(key, 0));
  auto next = clone(**slot);
  edit(*next);
  TUTTI_CHECK(model::key_of(*next) == key && next->meta.uid == (*slot)->meta.uid);
  return replace(slot, std::move(next), write);
}

Result<ObjectPtr> Store::remove(const ObjectKey& key, const Write& write, const Removal& removal) {
  TUTTI_ASSIGN(const Slot slot, find_slot(key, removal.resource_version));
  const Object& current = **slot;
  const bool terminating = current.meta.deletion.has_value();
  std::int64_t grace = grace_asked(current, removal);
  if (terminating) grace = std::min(grace, grace_left(current));
  if (grace == 0 && current.meta.finalizers.empty()) return erase(slot, write);
  if (terminating && grace == grace_left(current)) return *slot;

  auto next = clone(current);
  next->meta.deletion = std::max(later(asked_at(current, write.now), seconds(grace)), write.now);
  next->meta.deletion_grace_seconds = grace;
  return replace(slot, std::move(next), write);
}

ObjectPtr Store::get(const ObjectKey& key) const {
  const auto& of_kind = objects(key.kind);
  const auto at = of_kind.find(key);
  return at == of_kind.end() ? nullptr : *at;
}

const Objects& Store::objects(model::Kind kind) const {
  return objects_[static_cast<std::size_t>(kind)];
}

std::vector<ObjectPtr> Store::list(model::Kind kind, std::string_view ns,
                                   const Predicate& matches) const {
  const auto& of_kind = objects(kind);
  std::vector<ObjectPtr> found;
  for (auto at = of_kind.lower_bound(ObjectKey{kind, std::string(ns), {}, {}}); at != of_kind.end();
       ++at) {
    if (!ns.empty() && (*at)->meta.ns != ns) break;
    if (!matches || matches(**at)) found.push_back(*at);
  }
  return found;
}

Result<std::vector<WatchEvent>> Store::changes_after(std::uint64_t version, std::size_t max) const {
  if (version >= version_) return std::vector<WatchEvent>{};
  const std::uint64_t missing = version_ - version;
  if (missing > history_.size()) {
    return Error{Error::Code::gone,
                 fmt::format("changes after version {} are no longer kept; the oldest follows {}",
                             version, version_ - history_.size())};
  }
  const auto from = history_.end() - static_cast<std::ptrdiff_t>(missing);
  const auto count = std::min<std::uint64_t>(missing, max);
  return std::vector<WatchEvent>(from, from + static_cast<std::ptrdiff_t>(count));
}

void Store::forget_changes(std::uint64_t version) {
  while (!history_.empty() && history_.front().version <= version) history_.pop_front();
}

Result<Store::Slot> Store::find_slot(const ObjectKey& key, std::uint64_t expected_version) {
  auto& of_kind = table(key.kind);
  const auto slot = of_kind.find(key);
  if (slot == of_kind.end()) return not_found(key);
  const std::uint64_t present = (*slot)->meta.resource_version;
  if (expected_version != 0 && expected_version != present) {
    return Error{Error::Code::conflict,
                 fmt::format("{} was changed meanwhile: its version is {}, not {}",
                             model::describe(key), present, expected_version)};
  }
  return slot;
}

// Puts the new state in place, or takes the object away when it was terminating and the last thing
// that held it is gone.
ObjectPtr Store::replace(Slot slot, std::shared_ptr<Object> object, const Write& write) {
  if (object->meta.deletion && !held(*object)) return erase(slot, write);
  object->meta.resource_version = version_ + 1;
  ObjectPtr next = std::move(object);
  auto& objects = table(next->kind);
  const auto following = std::next(slot);
  auto entry = objects.extract(slot);
  ObjectPtr before = std::exchange(entry.value(), next);
  objects.insert(following, std::move(entry));
  append(WatchEvent::Type::modified, std::move(before), next, write);
  return next;
}

ObjectPtr Store::erase(Slot slot, const Write& write) {
  ObjectPtr last = *slot;
  table(last->kind).erase(slot);
  uids_used_.try_emplace(digest_of(model::key_of(*last), options_.seed).value(), 1);
  append(WatchEvent::Type::deleted, last, nullptr, write);
  return last;
}

void Store::append(WatchEvent::Type type, ObjectPtr before, ObjectPtr after, const Write& write) {
  history_.push_back({type, ++version_, std::move(before), std::move(after), write.quiet});
  if (history_.size() > options_.history_max) history_.pop_front();
}

// The next object of the name gets another uid: others may still mean the one that is gone.
std::string Store::fresh_uid(const ObjectKey& key) {
  const std::uint64_t name = digest_of(key, options_.seed).value();
  const auto known = uids_used_.find(name);
  std::uint64_t used = known == uids_used_.end() ? 0 : known->second;
  std::string uid;
  do {
    uid = uid_of(key, options_.seed, used++);
  } while (reserved_uids_.contains(uid));
  if (used > 1) uids_used_[name] = used;
  return uid;
}

}  // namespace tutti::store
