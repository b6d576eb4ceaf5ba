#include "upkeep/parts.h"

#include <algorithm>

namespace tutti::upkeep {
namespace {

constexpr const char* kStamping = "stamping";
constexpr const char* kProtection = "protection";
constexpr const char* kQueues = "queues";

Part stamping(const kube::Served& served) {
  if (served.workloads.empty() || served.pod_groups.empty()) {
    return {kStamping, false, "the cluster serves no Workloads"};
  }
  return {kStamping, true, "no release of Kubernetes makes PodGroups of hand-written Workloads"};
}

Part protection(const kube::Served& served) {
  if (served.pod_groups.empty()) return {kProtection, false, "the cluster serves no PodGroups"};
  return {kProtection, true,
          "in case kube-controller-manager does not: deleted groups that were free for 30 s"};
}

Part jobs(const kube::Served& served, const std::optional<kube::FeatureGates>& gates) {
  if (served.pod_groups.empty()) {
    return {"jobs", false, "without PodGroups tutti scheduler groups their pods in memory"};
  }
  const auto gate = gates ? gates->find("WorkloadWithJob") : kube::FeatureGates::const_iterator{};
  if (gates && (gate == gates->end() || !gate->second)) {
    return {"jobs", false,
            "the gate WorkloadWithJob is off: tutti scheduler groups their pods in memory"};
  }
  return {"jobs", false, "kube-controller-manager makes their PodGroups"};
}

Part queues_part(const QueueFacts& queues) {
  if (!queues.served)
    return {kQueues, false, "the cluster serves no queues of Kueue that we may read"};
  if (queues.kueue_at_work) return {kQueues, false, "Kueue's manager starts and stops their work"};
  return {kQueues, true, "nobody else starts and stops work that waits in queues"};
}

}  // namespace

std::vector<std::string> part_names() { return {kStamping, kProtection, kQueues}; }

std::vector<Part> choose_parts(const kube::Served& served,
                               const std::optional<kube::FeatureGates>& gates,
                               const QueueFacts& queues, const std::vector<std::string>& asked) {
  std::vector<Part> parts = {stamping(served),
                             protection(served),
                             queues_part(queues),
                             jobs(served, gates),
                             {"claims", false, "kube-controller-manager makes those of PodGroups"}};
  for (Part& part : parts) {
    const bool wanted = asked.empty() || std::ranges::find(asked, part.name) != asked.end();
    if (part.done && !wanted) part = {part.name, false, "not among --parts"};
  }
  return parts;
}

}  // namespace tutti::upkeep
