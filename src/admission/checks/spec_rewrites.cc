#include "admission/checks/spec_rewrites.h"

namespace tutti::admission {

SpecRewrites::SharedSpec SpecRewrites::rewritten(const SharedSpec& source, std::string variant,
                                                 const std::function<void(model::PodSpec&)>& edit) {
  const auto [at, is_new] = known_.try_emplace({source, std::move(variant)}, source);
  if (!is_new) return at->second;
  auto edited = std::make_shared<model::PodSpec>(*source);
  edit(*edited);
  if (*edited != *source) at->second = std::move(edited);
  return at->second;
}

}  // namespace tutti::admission
