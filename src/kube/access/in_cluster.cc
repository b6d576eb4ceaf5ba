#include "kube/access/in_cluster.h"

#include <fmt/format.h>

#include <utility>

#include "base/text.h"
#include "kube/access/small_file.h"

namespace tutti::kube {
namespace {

// IPv6 addresses stand in brackets in URLs.
std::string url_of(const PodSurroundings& pod) {
  const bool is_ipv6 = pod.service_host.find(':') != std::string::npos;
  const std::string host = is_ipv6 ? "[" + pod.service_host + "]" : pod.service_host;
  return fmt::format("https://{}:{}", host, pod.service_port);
}

Status expect_content(const std::string& path) {
  Result<std::string> text = read_small_file(path);
  if (!text.ok()) {
    return Error{text.error().code, text.error().message +
                                        "; does the pod mount its service account "
                                        "(automountServiceAccountToken)?"};
  }
  if (!text->empty()) return ok_status();
  return Error{Error::Code::io, fmt::format("{}: empty", brief_line(path))};
}

std::string without_line_end(std::string text) {
  while (text.ends_with('\n') || text.ends_with('\r')) text.pop_back();
  return text;
}

}  // namespace

Result<Access> in_cluster_access(const PodSurroundings& pod) {
  if (pod.service_host.empty() || pod.service_port.empty()) {
    return Error{Error::Code::invalid,
                 "not in a cluster: KUBERNETES_SERVICE_HOST and KUBERNETES_SERVICE_PORT are not "
                 "both set; name a kubeconfig with --kubeconfig"};
  }
  Access access;
  access.cluster_name = "in-cluster";
  access.endpoint.url = url_of(pod);
  access.endpoint.ca_file = pod.folder + "/ca.crt";
  access.token_file = pod.folder + "/token";
  TUTTI_TRY(expect_content(access.token_file));
  TUTTI_TRY(expect_content(access.endpoint.ca_file));
  // Older kubelets do not write it, and nothing depends on it.
  if (Result<std::string> ns = read_small_file(pod.folder + "/namespace"); ns.ok()) {
    access.ns = without_line_end(*std::move(ns));
  }
  return access;
}

Result<Access> find_access(const KubeconfigSource& source, const PodSurroundings& pod) {
  const bool named = !source.path.empty() || !source.environment.empty() || !source.context.empty();
  if (!named && !pod.service_host.empty()) return in_cluster_access(pod);
  return load_kubeconfig(source);
}

}  // namespace tutti::kube
