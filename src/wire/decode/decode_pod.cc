#include "wire/decode/decode_pod.h"

#include <algorithm>

#include "wire/decode/decode_parts.h"

namespace tutti::wire {
namespace {

// What a container was given, only of interest where it may differ from what its spec asks for.
void read_container_status(const Field& at, std::vector<model::ContainerResources>& out) {
  model::ContainerResources resources;
  at("name", resources.name);
  at("allocatedResources", resources.allocated);
  at.member("resources", [&](const Field& actual) { actual("requests", resources.actual); });
  if (!resources.allocated.empty() || !resources.actual.empty())
    out.push_back(std::move(resources));
}

// The last moment at which a container ended.
void read_finish(const Field& container, std::optional<Instant>& out) {
  container.member("state", [&](const Field& state) {
    state.member("terminated", [&](const Field& end) {
      std::optional<Instant> finished;
      end("finishedAt", finished);
      out = std::max(out, finished);
    });
  });
}

void read_status(const Field& at, model::PodStatus& out) {
  at("phase", out.phase, kPodPhases);
  at("conditions", out.conditions);
  at("nominatedNodeName", out.nominated_node);
  at("reason", out.reason);
  at("message", out.message);
  at("startTime", out.start_time);
  std::vector<model::ContainerResources> resources;
  for (const std::string_view statuses : {"initContainerStatuses", "containerStatuses"}) {
    at.list(statuses, [&](const Field& status) {
      read_container_status(status, resources);
      read_finish(status, out.finished);
    });
  }
  out.container_resources = std::move(resources);
  at("resourceClaimStatuses", out.claim_statuses);
  at.member("extendedResourceClaimStatus", [&](const Field& claim) {
    claim("resourceClaimName", out.extended_claim.claim_name);
    std::vector<model::ExtendedRequest> requests;
    claim.list("requestMappings", [&](const Field& request) {
      auto& each = requests.emplace_back();
      request("containerName", each.container);
      request("resourceName", each.resource);
      request("requestName", each.request);
    });
    out.extended_claim.requests = std::move(requests);
  });
}

}  // namespace

void read_pod(const Field& at, PodSpecPool& specs, model::Pod& out) {
  at.required_member("spec", [&](const Field& spec) {
    spec("nodeName", out.node_name);
    spec("priority", out.priority);
    spec("preemptionPolicy", out.preemption_policy, kPreemptionPolicies);
    out.spec = specs.intern(spec, out.meta.labels);
  });
  at.member("status", [&](const Field& status) { read_status(status, out.status); });
}

}  // namespace tutti::wire
