// Decision: one line of the scheduler's diary, for timelines, digests and replay.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/framework/attempt.h"

namespace tutti::core {

struct Decision {
  enum class Kind : std::uint8_t {
    placed,         // members were given nodes and are being bound
    unschedulable,  // nothing changed; the entity waits
    failed,         // SchedulerError
    bind_failed,    // the cluster refused one binding
    taken_back,     // a gang that could not be completed gives its nodes back
    preempting,     // others are evicted for it; the bindings are theirs
    admitted,       // a request got its quota and places; the bindings are where its pods will be
    evicted,        // a request leaves
  };
  Instant at;
  Kind kind = Kind::placed;
  std::string entity;  // "Pod ns/name", "PodGroup ns/name", "CompositePodGroup ns/name"
  std::vector<std::pair<std::string, std::string>> bindings;  // "ns/pod" → node, in member order
  std::string message;
  std::uint64_t attempt = 0;  // of this entity, counted from 1
  std::string scheduler{};    // the profile's name, of attempts
  std::string rule{};         // of a request that leaves, in Kueue's words: "InCohortReclamation"
  std::string by{};           // the request that it leaves for: "ns/name"
};

class DecisionListener {
 public:
  virtual ~DecisionListener() = default;
  virtual void decided(const Decision& decision) = 0;
};

}  // namespace tutti::core
