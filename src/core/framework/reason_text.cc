#include "core/framework/reason_text.h"

#include <fmt/format.h>

namespace tutti::core {

std::string fit_message(const Diagnosis& diagnosis) {
  std::string text = fmt::format("0/{} nodes are available", diagnosis.nodes);
  std::string_view separator = ": ";
  for (const auto& reason : diagnosis.reasons) {
    text += separator;
    text += reason.nodes > 0 ? fmt::format("{} {}", reason.nodes, reason.reason) : reason.reason;
    separator = ", ";
  }
  return text += ".";
}

std::string shortage_text(std::string_view resource) {
  return resource == "pods" ? "Too many pods" : fmt::format("Insufficient {}", resource);
}

std::string binding_failed_text(std::string_view why) {
  return fmt::format("binding failed: {}", why);
}

}  // namespace tutti::core
