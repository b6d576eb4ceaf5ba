// Access of a pod to the cluster it runs in, by its service account.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "kube/access/access.h"
#include "kube/access/kubeconfig.h"

namespace tutti::kube {

// What the kubelet gives a pod. Filled in by who may read the environment.
struct PodSurroundings {
  std::string service_host;  // $KUBERNETES_SERVICE_HOST
  std::string service_port;  // $KUBERNETES_SERVICE_PORT
  std::string folder = "/var/run/secrets/kubernetes.io/serviceaccount";
};

// invalid when this is no pod, not_found or io when the service account is not mounted.
Result<Access> in_cluster_access(const PodSurroundings& pod);

// A kubeconfig that was named (by path, environment or a context of it), else the service account
// when this is a pod, else ~/.kube/config.
Result<Access> find_access(const KubeconfigSource& source, const PodSurroundings& pod);

}  // namespace tutti::kube
