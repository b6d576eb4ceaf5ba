// Expectations: the timeline of what holds quota or machines, kept up to date with requests and
// pods.
#pragma once

#include <set>

#include "base/std.h"
#include "base/time.h"
#include "core/cycle/state.h"
#include "core/requests/request_table.h"
#include "core/timeline/run_time.h"
#include "core/timeline/timeline.h"

namespace tutti::core {

class Expectations {
 public:
  Expectations(SchedulerState& state, RequestTable& table) : state_(state), table_(table) {}

  // From now on everything is followed; what is there already is looked at.
  void begin();
  void pod_seen(PodId pod) { changed_pods_.insert(pod); }
  // The pod is about to be forgotten.
  void pod_gone(PodId pod);
  // Takes in what has changed. Whether something was gone before it was expected.
  bool catch_up(Instant now);

  const Timeline& timeline() const { return timeline_; }
  // How long the request runs, by what it says, or its queue for it.
  RunTime run_time(const Request& request) const;
  // Nothing to say between a change and catch_up().
  std::string check_consistency() const;

 private:
  std::optional<Expectation> of(const Request& request) const;
  std::optional<Expectation> of(PodId pod) const;

  SchedulerState& state_;
  RequestTable& table_;
  Timeline timeline_;
  std::set<PodId> changed_pods_;
  bool early_ = false;
};

}  // namespace tutti::core
