// The fields of v1, and what objects of all kinds have.
// All that any release of Kubernetes from 1.20 to 1.37 has.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kCoreFields = R"fields(
shared
Condition: lastTransitionTime message observedGeneration reason status type
Empty:
LabelSelector: matchExpressions:LabelSelectorRequirement matchLabels
LabelSelectorRequirement: key operator values
ManagedFieldsEntry: apiVersion fieldsType fieldsV1 manager operation subresource time
ObjectMeta: annotations clusterName creationTimestamp deletionGracePeriodSeconds deletionTimestamp
    finalizers generateName generation labels managedFields:ManagedFieldsEntry name namespace
    ownerReferences:OwnerReference resourceVersion selfLink uid
OwnerReference: apiVersion blockOwnerDeletion controller kind name uid
version v1
kinds List Pod Node Namespace Service ReplicationController PersistentVolumeClaim PersistentVolume
    Event LimitRange ResourceQuota PodTemplate
AWSElasticBlockStoreVolumeSource: fsType partition readOnly volumeID
Affinity: nodeAffinity:NodeAffinity podAffinity:PodAffinity podAntiAffinity:PodAntiAffinity
AppArmorProfile: localhostProfile type
AttachedVolume: devicePath name
AzureDiskVolumeSource: cachingMode diskName diskURI fsType kind readOnly
AzureFilePersistentVolumeSource: readOnly secretName secretNamespace shareName
AzureFileVolumeSource: readOnly secretName shareName
CSIPersistentVolumeSource: controllerExpandSecretRef:SecretReference
    controllerPublishSecretRef:SecretReference driver fsType nodeExpandSecretRef:SecretReference
    nodePublishSecretRef:SecretReference nodeStageSecretRef:SecretReference readOnly
    volumeAttributes volumeHandle
CSIVolumeSource: driver fsType nodePublishSecretRef:LocalObjectReference readOnly volumeAttributes
Capabilities: add drop
CephFSPersistentVolumeSource: monitors path readOnly secretFile secretRef:SecretReference user
CephFSVolumeSource: monitors path readOnly secretFile secretRef:LocalObjectReference user
CinderPersistentVolumeSource: fsType readOnly secretRef:SecretReference volumeID
CinderVolumeSource: fsType readOnly secretRef:LocalObjectReference volumeID
ClaimSource: resourceClaimName resourceClaimTemplateName
ClientIPConfig: timeoutSeconds
ClusterTrustBundleProjection: labelSelector:LabelSelector name optional path signerName user
ConfigMapEnvSource: name optional
ConfigMapKeySelector: key name optional
ConfigMapNodeConfigSource: kubeletConfigKey name namespace resourceVersion uid
ConfigMapProjection: items:KeyToPath name optional
ConfigMapVolumeSource: defaultMode defaultUser items:KeyToPath name optional
Container: args command env:EnvVar envFrom:EnvFromSource image imagePullPolicy lifecycle:Lifecycle
    livenessProbe:Probe name ports:ContainerPort readinessProbe:Probe
    resizePolicy:ContainerResizePolicy resources:ResourceRequirements restartPolicy
    restartPolicyRules:ContainerRestartRule securityContext:SecurityContext startupProbe:Probe
    stdin stdinOnce terminationMessagePath terminationMessagePolicy tty volumeDevices:VolumeDevice
    volumeMounts:VolumeMount workingDir
ContainerExtendedResourceRequest: containerName requestName resourceName
ContainerImage: names sizeBytes
ContainerPort: containerPort hostIP hostPort name protocol
ContainerResizePolicy: resourceName restartPolicy
ContainerRestartRule: action exitCodes:ContainerRestartRuleOnExitCodes
ContainerRestartRuleOnExitCodes: operator values
ContainerState: running:ContainerStateRunning terminated:ContainerStateTerminated
    waiting:ContainerStateWaiting
