#include "config/shipped.h"

#include <algorithm>
#include <array>

namespace tutti::config {
namespace {

struct Shipped {
  std::string_view name;
  std::string_view text;
};

// Small work goes to nodes whose devices are in use already, so that whole nodes stay free for
// large gangs. Devices count more than cpu and memory; what would spread work evenly is off.
constexpr std::string_view kPackGpus = R"(apiVersion: kubescheduler.config.k8s.io/v1
kind: KubeSchedulerConfiguration
profiles:
  - schedulerName: tutti
    plugins:
      score:
        disabled:
          - name: NodeResourcesBalancedAllocation
        enabled:
          - {name: NodeResourcesFit, weight: 10}
    pluginConfig:
      - name: NodeResourcesFit
        args:
          scoringStrategy:
            type: MostAllocated
            resources:
              - {name: nvidia.com/gpu, weight: 100}
              - {name: amd.com/gpu, weight: 100}
              - {name: gpu.intel.com/i915, weight: 100}
              - {name: google.com/tpu, weight: 100}
              - {name: aws.amazon.com/neuron, weight: 100}
              - {name: cpu, weight: 1}
              - {name: memory, weight: 1}
)";

constexpr std::array kShipped = {Shipped{"pack-gpus", kPackGpus}};

}  // namespace

std::optional<std::string_view> shipped_config(std::string_view name) {
  const auto found = std::ranges::find(kShipped, name, &Shipped::name);
  if (found == kShipped.end()) return std::nullopt;
  return found->text;
}

std::vector<std::string> shipped_names() {
  std::vector<std::string> names;
  for (const Shipped& shipped : kShipped) names.emplace_back(shipped.name);
  return names;
}

}  // namespace tutti::config
