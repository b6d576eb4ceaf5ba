#include "devices/inventory/health.h"

#include <algorithm>

namespace tutti::devices {

bool tolerates(const model::Toleration& toleration, const model::DeviceTaint& taint) {
  using Operator = model::Toleration::Operator;
  if (!toleration.effect.empty() && toleration.effect != taint.effect) return false;
  if (!toleration.key.empty() && toleration.key != taint.key) return false;
  if (toleration.op == Operator::exists) return true;
  return toleration.op == Operator::equal && !toleration.key.empty() &&
         toleration.value == taint.value;
}

bool tolerated(const model::DeviceTaint& taint, std::span<const model::Toleration> tolerations) {
  return std::ranges::any_of(tolerations,
                             [&](const auto& toleration) { return tolerates(toleration, taint); });
}

const model::DeviceTaint* forbidding_taint(const DeviceEntry& entry,
                                           std::span<const model::Toleration> tolerations) {
  for (const auto& taint : entry.taints) {
    if (taint.effect != "NoSchedule" && taint.effect != "NoExecute") continue;
    if (!tolerated(taint, tolerations)) return &taint;
  }
  return nullptr;
}

std::string text_of(const model::DeviceTaint& taint) {
  std::string text = taint.key;
  if (!taint.value.empty()) text += "=" + taint.value;
  return text + ":" + taint.effect;
}

}  // namespace tutti::devices