ContainerStateRunning: startedAt
ContainerStateTerminated: containerID exitCode finishedAt message reason signal startedAt
ContainerStateWaiting: message reason
ContainerStatus: allocatedResources allocatedResourcesStatus:ResourceStatus containerID image
    imageID lastState:ContainerState name ready resources:ResourceRequirements restartCount
    started state:ContainerState stopSignal user:ContainerUser volumeMounts:VolumeMountStatus
ContainerUser: linux:LinuxContainerUser
DaemonEndpoint: Port
DownwardAPIProjection: items:DownwardAPIVolumeFile
DownwardAPIVolumeFile: fieldRef:ObjectFieldSelector mode path
    resourceFieldRef:ResourceFieldSelector user
DownwardAPIVolumeSource: defaultMode defaultUser items:DownwardAPIVolumeFile
EmptyDirVolumeSource: medium mode sizeLimit
EnvFromSource: configMapRef:ConfigMapEnvSource prefix secretRef:SecretEnvSource
EnvVar: name value valueFrom:EnvVarSource
EnvVarSource: configMapKeyRef:ConfigMapKeySelector fieldRef:ObjectFieldSelector
    fileKeyRef:FileKeySelector resourceFieldRef:ResourceFieldSelector
    secretKeyRef:SecretKeySelector
EphemeralContainer: args command env:EnvVar envFrom:EnvFromSource image imagePullPolicy
    lifecycle:Lifecycle livenessProbe:Probe name ports:ContainerPort readinessProbe:Probe
    resizePolicy:ContainerResizePolicy resources:ResourceRequirements restartPolicy
    restartPolicyRules:ContainerRestartRule securityContext:SecurityContext startupProbe:Probe
    stdin stdinOnce targetContainerName terminationMessagePath terminationMessagePolicy tty
    volumeDevices:VolumeDevice volumeMounts:VolumeMount workingDir
EphemeralVolumeSource: readOnly volumeClaimTemplate:PersistentVolumeClaimTemplate
Event: action apiVersion count eventTime firstTimestamp involvedObject:ObjectReference kind
    lastTimestamp message metadata:ObjectMeta reason related:ObjectReference reportingComponent
    reportingInstance series:EventSeries source:EventSource type
EventSeries: count lastObservedTime
EventSource: component host
EvictionResponder: name priority
ExecAction: command
FCVolumeSource: fsType lun readOnly targetWWNs wwids
FileKeySelector: key optional path volumeName
FlexPersistentVolumeSource: driver fsType options readOnly secretRef:SecretReference
FlexVolumeSource: driver fsType options readOnly secretRef:LocalObjectReference
FlockerVolumeSource: datasetName datasetUUID
GCEPersistentDiskVolumeSource: fsType partition pdName readOnly
GRPCAction: mode port service
GitRepoVolumeSource: directory repository revision
GlusterfsPersistentVolumeSource: endpoints endpointsNamespace path readOnly
GlusterfsVolumeSource: endpoints path readOnly
HTTPGetAction: host httpHeaders:HTTPHeader path port protocol scheme
HTTPHeader: name value
HostAlias: hostnames ip
HostIP: ip
HostPathVolumeSource: path type
ISCSIPersistentVolumeSource: chapAuthDiscovery chapAuthSession fsType initiatorName iqn
    iscsiInterface lun portals readOnly secretRef:SecretReference targetPortal
ISCSIVolumeSource: chapAuthDiscovery chapAuthSession fsType initiatorName iqn iscsiInterface lun
    portals readOnly secretRef:LocalObjectReference targetPortal
ImageVolumeSource: pullPolicy reference
ImageVolumeStatus: imageRef
KeyToPath: key mode path user
Lifecycle: postStart:LifecycleHandler preStop:LifecycleHandler stopSignal
LifecycleHandler: exec:ExecAction httpGet:HTTPGetAction sleep:SleepAction
    tcpSocket:TCPSocketAction
