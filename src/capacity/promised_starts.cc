#include "capacity/promised_starts.h"

#include <set>

#include "core/broker/backfill_words.h"

namespace tutti::capacity {

std::vector<PromisedRoom> promised_rooms(const core::Scheduler& scheduler) {
  const core::Cluster& cluster = scheduler.cluster();
  const core::RequestTable& requests = scheduler.broker().requests();
  std::vector<PromisedRoom> rooms;
  for (const core::PromisedStart* promise : scheduler.broker().backfill().all()) {
    PromisedRoom& room = rooms.emplace_back();
    room.request = core::request_text(requests, promise->request);
    if (!promise->collects) room.start = promise->start;
    room.certain = promise->certain;
    std::set<std::string> flavors, nodes;
    for (const core::PodSetPromise& set : promise->promise) {
      for (const auto& [resource, flavor] : set.flavors) flavors.insert(flavor);
    }
    for (const auto& set : promise->places) {
      for (const core::NodeId node : set) {
        if (node.valid() && cluster.nodes().alive(node)) nodes.insert(cluster.node_name(node));
      }
    }
    room.flavors.assign(flavors.begin(), flavors.end());
    room.nodes.assign(nodes.begin(), nodes.end());
    for (const core::Runner& who : promise->waits_for) {
      if (!who.pod.valid()) {
        room.waits_for.push_back(core::request_text(requests, who.request));
      } else if (cluster.pod(who.pod).object != nullptr) {
        room.waits_for.push_back(core::pod_text(*cluster.pod(who.pod).object));
      }
    }
  }
  return rooms;
}

}  // namespace tutti::capacity
