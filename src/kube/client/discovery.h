// What an API server offers of what we need.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "kube/client/api_client.h"

namespace tutti::kube {

struct Served {
  std::string git_version;  // "v1.36.4"
  int major = 0, minor = 0;
  // "scheduling.k8s.io/v1beta1" or empty: the best served version with that resource.
  std::string pod_groups;
  std::string composite_pod_groups;
  std::string workloads;
  std::string resource_claims;  // resource.k8s.io: claims, classes and slices
  std::string device_taint_rules;
  std::string topologies;  // kueue.x-k8s.io
};

// Asks /version, and the groups scheduling.k8s.io, resource.k8s.io and kueue.x-k8s.io with their
// resources.
void discover(ApiClient& client, std::function<void(Result<Served>)> handler);

}  // namespace tutti::kube