LimitRange: apiVersion kind metadata:ObjectMeta spec:LimitRangeSpec
LimitRangeItem: default defaultRequest max maxLimitRequestRatio min type
LimitRangeSpec: limits:LimitRangeItem
LinuxContainerUser: gid supplementalGroups uid
LoadBalancerIngress: hostname ip ipMode ports:PortStatus
LoadBalancerStatus: ingress:LoadBalancerIngress
List: apiVersion items kind metadata
LocalObjectReference: name
LocalVolumeSource: fsType path
ModifyVolumeStatus: status targetVolumeAttributesClassName
NFSVolumeSource: path readOnly server
Namespace: apiVersion kind metadata:ObjectMeta spec:NamespaceSpec status:NamespaceStatus
NamespaceCondition: lastTransitionTime message reason status type
NamespaceSpec: finalizers
NamespaceStatus: conditions:NamespaceCondition phase
Node: apiVersion kind metadata:ObjectMeta spec:NodeSpec status:NodeStatus
NodeAddress: address type
NodeAffinity: preferredDuringSchedulingIgnoredDuringExecution:PreferredSchedulingTerm
    requiredDuringSchedulingIgnoredDuringExecution:NodeSelector
NodeAllocatableMappedResources: name quantity
NodeAllocatableOverheadResources: name perContainer perPod
NodeAllocatableResourceClaimStatus: containers mapping:NodeAllocatableMappedResources
    overhead:NodeAllocatableOverheadResources resourceClaimName resources
NodeCondition: lastHeartbeatTime lastTransitionTime message reason status type
NodeConfigSource: configMap:ConfigMapNodeConfigSource
NodeConfigStatus: active:NodeConfigSource assigned:NodeConfigSource error
    lastKnownGood:NodeConfigSource
NodeDaemonEndpoints: kubeletEndpoint:DaemonEndpoint
NodeFeatures: supplementalGroupsPolicy
NodePodPreemptionPolicy: disableResizePreemption
NodeRuntimeHandler: features:NodeRuntimeHandlerFeatures name
NodeRuntimeHandlerFeatures: recursiveReadOnlyMounts userNamespaces
NodeSelector: nodeSelectorTerms:NodeSelectorTerm
NodeSelectorRequirement: key operator values
NodeSelectorTerm: matchExpressions:NodeSelectorRequirement matchFields:NodeSelectorRequirement
NodeSpec: configSource:NodeConfigSource externalID podCIDR podCIDRs
    podPreemptionPolicy:NodePodPreemptionPolicy providerID taints:Taint unschedulable
NodeStatus: addresses:NodeAddress allocatable capacity conditions:NodeCondition
    config:NodeConfigStatus daemonEndpoints:NodeDaemonEndpoints declaredFeatures
    features:NodeFeatures images:ContainerImage nodeInfo:NodeSystemInfo phase
    runtimeHandlers:NodeRuntimeHandler volumesAttached:AttachedVolume volumesInUse
NodeSwapStatus: capacity
NodeSystemInfo: architecture bootID containerRuntimeVersion kernelVersion kubeProxyVersion
    kubeletVersion machineID operatingSystem osImage runningInUserNamespace swap:NodeSwapStatus
    systemUUID
ObjectFieldSelector: apiVersion fieldPath
ObjectReference: apiVersion fieldPath kind name namespace resourceVersion uid
PersistentVolume: apiVersion kind metadata:ObjectMeta spec:PersistentVolumeSpec
    status:PersistentVolumeStatus
PersistentVolumeClaim: apiVersion kind metadata:ObjectMeta spec:PersistentVolumeClaimSpec
    status:PersistentVolumeClaimStatus
PersistentVolumeClaimCondition: lastProbeTime lastTransitionTime message reason status type
PersistentVolumeClaimSpec: accessModes dataSource:TypedLocalObjectReference
    dataSourceRef:TypedObjectReference resources:VolumeResourceRequirements selector:LabelSelector
    storageClassName volumeAttributesClassName volumeMode volumeName
PersistentVolumeClaimStatus: accessModes allocatedResourceStatuses allocatedResources capacity
    conditions:PersistentVolumeClaimCondition currentVolumeAttributesClassName
    healthStatus:VolumeHealthStatus modifyVolumeStatus:ModifyVolumeStatus phase resizeStatus
