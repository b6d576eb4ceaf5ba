// The fields of resource.k8s.io.
// All that any release of Kubernetes from 1.20 to 1.37 has.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kResourceFields = R"fields(
version resource.k8s.io/v1beta1
kinds DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice
AllocatedDeviceStatus: conditions:Condition data device driver networkData:NetworkDeviceData pool
    shareID
AllocationResult: allocationTimestamp devices:DeviceAllocationResult nodeSelector:NodeSelector
BasicDevice: allNodes allowMultipleAllocations attributes:*DeviceAttribute bindingConditions
    bindingFailureConditions bindsToNode capacity:*DeviceCapacity
    consumesCounters:DeviceCounterConsumption
    nodeAllocatableResourceMappings:*NodeAllocatableResourceMapping
    nodeAllocatableResources:*NodeAllocatableResource nodeName nodeSelector:NodeSelector
    taints:DeviceTaint
CELDeviceSelector: expression
CapacityRequestPolicy: default validRange:CapacityRequestPolicyRange validValues
CapacityRequestPolicyRange: max min step
CapacityRequirements: requests
Counter: value
CounterSet: counters:*Counter name
Device: basic:BasicDevice name
DeviceAllocationConfiguration: opaque:OpaqueDeviceConfiguration requests source
DeviceAllocationResult: config:DeviceAllocationConfiguration results:DeviceRequestAllocationResult
DeviceAttribute: bool bools int ints string strings version versions
DeviceCapacity: requestPolicy:CapacityRequestPolicy value
DeviceClaim: config:DeviceClaimConfiguration constraints:DeviceConstraint requests:DeviceRequest
DeviceClaimConfiguration: opaque:OpaqueDeviceConfiguration requests
DeviceClass: apiVersion kind metadata:ObjectMeta spec:DeviceClassSpec
DeviceClassConfiguration: opaque:OpaqueDeviceConfiguration
DeviceClassSpec: config:DeviceClassConfiguration extendedResourceName selectors:DeviceSelector
DeviceConstraint: distinctAttribute matchAttribute requests
DeviceCounterConsumption: compatibilityGroups counterSet counters:*Counter
DeviceDerivedAttribute: expression name
DeviceRequest: adminAccess allocationMode capacity:CapacityRequirements count
    derivedAttributes:DeviceDerivedAttribute deviceClassName firstAvailable:DeviceSubRequest name
    selectors:DeviceSelector tolerations:DeviceToleration
DeviceRequestAllocationResult: adminAccess bindingConditions bindingFailureConditions
    consumedCapacity device driver pool request shareID skipNodeOperations
    tolerations:DeviceToleration
DeviceSelector: cel:CELDeviceSelector
DeviceSubRequest: allocationMode capacity:CapacityRequirements count
    derivedAttributes:DeviceDerivedAttribute deviceClassName name selectors:DeviceSelector
    tolerations:DeviceToleration
DeviceTaint: effect key timeAdded value
DeviceToleration: effect key operator tolerationSeconds value
NetworkDeviceData: hardwareAddress interfaceName ips
NodeAllocatableMapping: capacityKey capacityMultiplier deviceMultiplier
NodeAllocatableOverhead: perContainer perPod
NodeAllocatableResource: mapping:NodeAllocatableMapping overhead:NodeAllocatableOverhead
NodeAllocatableResourceMapping: allocationMultiplier capacityKey
OpaqueDeviceConfiguration: driver parameters
ResourceClaim: apiVersion kind metadata:ObjectMeta spec:ResourceClaimSpec
    status:ResourceClaimStatus
ResourceClaimConsumerReference: apiGroup name resource uid
ResourceClaimSpec: devices:DeviceClaim
ResourceClaimStatus: allocation:AllocationResult devices:AllocatedDeviceStatus
    reservedFor:ResourceClaimConsumerReference
ResourceClaimTemplate: apiVersion kind metadata:ObjectMeta spec:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec: metadata:ObjectMeta spec:ResourceClaimSpec
ResourcePool: generation name resourceSliceCount
ResourceSlice: apiVersion kind metadata:ObjectMeta spec:ResourceSliceSpec
ResourceSliceSpec: allNodes devices:Device driver nodeName nodeSelector:NodeSelector
    partitionTypeAttribute perDeviceNodeSelection pool:ResourcePool sharedCounters:CounterSet
    skipNodeOperations
version resource.k8s.io/v1beta2
kinds DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice DeviceTaintRule
AllocatedDeviceStatus: conditions:Condition data device driver networkData:NetworkDeviceData pool
    shareID
