// Which feature gates an API server runs with, as its metrics tell those who may read them.
#pragma once

#include <functional>
#include <map>

#include "base/std.h"
#include "kube/client/api_client.h"

namespace tutti::kube {

using FeatureGates = std::map<std::string, bool, std::less<>>;

// From the text of /metrics.
FeatureGates parse_feature_gates(std::string_view metrics);

// Empty: the server does not say, or not to us.
void read_feature_gates(ApiClient& client,
                        std::function<void(std::optional<FeatureGates>)> handler);

}  // namespace tutti::kube
