// Looking into documents whose kind nobody has decoded. What is absent or of another type reads as
// the default: the operator whose kind it is has checked it.
#pragma once

#include <initializer_list>

#include "base/std.h"
#include "wire/value.h"

namespace tutti::controllers {

using Names = std::initializer_list<std::string_view>;

const wire::Value* at(const wire::Value& value, Names path);
std::string text_at(const wire::Value& value, Names path, std::string_view otherwise = {});
std::string name_of(const wire::Value& document);
std::int32_t number_at(const wire::Value& value, Names path, std::int32_t otherwise);
bool flag_at(const wire::Value& value, Names path);
std::span<const wire::Value> items_at(const wire::Value& value, Names path);
std::span<const wire::Member> members_at(const wire::Value& value, Names path);

}  // namespace tutti::controllers