AllocationResult: allocationTimestamp devices:DeviceAllocationResult nodeSelector:NodeSelector
CELDeviceSelector: expression
CapacityRequestPolicy: default validRange:CapacityRequestPolicyRange validValues
CapacityRequestPolicyRange: max min step
CapacityRequirements: requests
Counter: value
CounterSet: counters:*Counter name
Device: allNodes allowMultipleAllocations attributes:*DeviceAttribute bindingConditions
    bindingFailureConditions bindsToNode capacity:*DeviceCapacity
    consumesCounters:DeviceCounterConsumption name
    nodeAllocatableResourceMappings:*NodeAllocatableResourceMapping
    nodeAllocatableResources:*NodeAllocatableResource nodeName nodeSelector:NodeSelector
    taints:DeviceTaint
DeviceAllocationConfiguration: opaque:OpaqueDeviceConfiguration requests source
DeviceAllocationResult: config:DeviceAllocationConfiguration results:DeviceRequestAllocationResult
DeviceAttribute: bool bools int ints string strings version versions
DeviceCapacity: requestPolicy:CapacityRequestPolicy value
DeviceClaim: config:DeviceClaimConfiguration constraints:DeviceConstraint requests:DeviceRequest
DeviceClaimConfiguration: opaque:OpaqueDeviceConfiguration requests
DeviceClass: apiVersion kind metadata:ObjectMeta spec:DeviceClassSpec
DeviceClassConfiguration: opaque:OpaqueDeviceConfiguration
DeviceClassSpec: config:DeviceClassConfiguration extendedResourceName selectors:DeviceSelector
DeviceConstraint: distinctAttribute matchAttribute requests
DeviceCounterConsumption: compatibilityGroups counterSet counters:*Counter
DeviceDerivedAttribute: expression name
DeviceRequest: exactly:ExactDeviceRequest firstAvailable:DeviceSubRequest name
DeviceRequestAllocationResult: adminAccess bindingConditions bindingFailureConditions
    consumedCapacity device driver pool request shareID skipNodeOperations
    tolerations:DeviceToleration
DeviceSelector: cel:CELDeviceSelector
DeviceSubRequest: allocationMode capacity:CapacityRequirements count
    derivedAttributes:DeviceDerivedAttribute deviceClassName name selectors:DeviceSelector
    tolerations:DeviceToleration
DeviceTaint: effect key timeAdded value
DeviceTaintRule: apiVersion kind metadata:ObjectMeta spec:DeviceTaintRuleSpec
    status:DeviceTaintRuleStatus
DeviceTaintRuleSpec: deviceSelector:DeviceTaintSelector taint:DeviceTaint
DeviceTaintRuleStatus: conditions:Condition
DeviceTaintSelector: device driver pool
DeviceToleration: effect key operator tolerationSeconds value
ExactDeviceRequest: adminAccess allocationMode capacity:CapacityRequirements count
    derivedAttributes:DeviceDerivedAttribute deviceClassName selectors:DeviceSelector
    tolerations:DeviceToleration
NetworkDeviceData: hardwareAddress interfaceName ips
NodeAllocatableMapping: capacityKey capacityMultiplier deviceMultiplier
NodeAllocatableOverhead: perContainer perPod
NodeAllocatableResource: mapping:NodeAllocatableMapping overhead:NodeAllocatableOverhead
NodeAllocatableResourceMapping: allocationMultiplier capacityKey
OpaqueDeviceConfiguration: driver parameters
ResourceClaim: apiVersion kind metadata:ObjectMeta spec:ResourceClaimSpec
    status:ResourceClaimStatus
ResourceClaimConsumerReference: apiGroup name resource uid
ResourceClaimSpec: devices:DeviceClaim
ResourceClaimStatus: allocation:AllocationResult devices:AllocatedDeviceStatus
    reservedFor:ResourceClaimConsumerReference
ResourceClaimTemplate: apiVersion kind metadata:ObjectMeta spec:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec: metadata:ObjectMeta spec:ResourceClaimSpec
ResourcePool: generation name resourceSliceCount
ResourceSlice: apiVersion kind metadata:ObjectMeta spec:ResourceSliceSpec
ResourceSliceSpec: allNodes devices:Device driver nodeName nodeSelector:NodeSelector
    partitionTypeAttribute perDeviceNodeSelection pool:ResourcePool sharedCounters:CounterSet
    skipNodeOperations
version resource.k8s.io/v1
kinds DeviceClass ResourceClaim ResourceClaimTemplate ResourceSlice DeviceTaintRule
AllocatedDeviceStatus: conditions:Condition data device driver networkData:NetworkDeviceData pool
    shareID
