#include "admission/checks/findings.h"

namespace tutti::admission {

std::string Path::text() const {
  std::string text = parent_ != nullptr ? parent_->text() + "." : std::string();
  text += name_;
  if (index_ != kNoIndex) return text += fmt::format("[{}]", index_);
  if (!key_.empty()) return text += fmt::format("[{}]", key_);
  return text;
}

}  // namespace tutti::admission
