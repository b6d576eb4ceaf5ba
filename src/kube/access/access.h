// Access: where an API server is, how to trust it, and who we are to it. Loading it from a
// kubeconfig or from a pod's service account is in kubeconfig.h and in_cluster.h.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "net/http_client.h"

namespace tutti::kube {

// A program that prints an ExecCredential (client.authentication.k8s.io).
struct ExecPlugin {
  std::string api_version;  // v1 or v1beta1 of client.authentication.k8s.io
  std::string command;
  std::vector<std::string> args;
  std::vector<std::pair<std::string, std::string>> env;
  std::string install_hint;  // what to say when the command is not there
  // Tell the plugin about the cluster, with what the cluster's entry says for plugins: JSON from
  // its extension client.authentication.k8s.io/exec, empty when it has none.
  bool provide_cluster_info = false;
  std::string cluster_config;
};

// Exactly one way to say who we are, besides a client certificate in the endpoint.
struct Access {
  net::Endpoint endpoint;
  std::string ns;          // the context's namespace; empty: default
  std::string token;       // static bearer token
  std::string token_file;  // read again now and then: tokens rotate
  std::string username, password;
  ExecPlugin exec;           // command empty: none
  std::string cluster_name;  // for messages
};

}  // namespace tutti::kube
