// What only the process itself can know. main asks; everyone else is given it.
#pragma once

#include "base/std.h"

namespace tutti::terminal {

struct ProcessEnvironment {
  std::string kubeconfig{};    // $KUBECONFIG
  std::string home{};          // $HOME
  std::string service_host{};  // $KUBERNETES_SERVICE_HOST: this is a pod
  std::string service_port{};  // $KUBERNETES_SERVICE_PORT
  std::string host = "localhost";
  std::uint64_t entropy = 0;    // different in every process
  bool kubectl_plugin = false;  // called by kubectl: its cluster is meant
};

}  // namespace tutti::terminal
