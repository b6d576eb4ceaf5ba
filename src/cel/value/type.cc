#include "cel/value/type.h"

namespace tutti::cel {

std::string Type::text() const {
  std::string text = name_;
  if (parameters_.empty()) return text;
  text += '(';
  for (std::size_t i = 0; i < parameters_.size(); ++i) {
    if (i > 0) text += ", ";
    text += parameters_[i].text();
  }
  return text + ')';
}

}  // namespace tutti::cel
