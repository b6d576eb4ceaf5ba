// Rules of a pod's containers, ports and life; where it may go is pod_placement_rules.cc, what
// devices it uses pod_claim_rules.cc.
#include <fmt/format.h>

#include <limits>

#include "admission/checks/checks.h"
#include "admission/rules/kind_rules.h"

namespace tutti::admission {
namespace {

using model::Container;
using model::ContainerPort;
using model::PodSpec;
using model::ResourceList;

constexpr std::int64_t kPortMax = 65535;

bool is_huge_pages(std::string_view resource) { return resource.starts_with("hugepages-"); }

// A name without a domain is one of Kubernetes' own, so "gpu" is a mistake and not a resource.
bool is_container_resource(std::string_view name) {
  return name.find('/') != std::string_view::npos || name == "cpu" || name == "memory" ||
         name == "ephemeral-storage" || is_huge_pages(name);
}

bool is_pod_level_resource(std::string_view name) {
  return name == "cpu" || name == "memory" || is_huge_pages(name);
}

// Devices and huge pages are not shared out beyond what exists: request and limit are one number.
bool may_overcommit(std::string_view resource) {
  return !is_extended_resource(resource) && !is_huge_pages(resource);
}

void check_resource_names(const ResourceList& amounts, std::string_view map, const Path& resources,
                          Findings& findings) {
  for (const auto& [name, amount] : amounts) {
    if (is_container_resource(name)) continue;
    findings.add(resources.entry(map, name),
                 "must be cpu, memory, ephemeral-storage, hugepages-SIZE or a name with a domain");
  }
}

void check_requests_against_limits(const Container& container, const Path& resources,
                                   Findings& findings) {
  for (const auto& [name, request] : container.requests) {
    const Quantity* const limit = model::find(container.limits, name);
    if (limit == nullptr || request == *limit) continue;
    const Path place = resources.entry("requests", name);
    if (!may_overcommit(name)) {
      findings.add(place, "must equal the limit of {}, is {}", limit->text(), request.text());
    } else if (request > *limit) {
      findings.add(place, "must be at most the limit of {}, is {}", limit->text(), request.text());
    }
  }
}

void check_port(const ContainerPort& port, bool host_network, const Path& path,
                Findings& findings) {
  check_between(port.container_port, 1, kPortMax, path.field("containerPort"), findings);
  if (port.host_port == 0) return;
  check_between(port.host_port, 1, kPortMax, path.field("hostPort"), findings);
  if (host_network && port.host_port != port.container_port) {
    findings.add(path.field("hostPort"), "must equal containerPort {} with hostNetwork, is {}",
                 port.container_port, port.host_port);
  }
}

// What must be told apart across the containers of one pod.
struct Seen {
  Unique container_names;
  Unique host_ports;
};

std::string host_port_key(const ContainerPort& port) {
  constexpr std::string_view kProtocols[] = {"TCP", "UDP", "SCTP"};
  return fmt::format("{}:{}/{}", port.host_ip.empty() ? "0.0.0.0" : port.host_ip, port.host_port,
                     kProtocols[static_cast<std::size_t>(port.protocol)]);
}

void check_container(const Container& container, bool host_network, Seen* seen, const Path& path,
                     Findings& findings) {
  check_dns_label(container.name, path.field("name"), findings);
  seen->container_names.see(container.name, path.field("name"), findings);
  const Path resources = path.field("resources");
  check_resource_names(container.requests, "requests", resources, findings);
  check_resource_names(container.limits, "limits", resources, findings);
  check_amounts(container.requests, "requests", resources, findings);
  check_amounts(container.limits, "limits", resources, findings);
  check_requests_against_limits(container, resources, findings);
  for (std::size_t i = 0; i < container.ports.size(); ++i) {
    check_port(container.ports[i], host_network, path.item("ports", i), findings);
  }
}

// Init containers run one after the other, so only those that keep running hold on to host ports.
void check_host_ports(const Container& container, Seen* seen, const Path& path,
                      Findings& findings) {
  for (std::size_t i = 0; i < container.ports.size(); ++i) {
    if (container.ports[i].host_port == 0) continue;
    const Path port = path.item("ports", i);
    seen->host_ports.see(host_port_key(container.ports[i]), port.field("hostPort"), findings);
  }
}

void check_containers(const PodSpec& spec, const Path& path, Findings& findings) {
  if (spec.containers.empty()) {
    findings.add(path.field("containers"), "must have at least one entry, has 0");
  }
  Seen seen;
  for (std::size_t i = 0; i < spec.init_containers.size(); ++i) {
    const Path place = path.item("initContainers", i);
    check_container(spec.init_containers[i], spec.host_network, &seen, place, findings);
    if (spec.init_containers[i].restart_always) {
      check_host_ports(spec.init_containers[i], &seen, place, findings);
    }
  }
  for (std::size_t i = 0; i < spec.containers.size(); ++i) {
    const Path place = path.item("containers", i);
    check_container(spec.containers[i], spec.host_network, &seen, place, findings);
    check_host_ports(spec.containers[i], &seen, place, findings);
  }
}

void check_pod_resources(const PodSpec& spec, const Path& path, Findings& findings) {
  check_amounts(spec.overhead, "overhead", path, findings);
  const Path resources = path.field("resources");
  check_amounts(spec.pod_requests, "requests", resources, findings);
  for (const auto& [name, amount] : spec.pod_requests) {
    if (is_pod_level_resource(name)) continue;
    findings.add(resources.entry("requests", name),
                 "must be cpu, memory or hugepages-SIZE for a whole pod");
  }
}

void check_gates(const std::vector<std::string>& gates, const Path& path, Findings& findings) {
  Unique names;
  for (std::size_t i = 0; i < gates.size(); ++i) {
    const Path gate = path.item("schedulingGates", i);
    check_qualified_name(gates[i], gate.field("name"), findings);
    names.see(gates[i], gate.field("name"), findings);
  }
}

void check_node_name(const std::string& node, const PodSpec& spec, const Path& path,
                     Findings& findings) {
  check_optional_name(node, path.field("nodeName"), findings);
  if (spec.scheduling_gates.empty() || node.empty()) return;
  findings.add(path.field("nodeName"), "must be empty while the pod has scheduling gates, is '{}'",
               node);
}

// Its kubelet runs a static pod without asking anyone, so nobody would give it devices.
void check_mirror(const model::Pod& pod, const Path& path, Findings& findings) {
  if (pod.spec->resource_claims.empty()) return;
  if (model::find(pod.meta.annotations, "kubernetes.io/config.mirror") == nullptr) return;
  findings.add(path.field("resourceClaims"), "is not allowed for the mirror of a static pod");
}

void check_volumes(const std::vector<model::Volume>& volumes, const Path& path,
                   Findings& findings) {
  Unique names;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const Path place = path.item("volumes", i);
    check_dns_label(volumes[i].name, place.field("name"), findings);
    names.see(volumes[i].name, place.field("name"), findings);
    if (volumes[i].source == model::Volume::Source::claim) {
      check_dns_subdomain(volumes[i].id, place.field("persistentVolumeClaim.claimName"), findings);
    }
  }
}

void check_life(const PodSpec& spec, const Path& path, Findings& findings) {
  if (!spec.restart_policy.empty()) {
    check_one_of(spec.restart_policy, {"Always", "OnFailure", "Never"}, path.field("restartPolicy"),
                 findings);
  }
  if (spec.active_deadline_seconds) {
    check_between(*spec.active_deadline_seconds, 1, std::numeric_limits<std::int32_t>::max(),
                  path.field("activeDeadlineSeconds"), findings);
  }
  if (spec.termination_grace_seconds) {
    check_at_least(*spec.termination_grace_seconds, 0, path.field("terminationGracePeriodSeconds"),
                   findings);
  }
}

}  // namespace

