// The fields of coordination.k8s.io/v1.
// All that any release of Kubernetes from 1.20 to 1.37 has.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kCoordinationFields = R"fields(
version coordination.k8s.io/v1
kinds Lease
Lease: apiVersion kind metadata:ObjectMeta spec:LeaseSpec
LeaseSpec: acquireTime holderIdentity leaseDurationSeconds leaseTransitions preferredHolder
    renewTime strategy
)fields";

}  // namespace tutti::wire
