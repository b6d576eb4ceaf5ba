// The fields of policy/v1.
// All that any release of Kubernetes from 1.20 to 1.37 has.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kPolicyFields = R"fields(
version policy/v1
kinds PodDisruptionBudget
PodDisruptionBudget: apiVersion kind metadata:ObjectMeta spec:PodDisruptionBudgetSpec
    status:PodDisruptionBudgetStatus
PodDisruptionBudgetSpec: maxUnavailable minAvailable selector:LabelSelector
    unhealthyPodEvictionPolicy
PodDisruptionBudgetStatus: conditions:Condition currentHealthy desiredHealthy disruptedPods
    disruptionsAllowed expectedPods observedGeneration
)fields";

}  // namespace tutti::wire
