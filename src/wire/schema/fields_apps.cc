// The fields of apps/v1.
// All that any release of Kubernetes from 1.20 to 1.37 has.
#include "wire/schema/fields.h"

namespace tutti::wire {

const std::string_view kAppsFields = R"fields(
version apps/v1
kinds ReplicaSet StatefulSet Deployment DaemonSet
DaemonSet: apiVersion kind metadata:ObjectMeta spec:DaemonSetSpec status:DaemonSetStatus
DaemonSetCondition: lastTransitionTime message reason status type
DaemonSetSpec: minReadySeconds revisionHistoryLimit selector:LabelSelector
    template:PodTemplateSpec updateStrategy:DaemonSetUpdateStrategy
DaemonSetStatus: collisionCount conditions:DaemonSetCondition currentNumberScheduled
    desiredNumberScheduled numberAvailable numberMisscheduled numberReady numberUnavailable
    observedGeneration updatedNumberScheduled
DaemonSetUpdateStrategy: rollingUpdate:RollingUpdateDaemonSet type
Deployment: apiVersion kind metadata:ObjectMeta spec:DeploymentSpec status:DeploymentStatus
DeploymentCondition: lastTransitionTime lastUpdateTime message reason status type
DeploymentSpec: minReadySeconds paused progressDeadlineSeconds replicas revisionHistoryLimit
    selector:LabelSelector strategy:DeploymentStrategy template:PodTemplateSpec
DeploymentStatus: availableReplicas collisionCount conditions:DeploymentCondition
    observedGeneration readyReplicas replicas terminatingReplicas unavailableReplicas
    updatedReplicas
DeploymentStrategy: rollingUpdate:RollingUpdateDeployment type
ReplicaSet: apiVersion kind metadata:ObjectMeta spec:ReplicaSetSpec status:ReplicaSetStatus
ReplicaSetCondition: lastTransitionTime message reason status type
ReplicaSetSpec: minReadySeconds replicas selector:LabelSelector template:PodTemplateSpec
ReplicaSetStatus: availableReplicas conditions:ReplicaSetCondition fullyLabeledReplicas
    observedGeneration readyReplicas replicas terminatingReplicas
RollingUpdateDaemonSet: maxSurge maxUnavailable
RollingUpdateDeployment: maxSurge maxUnavailable
RollingUpdateStatefulSetStrategy: maxUnavailable partition
StatefulSet: apiVersion kind metadata:ObjectMeta spec:StatefulSetSpec status:StatefulSetStatus
StatefulSetCondition: lastTransitionTime message reason status type
StatefulSetOrdinals: start
StatefulSetPersistentVolumeClaimRetentionPolicy: whenDeleted whenScaled
StatefulSetSpec: minReadySeconds ordinals:StatefulSetOrdinals
    persistentVolumeClaimRetentionPolicy:StatefulSetPersistentVolumeClaimRetentionPolicy
    podManagementPolicy replicas revisionHistoryLimit selector:LabelSelector serviceName
    template:PodTemplateSpec updateStrategy:StatefulSetUpdateStrategy
    volumeClaimTemplates:PersistentVolumeClaim
StatefulSetStatus: availableReplicas collisionCount conditions:StatefulSetCondition
    currentReplicas currentRevision observedGeneration readyReplicas replicas updateRevision
    updatedReplicas
StatefulSetUpdateStrategy: rollingUpdate:RollingUpdateStatefulSetStrategy type
)fields";

}  // namespace tutti::wire
