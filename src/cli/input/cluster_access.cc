#include "cli/input/cluster_access.h"

#include "kube/access/in_cluster.h"
#include "kube/access/kubeconfig.h"

namespace tutti::cli {

Result<kube::Access> find_access(const ClusterOptions& options, const std::string& configured,
                                 const terminal::ProcessEnvironment& surroundings) {
  const bool named = !options.kubeconfig.empty();
  return kube::find_access(
      {.path = named ? options.kubeconfig : configured,
       .environment = surroundings.kubeconfig,
       .home = surroundings.home,
       .context = options.context},
      {.service_host = surroundings.service_host, .service_port = surroundings.service_port});
}

}  // namespace tutti::cli