PersistentVolumeClaimTemplate: metadata:ObjectMeta spec:PersistentVolumeClaimSpec
PersistentVolumeClaimVolumeSource: claimName readOnly
PersistentVolumeSpec: accessModes awsElasticBlockStore:AWSElasticBlockStoreVolumeSource
    azureDisk:AzureDiskVolumeSource azureFile:AzureFilePersistentVolumeSource capacity
    cephfs:CephFSPersistentVolumeSource cinder:CinderPersistentVolumeSource
    claimRef:ObjectReference csi:CSIPersistentVolumeSource fc:FCVolumeSource
    flexVolume:FlexPersistentVolumeSource flocker:FlockerVolumeSource
    gcePersistentDisk:GCEPersistentDiskVolumeSource glusterfs:GlusterfsPersistentVolumeSource
    hostPath:HostPathVolumeSource iscsi:ISCSIPersistentVolumeSource local:LocalVolumeSource
    mountOptions nfs:NFSVolumeSource nodeAffinity:VolumeNodeAffinity persistentVolumeReclaimPolicy
    photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource
    quobyte:QuobyteVolumeSource rbd:RBDPersistentVolumeSource
    scaleIO:ScaleIOPersistentVolumeSource storageClassName
    storageos:StorageOSPersistentVolumeSource volumeAttributesClassName volumeMode
    vsphereVolume:VsphereVirtualDiskVolumeSource
PersistentVolumeStatus: lastPhaseTransitionTime message phase reason
PhotonPersistentDiskVolumeSource: fsType pdID
Pod: apiVersion kind metadata:ObjectMeta spec:PodSpec status:PodStatus
PodAffinity: preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm
    requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm
PodAffinityTerm: labelSelector:LabelSelector matchLabelKeys mismatchLabelKeys
    namespaceSelector:LabelSelector namespaces topologyKey
PodAntiAffinity: preferredDuringSchedulingIgnoredDuringExecution:WeightedPodAffinityTerm
    requiredDuringSchedulingIgnoredDuringExecution:PodAffinityTerm
PodCertificateProjection: certificateChainPath credentialBundlePath keyPath keyType
    maxExpirationSeconds signerName user userAnnotations
PodCondition: lastProbeTime lastTransitionTime message observedGeneration reason status type
PodDNSConfig: nameservers options:PodDNSConfigOption searches
PodDNSConfigOption: name value
PodExtendedResourceClaimStatus: requestMappings:ContainerExtendedResourceRequest resourceClaimName
PodIP: ip
PodOS: name
PodReadinessGate: conditionType
PodResourceClaim: name resourceClaimName resourceClaimTemplateName source:ClaimSource
PodResourceClaimStatus: name resourceClaimName
PodSchedulingGate: name
PodSchedulingGroup: podGroupName
PodSecurityContext: appArmorProfile:AppArmorProfile fsGroup fsGroupChangePolicy runAsGroup
    runAsNonRoot runAsUser seLinuxChangePolicy seLinuxOptions:SELinuxOptions
    seccompProfile:SeccompProfile supplementalGroups supplementalGroupsPolicy sysctls:Sysctl
    windowsOptions:WindowsSecurityContextOptions
PodSpec: activeDeadlineSeconds affinity:Affinity automountServiceAccountToken containers:Container
    dnsConfig:PodDNSConfig dnsPolicy enableServiceLinks ephemeralContainers:EphemeralContainer
    evictionResponders:EvictionResponder hostAliases:HostAlias hostIPC hostNetwork hostPID
    hostUsers hostname hostnameOverride imagePullSecrets:LocalObjectReference
    initContainers:Container nodeName nodeSelector os:PodOS overhead preemptionPolicy priority
    priorityClassName readinessGates:PodReadinessGate resourceClaims:PodResourceClaim
    resources:ResourceRequirements restartPolicy runtimeClassName schedulerName
    schedulingGates:PodSchedulingGate schedulingGroup:PodSchedulingGroup
    securityContext:PodSecurityContext serviceAccount serviceAccountName setHostnameAsFQDN
    shareProcessNamespace subdomain terminationGracePeriodSeconds tolerations:Toleration
    topologySpreadConstraints:TopologySpreadConstraint volumes:Volume
    workloadRef:WorkloadReference
