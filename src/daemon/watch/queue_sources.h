// Which of Kueue's kinds are watched: those that the cluster serves and lets us read.
#pragma once

#include "base/std.h"
#include "kube/client/served_resources.h"
#include "kube/watch/reflector.h"

namespace tutti::daemon {

struct QueueSources {
  std::vector<kube::Resource> resources;  // what others refer to comes first; none: no queues
  // For the log: what is done, and why.
  std::vector<std::pair<std::string, std::string>> lines;
};

// What discovery has to ask for.
std::vector<kube::ResourceName> queue_resources();
// `offers` in the order of queue_resources().
QueueSources queue_sources(std::span<const kube::Offer> offers);

}  // namespace tutti::daemon
