#include "sim/script/admit.h"

#include <utility>

#include "admission/validate_update.h"
#include "sim/script/applied.h"
#include "store/typed.h"

namespace tutti::sim {

using admission::FieldProblems;
using model::Kind;
using model::Object;

Admission::Outcome Admission::create(const Object& document, Instant now) {
  auto object = store::clone(document);
  auto problems = complete_new(*object, now);
  return keep(std::move(object), std::move(problems));
}

Admission::Outcome Admission::update(const Object& document) {
  const auto current = objects_.at(model::key_of(document));
  auto object = applied(*current, document);
  auto problems = complete(*object);
  if (problems.empty()) problems = admission::validate_update(*current, *object);
  return keep(std::move(object), std::move(problems));
}

void Admission::remove(const model::ObjectKey& key) {
  objects_.erase(key);
  limit_ranges().remove(key);
  if (key.kind == Kind::priority_class) forget_priority_classes();
}

const Object* Admission::find(const model::ObjectKey& key) const {
  const auto at = objects_.find(key);
  return at == objects_.end() ? nullptr : at->second.get();
}

std::vector<const Object*> Admission::all_of(Kind kind) const {
  std::vector<const Object*> found;
  for (auto at = objects_.lower_bound({kind, {}, {}, {}});
       at != objects_.end() && at->first.kind == kind; ++at) {
    found.push_back(at->second.get());
  }
  return found;
}

bool Admission::has_any(Kind kind) const {
  const auto first = objects_.lower_bound({kind, {}, {}, {}});
  return first != objects_.end() && first->first.kind == kind;
}

Admission::Outcome Admission::keep(std::shared_ptr<Object> object, FieldProblems problems) {
  if (!problems.empty()) return {nullptr, std::move(problems)};
  if (object->kind == Kind::priority_class) forget_priority_classes();
  if (copied_ == Copied::no) limit_ranges().set(*object);
  objects_.insert_or_assign(model::key_of(*object), object);
  return {std::move(object), {}};
}

}  // namespace tutti::sim
