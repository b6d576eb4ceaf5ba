// The verdict of a resource claim: what it has, or why it has nothing.
#include <fmt/format.h>

#include <algorithm>

#include "devices/device_state.h"
#include "explain/explain.h"
#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

// The first waiting pod that wants the claim; none when nobody does.
std::optional<core::PodId> asker(const core::Cluster& cluster, devices::ClaimId claim) {
  for (std::uint32_t i = 0; i < cluster.pods().slots(); ++i) {
    const core::PodEntry& entry = cluster.pod({i});
    if (entry.object == nullptr || entry.node.valid() || !entry.object->node_name.empty()) continue;
    if (!cluster.wants_devices(core::PodId{i})) continue;
    const auto wanted = cluster.devices().claims_of(*entry.object).claims;
    if (std::ranges::find(wanted, claim) != wanted.end()) return core::PodId{i};
  }
  return std::nullopt;
}

std::string given(const model::ResourceClaim& claim) {
  std::vector<std::string> devices;
  for (const auto& result : claim.allocation->results) {
    devices.push_back(result.pool + "/" + result.device);
  }
  std::vector<std::string> users;
  for (const auto& user : claim.reserved_for) users.push_back(user.resource + "/" + user.name);
  return fmt::format("has {} ({}), {}", counted(devices.size(), "device"), fmt::join(devices, ", "),
                     users.empty() ? std::string("reserved for nobody")
                                   : fmt::format("reserved for {}", fmt::join(users, ", ")));
}

}  // namespace

Verdict explain_claim(const Sources& sources, const std::string& ns, const std::string& name) {
  const auto& device_state = sources.cluster.devices();
  const auto id = device_state.find_claim(ns, name);
  Verdict verdict;
  if (id.valid() && device_state.claim(id).allocated()) {
    verdict.state = State::running;
    verdict.summary = given(*device_state.claim(id).object);
  } else if (const auto pod = id.valid() ? asker(sources.cluster, id) : std::nullopt) {
    const auto& meta = sources.cluster.pod(*pod).object->meta;
    verdict = explain_pod(sources, *pod);
    verdict.summary = fmt::format("pod {}/{} wants it: {}", meta.ns, meta.name, verdict.summary);
  } else if (id.valid() &&
             !device_state.plans().plan(device_state.claim(id).plan).problem.empty()) {
    verdict.blocker = Blocker::devices;
    verdict.summary = device_state.plans().plan(device_state.claim(id).plan).problem;
  } else {
    verdict.summary = "no waiting pod asks for it";
  }
  verdict.object = {"ResourceClaim", ns, name};
  return verdict;
}

}  // namespace tutti::explain
