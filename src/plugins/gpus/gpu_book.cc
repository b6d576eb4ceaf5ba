#include "plugins/gpus/gpu_book.h"

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::plugins {

bool holds(std::span<const GpuMilli> idle, GpuRequest request) {
  std::int32_t found = 0;
  for (const GpuMilli milli : idle) {
    found += milli >= request.milli ? 1 : 0;
    if (found >= request.devices) return true;
  }
  return request.devices == 0;
}

void GpuBook::catch_up() {
  if (!resource_) resource_ = cluster_.resources().find(core::kGpuMilli);
  if (seen_nodes_ != cluster_.versions().nodes) start_over();
  const auto changes = cluster_.journal().since(std::min(seen_journal_, cluster_.journal().end()));
  if (!changes) {
    for (std::uint32_t i = 0; i < nodes_.size(); ++i) touch({i});
  } else {
    for (const core::Change& change : *changes) touch(change.node);
  }
  seen_journal_ = cluster_.journal().end();
  for (const core::NodeId node : touched_) compare(node);
  touched_.clear();
}

// Nodes came, went or changed: what they offer is read anew, and all pods on them are looked at.
void GpuBook::start_over() {
  seen_nodes_ = cluster_.versions().nodes;
  nodes_.resize(cluster_.nodes().slots());
  for (std::uint32_t i = 0; i < nodes_.size(); ++i) {
    NodeDevices& node = nodes_[i];
    const bool offers = resource_ && cluster_.nodes().alive({i});
    const std::int64_t milli = offers ? cluster_.resources().offered(*resource_, {i}) : 0;
    const auto devices = static_cast<std::size_t>(std::max<std::int64_t>(milli, 0) / kWholeGpu);
    if (devices != node.idle.size()) {
      node.idle.assign(devices, kWholeGpu);
      node.idle_total = static_cast<GpuMilli>(devices) * kWholeGpu;
      node.held.clear();
    }
    touch({i});
  }
}

void GpuBook::touch(core::NodeId node) {
  if (node.index >= nodes_.size()) return;
  ++nodes_[node.index].version;
  if (!std::exchange(nodes_[node.index].touched, true)) touched_.push_back(node);
}

void GpuBook::compare(core::NodeId node) {
  nodes_[node.index].touched = false;
  release_gone(node);
  if (resource_) assign_new(node);
}

void GpuBook::release_gone(core::NodeId node) {
  NodeDevices& devices = nodes_[node.index];
  std::erase_if(devices.held, [&](const Held& held) {
    const bool known = held.pod.index < cluster_.pods().slots() &&
                       cluster_.pod(held.pod).object != nullptr &&
                       cluster_.pod(held.pod).object->meta.uid == held.uid;
    if (known && cluster_.pod(held.pod).node == node) return false;
    move(devices, held, 1);
    // The pod may have been put on another node meanwhile, which then knows better.
    if (!cluster_.pods().find(held.uid)) last_.erase(held.uid);
    return true;
  });
}

void GpuBook::assign_new(core::NodeId node) {
  NodeDevices& devices = nodes_[node.index];
  for (const core::PodId pod : cluster_.pods().on(node)) {
    const core::PodEntry& entry = cluster_.pod(pod);
    const std::int64_t amount = cluster_.shape(entry.shape).request(*resource_);
    if (amount == 0 || std::ranges::find(devices.held, pod, &Held::pod) != devices.held.end()) {
      continue;
    }
    const GpuRequest request = gpu_request(amount).value_or(GpuRequest{});
    Held held{pod, entry.object->meta.uid, request, devices_for(node, pod, request)};
    move(devices, held, -1);
    last_[held.uid] = {node, held.devices};
    devices.held.push_back(std::move(held));
  }
}

std::vector<std::uint32_t> GpuBook::devices_for(core::NodeId node, core::PodId pod,
                                                GpuRequest request) {
  const core::PodEntry& entry = cluster_.pod(pod);
  const auto before = last_.find(entry.object->meta.uid);
  const auto& idle = nodes_[node.index].idle;
  if (before != last_.end() && before->second.node == node && !before->second.devices.empty()) {
    const auto free = [&](std::uint32_t i) { return i < idle.size() && idle[i] >= request.milli; };
    if (std::ranges::all_of(before->second.devices, free)) return before->second.devices;
  }
  return choose_devices(node, cluster_.shape(entry.shape), request);
}

std::vector<std::uint32_t> GpuBook::choose_devices(core::NodeId node, const core::PodShape& shape,
                                                   GpuRequest request) const {
  const auto& idle = nodes_[node.index].idle;
  if (request.devices == 0 || !holds(idle, request)) return {};
  if (request.shared()) {
    const std::size_t chosen = choose_(node, idle, shape, request);
    TUTTI_CHECK(chosen < idle.size() && idle[chosen] >= request.milli, "a device without room");
    return {static_cast<std::uint32_t>(chosen)};
  }
  std::vector<std::uint32_t> chosen;
  for (std::uint32_t i = 0; chosen.size() < static_cast<std::size_t>(request.devices); ++i) {
    if (idle[i] == kWholeGpu) chosen.push_back(i);
  }
  return chosen;
}

void GpuBook::move(NodeDevices& node, const Held& held, GpuMilli sign) const {
  for (const std::uint32_t device : held.devices) {
    node.idle[device] += sign * held.request.milli;
    node.idle_total += sign * held.request.milli;
    TUTTI_CHECK(node.idle[device] >= 0 && node.idle[device] <= kWholeGpu, "a device used twice");
  }
}

}  // namespace tutti::plugins
