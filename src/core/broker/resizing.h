// Resizing: elastic requests that run with fewer pods than they asked for, and get them back.
//
//   shrink   promised less at once; charged and in place until the pods are gone, which whoever
//            runs the work sees to
//   grow     when nobody else of the tree waits: as many pods more as have quota and places
//
// The pods of the highest index leave first.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "core/broker/phantoms.h"
#include "core/broker/request_eviction.h"
#include "core/broker/request_writer.h"
#include "core/cycle/cycle.h"
#include "core/cycle/state.h"
#include "core/requests/request_table.h"

namespace tutti::core {

// The pods of the request that leave first if `kept` of them stay; phantoms among them.
std::vector<PodId> pods_beyond(const Request& request, std::int64_t kept, const Cluster& cluster,
                               const Phantoms& phantoms);

class Resizing {
 public:
  Resizing(SchedulerState& state, Cycle& cycle, RequestTable& table, Phantoms& phantoms,
           RequestEviction& eviction, RequestWriter& writer)
      : state_(state),
        cycle_(cycle),
        table_(table),
        phantoms_(phantoms),
        eviction_(eviction),
        writer_(writer) {}

  // Takes `pods` surplus pods away from a request that runs. Requires that it has so many.
  void shrink(Request& request, std::int64_t pods, const EvictionWords& words, Instant now);
  // Takes on a request that was made smaller before this scheduler knew it.
  void adopt(Request& request, Instant now);
  // Charges what the request has now; once what it was to lose is gone, it no longer shrinks.
  void settle(Request& request);
  // Lets the first that may have more pods have them. Whether there was one.
  bool grow(Instant now);

 private:
  bool has_rival(const Request& request) const;
  std::int64_t room_by_quota(const Request& request);
  // The phantoms for so many more pods; null: they are nobody's here.
  PhantomGang* more_pods(const Request& request, std::int64_t pods, Instant now);
  bool have_places(const Request& request, std::int64_t pods, Instant now);
  bool grow(Request& request, std::int64_t pods, Instant now);
  void change_domains(PodSetPromise& promise, std::span<const PodId> pods, int change) const;

  SchedulerState& state_;
  Cycle& cycle_;
  RequestTable& table_;
  Phantoms& phantoms_;
  RequestEviction& eviction_;
  RequestWriter& writer_;
};

}  // namespace tutti::core