AllocationResult: allocationTimestamp devices:DeviceAllocationResult nodeSelector:NodeSelector
CELDeviceSelector: expression
CapacityRequestPolicy: default validRange:CapacityRequestPolicyRange validValues
CapacityRequestPolicyRange: max min step
CapacityRequirements: requests
Counter: value
CounterSet: counters:*Counter name
Device: allNodes allowMultipleAllocations attributes:*DeviceAttribute bindingConditions
    bindingFailureConditions bindsToNode capacity:*DeviceCapacity
    consumesCounters:DeviceCounterConsumption name
    nodeAllocatableResourceMappings:*NodeAllocatableResourceMapping
    nodeAllocatableResources:*NodeAllocatableResource nodeName nodeSelector:NodeSelector
    taints:DeviceTaint
DeviceAllocationConfiguration: opaque:OpaqueDeviceConfiguration requests source
DeviceAllocationResult: config:DeviceAllocationConfiguration results:DeviceRequestAllocationResult
DeviceAttribute: bool bools int ints string strings version versions
DeviceCapacity: requestPolicy:CapacityRequestPolicy value
DeviceClaim: config:DeviceClaimConfiguration constraints:DeviceConstraint requests:DeviceRequest
DeviceClaimConfiguration: opaque:OpaqueDeviceConfiguration requests
DeviceClass: apiVersion kind metadata:ObjectMeta spec:DeviceClassSpec
DeviceClassConfiguration: opaque:OpaqueDeviceConfiguration
DeviceClassSpec: config:DeviceClassConfiguration extendedResourceName selectors:DeviceSelector
DeviceConstraint: distinctAttribute matchAttribute requests
DeviceCounterConsumption: compatibilityGroups counterSet counters:*Counter
DeviceDerivedAttribute: expression name
DeviceRequest: exactly:ExactDeviceRequest firstAvailable:DeviceSubRequest name
DeviceRequestAllocationResult: adminAccess bindingConditions bindingFailureConditions
    consumedCapacity device driver pool request shareID skipNodeOperations
    tolerations:DeviceToleration
DeviceSelector: cel:CELDeviceSelector
DeviceSubRequest: allocationMode capacity:CapacityRequirements count
    derivedAttributes:DeviceDerivedAttribute deviceClassName name selectors:DeviceSelector
    tolerations:DeviceToleration
DeviceTaint: effect key timeAdded value
DeviceTaintRule: apiVersion kind metadata:ObjectMeta spec:DeviceTaintRuleSpec
    status:DeviceTaintRuleStatus
DeviceTaintRuleSpec: deviceSelector:DeviceTaintSelector taint:DeviceTaint
DeviceTaintRuleStatus: conditions:Condition
DeviceTaintSelector: device driver pool
DeviceToleration: effect key operator tolerationSeconds value
ExactDeviceRequest: adminAccess allocationMode capacity:CapacityRequirements count
    derivedAttributes:DeviceDerivedAttribute deviceClassName selectors:DeviceSelector
    tolerations:DeviceToleration
NetworkDeviceData: hardwareAddress interfaceName ips
NodeAllocatableMapping: capacityKey capacityMultiplier deviceMultiplier
NodeAllocatableOverhead: perContainer perPod
NodeAllocatableResource: mapping:NodeAllocatableMapping overhead:NodeAllocatableOverhead
NodeAllocatableResourceMapping: allocationMultiplier capacityKey
OpaqueDeviceConfiguration: driver parameters
ResourceClaim: apiVersion kind metadata:ObjectMeta spec:ResourceClaimSpec
    status:ResourceClaimStatus
ResourceClaimConsumerReference: apiGroup name resource uid
ResourceClaimSpec: devices:DeviceClaim
ResourceClaimStatus: allocation:AllocationResult devices:AllocatedDeviceStatus
    reservedFor:ResourceClaimConsumerReference
ResourceClaimTemplate: apiVersion kind metadata:ObjectMeta spec:ResourceClaimTemplateSpec
ResourceClaimTemplateSpec: metadata:ObjectMeta spec:ResourceClaimSpec
ResourcePool: generation name resourceSliceCount
ResourceSlice: apiVersion kind metadata:ObjectMeta spec:ResourceSliceSpec
ResourceSliceSpec: allNodes devices:Device driver nodeName nodeSelector:NodeSelector
    partitionTypeAttribute perDeviceNodeSelection pool:ResourcePool sharedCounters:CounterSet
    skipNodeOperations
)fields";

}  // namespace tutti::wire
