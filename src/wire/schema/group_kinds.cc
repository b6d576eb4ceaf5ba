// The kinds of the API groups that Kubernetes brings, by every release from 1.20 to 1.37.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kGroupKinds = R"fields(
group core: Binding ComponentStatus ConfigMap Endpoints EphemeralContainers Event LimitRange List
    Namespace Node PersistentVolume PersistentVolumeClaim Pod PodStatusResult PodTemplate
    RangeAllocation ReplicationController ResourceQuota Secret SerializedReference Service
    ServiceAccount
group admission.k8s.io: AdmissionReview
group admissionregistration.k8s.io: MutatingAdmissionPolicy MutatingAdmissionPolicyBinding
    MutatingWebhookConfiguration ValidatingAdmissionPolicy ValidatingAdmissionPolicyBinding
    ValidatingWebhookConfiguration
group apidiscovery.k8s.io: APIGroupDiscovery
group apps: ControllerRevision DaemonSet Deployment DeploymentRollback ReplicaSet Scale
    StatefulSet
group authentication.k8s.io: SelfSubjectReview TokenRequest TokenReview
group authorization.k8s.io: LocalSubjectAccessReview SelfSubjectAccessReview
    SelfSubjectRulesReview SubjectAccessReview
group autoscaling: HorizontalPodAutoscaler Scale
group batch: CronJob Job JobTemplate
group certificates.k8s.io: CertificateSigningRequest ClusterTrustBundle PodCertificateRequest
group coordination.k8s.io: Lease LeaseCandidate
group discovery.k8s.io: EndpointSlice
group events.k8s.io: Event
group extensions: DaemonSet Deployment DeploymentRollback Ingress NetworkPolicy PodSecurityPolicy
    ReplicaSet Scale
group flowcontrol.apiserver.k8s.io: FlowSchema PriorityLevelConfiguration
group imagepolicy.k8s.io: ImageReview
group internal.apiserver.k8s.io: StorageVersion
group lifecycle.k8s.io: Eviction EvictionRequest
group networking.k8s.io: ClusterCIDR IPAddress Ingress IngressClass NetworkPolicy ServiceCIDR
group node.k8s.io: RuntimeClass
group policy: Eviction PodDisruptionBudget PodSecurityPolicy
group rbac.authorization.k8s.io: ClusterRole ClusterRoleBinding Role RoleBinding
group resource.k8s.io: DeviceClass DeviceTaintRule PodScheduling PodSchedulingContext
    ResourceClaim ResourceClaimParameters ResourceClaimTemplate ResourceClass
    ResourceClassParameters ResourcePoolStatusRequest ResourceSlice
group scheduling.k8s.io: CompositePodGroup PodGroup PriorityClass Workload
group storage.k8s.io: CSIDriver CSINode CSIStorageCapacity StorageClass VolumeAttachment
    VolumeAttributesClass
group storagemigration.k8s.io: StorageVersionMigration
)fields";

}  // namespace tutti::wire