PodStatus: allocatedResources conditions:PodCondition containerStatuses:ContainerStatus
    ephemeralContainerStatuses:ContainerStatus
    extendedResourceClaimStatus:PodExtendedResourceClaimStatus hostIP hostIPs:HostIP
    initContainerStatuses:ContainerStatus message
    nodeAllocatableResourceClaimStatuses:NodeAllocatableResourceClaimStatus nominatedNodeName
    observedGeneration phase podIP podIPs:PodIP qosClass reason resize
    resourceClaimStatuses:PodResourceClaimStatus resources:ResourceRequirements startTime
    volumeHealth:PodVolumeHealth
PodTemplate: apiVersion kind metadata:ObjectMeta template:PodTemplateSpec
PodTemplateSpec: metadata:ObjectMeta spec:PodSpec
PodVolumeHealth: healthConditions:VolumeHealthCondition lastTransitionTime name
PortStatus: error port protocol
PortworxVolumeSource: fsType readOnly volumeID
PreferredSchedulingTerm: preference:NodeSelectorTerm weight
Probe: exec:ExecAction failureThreshold grpc:GRPCAction httpGet:HTTPGetAction initialDelaySeconds
    periodSeconds successThreshold tcpSocket:TCPSocketAction terminationGracePeriodSeconds
    timeoutSeconds
ProjectedVolumeSource: defaultMode defaultUser sources:VolumeProjection
QuobyteVolumeSource: group readOnly registry tenant user volume
RBDPersistentVolumeSource: fsType image keyring monitors pool readOnly secretRef:SecretReference
    user
RBDVolumeSource: fsType image keyring monitors pool readOnly secretRef:LocalObjectReference user
ReplicationController: apiVersion kind metadata:ObjectMeta spec:ReplicationControllerSpec
    status:ReplicationControllerStatus
ReplicationControllerCondition: lastTransitionTime message reason status type
ReplicationControllerSpec: minReadySeconds replicas selector template:PodTemplateSpec
ReplicationControllerStatus: availableReplicas conditions:ReplicationControllerCondition
    fullyLabeledReplicas observedGeneration readyReplicas replicas
ResourceClaim: name request
ResourceFieldSelector: containerName divisor resource
ResourceHealth: health message resourceID
ResourceQuota: apiVersion kind metadata:ObjectMeta spec:ResourceQuotaSpec
    status:ResourceQuotaStatus
ResourceQuotaSpec: hard scopeSelector:ScopeSelector scopes
ResourceQuotaStatus: hard used
ResourceRequirements: claims:ResourceClaim limits requests
ResourceStatus: name resources:ResourceHealth
SELinuxOptions: level role type user
ScaleIOPersistentVolumeSource: fsType gateway protectionDomain readOnly secretRef:SecretReference
    sslEnabled storageMode storagePool system volumeName
ScaleIOVolumeSource: fsType gateway protectionDomain readOnly secretRef:LocalObjectReference
    sslEnabled storageMode storagePool system volumeName
ScopeSelector: matchExpressions:ScopedResourceSelectorRequirement
ScopedResourceSelectorRequirement: operator scopeName values
SeccompProfile: localhostProfile type
SecretEnvSource: name optional
SecretKeySelector: key name optional
SecretProjection: items:KeyToPath name optional
SecretReference: name namespace
SecretVolumeSource: defaultMode defaultUser items:KeyToPath optional secretName
SecurityContext: allowPrivilegeEscalation appArmorProfile:AppArmorProfile
    capabilities:Capabilities privileged procMount readOnlyRootFilesystem runAsGroup runAsNonRoot
    runAsUser seLinuxOptions:SELinuxOptions seccompProfile:SeccompProfile
    windowsOptions:WindowsSecurityContextOptions
