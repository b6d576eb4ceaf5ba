#include "kube/client/feature_gates.h"

#include <algorithm>
#include <utility>

namespace tutti::kube {
namespace {

constexpr std::string_view kMetric = "kubernetes_feature_enabled{";
constexpr std::string_view kName = "name=\"";

}  // namespace

FeatureGates parse_feature_gates(std::string_view metrics) {
  FeatureGates gates;
  while (!metrics.empty()) {
    const std::string_view line = metrics.substr(0, metrics.find('\n'));
    metrics.remove_prefix(std::min(line.size() + 1, metrics.size()));
    if (!line.starts_with(kMetric)) continue;
    const std::size_t name = line.find(kName);
    const std::size_t value = line.rfind(' ');
    if (name == std::string_view::npos || value == std::string_view::npos) continue;
    const std::string_view rest = line.substr(name + kName.size());
    gates[std::string(rest.substr(0, rest.find('"')))] = line.substr(value + 1) == "1";
  }
  return gates;
}

void read_feature_gates(ApiClient& client,
                        std::function<void(std::optional<FeatureGates>)> handler) {
  Call call;
  call.path = "/metrics";
  client.call(std::move(call), [handler = std::move(handler)](const Answer& answer) {
    if (!answer.ok()) return handler(std::nullopt);
    FeatureGates gates = parse_feature_gates(answer.body);
    handler(gates.empty() ? std::nullopt : std::optional(std::move(gates)));
  });
}

}  // namespace tutti::kube
