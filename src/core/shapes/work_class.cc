#include "core/shapes/work_class.h"

#include <algorithm>

namespace tutti::core {
namespace {

WorkClass word(const model::Labels& words) {
  const std::string* text = model::find(words, kWorkClass);
  return text != nullptr ? work_class_named(*text) : WorkClass::none;
}

}  // namespace

WorkClass work_class_named(std::string_view text) {
  const auto at = std::ranges::find(kWorkClassNames, text);
  return at == kWorkClassNames.end() ? WorkClass::none
                                     : static_cast<WorkClass>(at - kWorkClassNames.begin());
}

ClassWords class_words(const model::ObjectMeta& meta) {
  return {word(meta.annotations), word(meta.labels)};
}

WorkClass declared_class(const ClassWords& pod, const ClassWords& group) {
  for (const WorkClass said : {pod.annotation, group.annotation, pod.label, group.label}) {
    if (said != WorkClass::none) return said;
  }
  return WorkClass::none;
}

}  // namespace tutti::core