Service: apiVersion kind metadata:ObjectMeta spec:ServiceSpec status:ServiceStatus
ServiceAccountTokenProjection: audience expirationSeconds path user
ServicePort: appProtocol name nodePort port protocol targetPort
ServiceSpec: allocateLoadBalancerNodePorts clusterIP clusterIPs externalIPs externalName
    externalTrafficPolicy healthCheckNodePort internalTrafficPolicy ipFamilies ipFamilyPolicy
    loadBalancerClass loadBalancerIP loadBalancerSourceRanges ports:ServicePort
    publishNotReadyAddresses selector sessionAffinity sessionAffinityConfig:SessionAffinityConfig
    topologyKeys trafficDistribution type
ServiceStatus: conditions:Condition loadBalancer:LoadBalancerStatus
SessionAffinityConfig: clientIP:ClientIPConfig
SleepAction: seconds
StorageOSPersistentVolumeSource: fsType readOnly secretRef:ObjectReference volumeName
    volumeNamespace
StorageOSVolumeSource: fsType readOnly secretRef:LocalObjectReference volumeName volumeNamespace
Sysctl: name value
TCPSocketAction: host port
Taint: effect key timeAdded value
Toleration: effect key operator tolerationSeconds value
TopologySelectorLabelRequirement: key values
TopologySelectorTerm: matchLabelExpressions:TopologySelectorLabelRequirement
TopologySpreadConstraint: labelSelector:LabelSelector matchLabelKeys maxSkew minDomains
    nodeAffinityPolicy nodeTaintsPolicy topologyKey whenUnsatisfiable
TypedLocalObjectReference: apiGroup kind name
TypedObjectReference: apiGroup kind name namespace
Volume: awsElasticBlockStore:AWSElasticBlockStoreVolumeSource azureDisk:AzureDiskVolumeSource
    azureFile:AzureFileVolumeSource cephfs:CephFSVolumeSource cinder:CinderVolumeSource
    configMap:ConfigMapVolumeSource csi:CSIVolumeSource downwardAPI:DownwardAPIVolumeSource
    emptyDir:EmptyDirVolumeSource ephemeral:EphemeralVolumeSource fc:FCVolumeSource
    flexVolume:FlexVolumeSource flocker:FlockerVolumeSource
    gcePersistentDisk:GCEPersistentDiskVolumeSource gitRepo:GitRepoVolumeSource
    glusterfs:GlusterfsVolumeSource hostPath:HostPathVolumeSource image:ImageVolumeSource
    iscsi:ISCSIVolumeSource name nfs:NFSVolumeSource
    persistentVolumeClaim:PersistentVolumeClaimVolumeSource
    photonPersistentDisk:PhotonPersistentDiskVolumeSource portworxVolume:PortworxVolumeSource
    projected:ProjectedVolumeSource quobyte:QuobyteVolumeSource rbd:RBDVolumeSource
    scaleIO:ScaleIOVolumeSource secret:SecretVolumeSource storageos:StorageOSVolumeSource
    vsphereVolume:VsphereVirtualDiskVolumeSource
VolumeDevice: devicePath name
VolumeHealthCondition: message reason status
VolumeHealthStatus: healthConditions:VolumeHealthCondition lastTransitionTime
VolumeMount: bindMountOptions mountPath mountPropagation name readOnly recursiveReadOnly subPath
    subPathExpr
VolumeMountStatus: mountPath name readOnly recursiveReadOnly volumeStatus:VolumeStatus
VolumeNodeAffinity: required:NodeSelector
VolumeProjection: clusterTrustBundle:ClusterTrustBundleProjection configMap:ConfigMapProjection
    downwardAPI:DownwardAPIProjection podCertificate:PodCertificateProjection
    secret:SecretProjection serviceAccountToken:ServiceAccountTokenProjection
VolumeResourceRequirements: limits requests
VolumeStatus: image:ImageVolumeStatus
VsphereVirtualDiskVolumeSource: fsType storagePolicyID storagePolicyName volumePath
WeightedPodAffinityTerm: podAffinityTerm:PodAffinityTerm weight
WindowsSecurityContextOptions: gmsaCredentialSpec gmsaCredentialSpecName hostProcess runAsUserName
WorkloadReference: name podGroup podGroupReplicaKey
)fields";

}  // namespace tutti::wire
