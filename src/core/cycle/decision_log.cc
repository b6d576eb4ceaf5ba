#include "core/cycle/decision_log.h"

namespace tutti::core {

void DecisionLog::add(const Decision& decision) {
  digest_.add(static_cast<std::uint64_t>(decision.at.time_since_epoch().count()));
  digest_.add(static_cast<std::uint64_t>(decision.kind));
  digest_.add(decision.entity);
  for (const auto& [pod, node] : decision.bindings) {
    digest_.add(pod);
    digest_.add(node);
  }
  digest_.add(decision.message);
  if (listener_ != nullptr) listener_->decided(decision);
}

}  // namespace tutti::core
