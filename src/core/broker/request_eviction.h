// RequestEviction: requests that leave. Who is evicted keeps its charge until the last of its pods
// is gone; quota and machines come free together.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/broker/phantoms.h"
#include "core/broker/request_writer.h"
#include "core/cycle/state.h"
#include "core/requests/request_status.h"
#include "core/requests/request_table.h"

namespace tutti::core {

class RequestEviction {
 public:
  RequestEviction(SchedulerState& state, RequestTable& table, Phantoms& phantoms,
                  RequestWriter& writer)
      : state_(state), table_(table), phantoms_(phantoms), writer_(writer) {}

  // Evicts a request that holds quota. Nothing happens to one that leaves already.
  void evict(Request& request, const EvictionWords& words, Instant now);
  // The request has ended: its places are free, its charge stays with its pods.
  void end(Request& request, Instant now);
  // Gives back what a leaving request holds once nobody of it is left. Whether it did.
  bool release_if_empty(Request& request, Instant now);
  // Its pods that are not here yet will not come: the room kept for them is free.
  void drop_places(Request& request, Instant now);
  // Drops those of `pods` that are not here yet.
  void drop_places(std::span<const PodId> pods, Instant now);

 private:
  struct Freed {
    NodeId node;
    std::shared_ptr<const model::Pod> pod;
  };
  void add_place_of(PodId phantom, std::vector<Freed>& freed) const;
  void tell_of(std::span<const Freed> freed, Instant now);

  SchedulerState& state_;
  RequestTable& table_;
  Phantoms& phantoms_;
  RequestWriter& writer_;
};

}  // namespace tutti::core
