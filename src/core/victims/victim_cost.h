// What it costs to evict a pod: the device time its work has to be given again.
//
//   cost = weight × devices × (lost × hurry + restart)
//
//   devices   extended resources it holds and devices of its claims, parts of them by what they
//   take
//             of the whole; without any, 64 cores count as one device
//   lost      since tutti.dev/checkpointed-at, else since it started
//   hurry     declared length / time left, between 1 and 10, for work that says how long it takes
//             (activeDeadlineSeconds, tutti.dev/runs-for): what is almost done is dear
//   restart   tutti.dev/restart-cost: a duration (for every device), or a number of device seconds
//   weight    of its class, tutti.dev/class (annotation or label) or by the kind that owns it:
//             inference 4, training 2, batch 1, everything else 1
//
// Annotations of the pod go before those of its PodGroup.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/annotations.h"
#include "core/cluster/cluster.h"
#include "core/shapes/work_class.h"
#include "model/object.h"
#include "model/pod.h"

namespace tutti::core {

// One device for one second, of a cost that nothing else weighs.
inline constexpr std::int64_t kDeviceSecond = 1'000'000;

// `group` is the pod's PodGroup, null: none, or not seen.
std::int64_t eviction_cost(const Cluster& cluster, const PodEntry& pod, const model::Object* group,
                           Instant now);

// Work that an eviction throws away as it is, weighed by nothing: what the pod holds times how long
// ago it started or was last saved. In thousandths of a device, or of a core, times milliseconds.
struct LostWork {
  std::int64_t devices = 0;
  std::int64_t cores = 0;  // of pods without devices
  bool only_gpus = true;   // all devices are counted by a resource named gpu
  LostWork& operator+=(const LostWork& other);
  bool operator==(const LostWork&) const = default;
};
LostWork lost_work_of(const Cluster& cluster, const PodEntry& pod, const model::Object* group,
                      Instant now);

// The cost of a pod that only time makes dearer: nothing is written about it that another clause
// would read, it has no claims, and nobody speaks for it but its owner's kind.
struct SteadyCost {
  std::int64_t rate = 0;         // for every millisecond
  std::optional<Instant> since;  // absent: it has not started
  std::int64_t at(Instant now) const;
};
bool is_steady(const model::Pod& pod);
// Returns what eviction_cost() says of a steady pod without a group.
SteadyCost steady_cost(const Cluster& cluster, const PodEntry& pod);

// Until when tutti.dev/min-runtime protects the pod; empty: not (any more).
std::optional<Instant> protected_until(const model::Pod& pod, const model::Object* group,
                                       Instant now);

// tutti.dev/checkpointed-at as written; null: never.
const std::string* checkpoint_of(const model::Pod& pod, const model::Object* group);

// How long the pod may take to save its work before it is evicted; zero: not at all.
Millis checkpoint_grace(const model::Pod& pod, const model::Object* group);

// Returns the class in tutti.dev/class: training, inference, batch, or empty.
std::string_view work_class(const model::Pod& pod, const model::Object* group);

// controller.kubernetes.io/pod-deletion-cost; 0 when absent or not a number.
std::int32_t deletion_cost(const model::Pod& pod);

// Whether the text names one of the classes.
bool is_work_class(std::string_view text);

// Whether the text is a restart cost: a duration or a whole number, not negative.
bool valid_restart_cost(std::string_view text);

}  // namespace tutti::core
