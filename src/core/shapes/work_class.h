// The class of work a pod says it is: tutti.dev/class, as annotation or label of the pod or of its
// PodGroup. What nobody declared is no class; guessing by the kind of the owner is for whoever
// weighs victims (victim_cost.h), not for placement.
#pragma once

#include <array>

#include "base/std.h"
#include "model/object.h"

namespace tutti::core {

inline constexpr std::string_view kWorkClass = "tutti.dev/class";

enum class WorkClass : std::uint8_t { none, training, inference, batch };
inline constexpr std::size_t kWorkClassCount = 4;

inline constexpr std::array<std::string_view, kWorkClassCount> kWorkClassNames = {
    "", "training", "inference", "batch"};
constexpr std::string_view name_of(WorkClass work) {
  return kWorkClassNames[static_cast<std::size_t>(work)];
}

// none: not the name of a class.
WorkClass work_class_named(std::string_view text);

// What one object says of itself.
struct ClassWords {
  WorkClass annotation = WorkClass::none;
  WorkClass label = WorkClass::none;
  bool operator==(const ClassWords&) const = default;
};
ClassWords class_words(const model::ObjectMeta& meta);

// Annotations go before labels, and the pod's before its group's.
WorkClass declared_class(const ClassWords& pod, const ClassWords& group);

}  // namespace tutti::core
