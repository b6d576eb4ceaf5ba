#include "controllers/controller.h"

namespace tutti::controllers {

bool Controller::work() {
  collect_due();
  if (due_.empty()) return false;
  const auto keys = std::exchange(due_, {});
  for (const auto& key : keys) reconcile(key);
  return true;
}

std::optional<Instant> Controller::next_due() const {
  if (!due_.empty()) return cluster_.now();
  if (agenda_.empty()) return std::nullopt;
  return agenda_.begin()->first;
}

void Controller::look_at(const model::ObjectKey& key, Instant when) {
  const auto [known, added] = appointments_.try_emplace(key, when);
  if (!added) {
    if (known->second <= when) return;
    agenda_.erase({known->second, key});
    known->second = when;
  }
  agenda_.emplace(when, key);
}

void Controller::collect_due() {
  while (!agenda_.empty() && agenda_.begin()->first <= cluster_.now()) {
    appointments_.erase(agenda_.begin()->second);
    due_.insert(std::move(agenda_.extract(agenda_.begin()).value().second));
  }
}

}  // namespace tutti::controllers
