#include "controllers/workloads/document.h"

#include <algorithm>
#include <limits>

namespace tutti::controllers {

using wire::Value;

const Value* at(const Value& value, Names path) {
  const Value* found = &value;
  for (const std::string_view name : path) {
    if (found != nullptr) found = found->find(name);
  }
  return found != nullptr && !found->is_null() ? found : nullptr;
}

std::string text_at(const Value& value, Names path, std::string_view otherwise) {
  const Value* found = at(value, path);
  return std::string(found != nullptr && found->is_string() ? found->text() : otherwise);
}

std::string name_of(const wire::Value& document) { return text_at(document, {"metadata", "name"}); }

std::int32_t number_at(const Value& value, Names path, std::int32_t otherwise) {
  const Value* found = at(value, path);
  if (found == nullptr || !found->is_integer()) return otherwise;
  constexpr std::int64_t kMost = std::numeric_limits<std::int32_t>::max();
  return static_cast<std::int32_t>(std::clamp<std::int64_t>(found->as_integer(), 0, kMost));
}

bool flag_at(const Value& value, Names path) {
  const Value* found = at(value, path);
  return found != nullptr && found->is_boolean() && found->as_boolean();
}

std::span<const Value> items_at(const Value& value, Names path) {
  const Value* found = at(value, path);
  return found != nullptr && found->is_array() ? found->items() : std::span<const Value>();
}

std::span<const wire::Member> members_at(const Value& value, Names path) {
  const Value* found = at(value, path);
  return found != nullptr && found->is_object() ? found->members()
                                                : std::span<const wire::Member>();
}

}  // namespace tutti::controllers
