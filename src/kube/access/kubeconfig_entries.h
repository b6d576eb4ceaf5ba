// What a kubeconfig's cluster and user entries mean for Access.
#pragma once

#include "base/result.h"
#include "kube/access/access.h"
#include "kube/access/kubeconfig_files.h"

namespace tutti::kube {

// Fills in where the server is and how to trust it.
Status read_cluster(const KubeconfigEntry& entry, Access& out);

// Fills in who we are. Requires that the cluster has been read.
Status read_user(const KubeconfigEntry& entry, Access& out);

}  // namespace tutti::kube
