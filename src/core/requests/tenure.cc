#include "core/requests/tenure.h"

#include "model/quota_annotations.h"

namespace tutti::core {

using quota::Tenure;

std::optional<bool> opportunistic_by(const model::Labels& annotations) {
  const std::string* said = model::find(annotations, model::kOpportunistic);
  if (said == nullptr || (*said != "true" && *said != "false")) return std::nullopt;
  return *said == "true";
}

Tenure declared_tenure(const model::AdmissionRequest& request, bool by_queue) {
  std::optional<bool> said = opportunistic_by(request.meta.annotations);
  for (const model::PodSet& set : request.spec.pod_sets) {
    if (!said) said = opportunistic_by(set.pods.annotations);
  }
  if (said.value_or(by_queue)) return Tenure::opportunistic;
  const std::string* tenure = model::find(request.meta.annotations, model::kTenure);
  if (tenure == nullptr) return Tenure::ordinary;
  if (*tenure == quota::word(Tenure::guaranteed)) return Tenure::guaranteed;
  return *tenure == quota::word(Tenure::burst) ? Tenure::burst : Tenure::ordinary;
}

}  // namespace tutti::core
