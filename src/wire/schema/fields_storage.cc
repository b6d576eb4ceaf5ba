// The fields of storage.k8s.io/v1.
// All that any release of Kubernetes from 1.20 to 1.37 has.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kStorageFields = R"fields(
version storage.k8s.io/v1
kinds StorageClass CSINode CSIDriver CSIStorageCapacity VolumeAttachment
CSIDriver: apiVersion kind metadata:ObjectMeta spec:CSIDriverSpec
CSIDriverSpec: attachRequired fsGroupPolicy nodeAllocatableUpdatePeriodSeconds podInfoOnMount
    preventPodSchedulingIfMissing requiresRepublish seLinuxMount serviceAccountTokenInSecrets
    storageCapacity tokenRequests:TokenRequest volumeLifecycleModes
CSINode: apiVersion kind metadata:ObjectMeta spec:CSINodeSpec status:CSINodeStatus
CSINodeDriver: allocatable:VolumeNodeResources name nodeID topologyKeys
CSINodeSpec: drivers:CSINodeDriver
CSINodeStatus: storageHealth:StorageHealth
CSIStorageCapacity: apiVersion capacity kind maximumVolumeSize metadata:ObjectMeta
    nodeTopology:LabelSelector storageClassName
StorageClass: allowVolumeExpansion allowedTopologies:TopologySelectorTerm apiVersion kind
    metadata:ObjectMeta mountOptions parameters provisioner reclaimPolicy volumeBindingMode
StorageHealth: healthConditions:StorageHealthCondition name
StorageHealthCondition: accessMode lastTransitionTime message reason status volumeMode
TokenRequest: audience expirationSeconds
VolumeAttachment: apiVersion kind metadata:ObjectMeta spec:VolumeAttachmentSpec
    status:VolumeAttachmentStatus
VolumeAttachmentSource: inlineVolumeSpec:PersistentVolumeSpec persistentVolumeName
VolumeAttachmentSpec: attacher nodeName source:VolumeAttachmentSource
VolumeAttachmentStatus: attachError:VolumeError attached attachmentMetadata
    detachError:VolumeError
VolumeError: errorCode message time
VolumeNodeResources: count
)fields";

}  // namespace tutti::wire
