// What controllers ask of pods.
#pragma once

#include "base/std.h"
#include "controllers/cluster.h"
#include "model/pod.h"
#include "store/watch.h"

namespace tutti::controllers {

using PodPtr = std::shared_ptr<const model::Pod>;

// Whether the pod runs or will, and nobody has asked for its end.
bool is_active(const model::Pod& pod);
bool is_ready(const model::Pod& pod);

// The pods that the owner controls, in order of names, without those that have ended and that no
// finalizer holds.
std::vector<PodPtr> pods_of(const model::Object& owner, const Cluster& cluster);
// Returns the active ones among pods_of().
std::vector<PodPtr> active_pods_of(const model::Object& owner, const Cluster& cluster);

// Whether the change may let an object of the namespace in that the cluster refused before: a
// class, a limit or a quota changed, or a pod makes room in one.
bool may_let_in(const store::WatchEvent& change, const std::string& ns);

// Pods that are missed least come first: not yet placed, not yet running, not ready, then the
// youngest.
void sort_by_least_missed(std::vector<PodPtr>& pods);

}  // namespace tutti::controllers
