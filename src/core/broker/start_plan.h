// StartPlan: what is promised to requests that wait: a start, flavors and places. Reservations are
// plans, not locks: who ranks higher takes what is there.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/requests/request.h"
#include "core/timeline/timeline.h"
#include "quota/order.h"

namespace tutti::core {

// Nodes by pod set, in the order of its pods.
using SetPlaces = std::vector<std::vector<NodeId>>;

struct PromisedStart {
  std::string request;
  quota::QuotaNodeId queue;
  std::uint32_t borrow_level = 0;
  std::set<std::string> flavors{};  // that it could use
  Instant start{};
  std::optional<Instant> end{};  // absent: it may run for ever
  bool certain = false;          // every end that it needs is kept by somebody
  // Nobody knows when: places are collected as they come free, and `start` is the end of time.
  bool collects = false;
  Instant found_at{};
  std::uint64_t ended = 0;          // Timeline::ended() then
  bool of_all = false;              // of a queue that plans everybody
  std::vector<Runner> waits_for{};  // whose ends make its start; collecting: all who are in its way
  std::vector<quota::Charge> charges{};
  std::vector<PodSetPromise> promise{};
  SetPlaces places{};
};

// The reservations of one tree, in the order in which their requests are tried.
struct StartPlan {
  std::vector<PromisedStart> all{};
  Instant made{};                // when it was looked through last
  std::uint64_t timeline = 0;    // its version then
  bool came_back_early = false;  // capacity did, since then
  bool anew = false;  // capacity was lost, or somebody ranks higher: all are to be found anew

  const PromisedStart* find(const std::string& request) const {
    for (const PromisedStart& each : all) {
      if (each.request == request) return &each;
    }
    return nullptr;
  }
};

}  // namespace tutti::core