void check_pod_spec(const PodSpec& spec, const Path& path, Findings& findings) {
  check_containers(spec, path, findings);
  check_pod_resources(spec, path, findings);
  check_placement(spec, path, findings);
  check_gates(spec.scheduling_gates, path, findings);
  check_volumes(spec.volumes, path, findings);
  check_claims(spec.resource_claims, path, findings);
  check_container_claims(spec, path, findings);
  check_life(spec, path, findings);
  check_optional_name(spec.priority_class_name, path.field("priorityClassName"), findings);
  check_optional_name(spec.scheduling_group, path.field("schedulingGroup.podGroupName"), findings);
}

void check_kind(const model::Pod& pod, Findings& findings) {
  const Path path("spec");
  if (pod.spec == nullptr) {
    findings.add(path, "is required");
    return;
  }
  check_pod_spec(*pod.spec, path, findings);
  check_mirror(pod, path, findings);
  check_node_name(pod.node_name, *pod.spec, path, findings);
  check_optional_name(pod.status.nominated_node, Path("status.nominatedNodeName"), findings);
}

void check_template(const model::PodTemplate& pods, const Path& path, Findings& findings) {
  const Path meta = path.field("metadata");
  check_labels(pods.labels, "labels", meta, findings);
  const Path spec = path.field("spec");
  if (pods.spec == nullptr) {
    findings.add(spec, "is required");
    return;
  }
  check_pod_spec(*pods.spec, spec, findings);
  check_node_name(pods.node_name, *pods.spec, spec, findings);
}

}  // namespace tutti::admission
