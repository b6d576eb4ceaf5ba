// Nobody is evicted for nothing: whoever is expected on a node that others were evicted from gets
// it, unless the world changed in between.
//
// Seen from the outside: a pending pod gets a nominated node while a pod there leaves as preempted.
// From then on it must be bound, or something other than the scheduler must have happened: a node
// came, changed or went, a pod was made, ended, or was deleted by someone else, a group changed, a
// binding failed.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "model/pod.h"
#include "store/watch.h"

namespace tutti::sim {

class PreemptionWatch {
 public:
  // What broke; empty: nothing.
  std::string observe(const store::WatchEvent& event);
  // To be asked when nothing more can change.
  std::string check_settled() const;

  struct Tally {
    std::uint64_t evicted = 0;  // pods, by preemption
    std::uint64_t in_vain = 0;  // preemptors that did not run, because the world changed
  };
  const Tally& tally() const { return tally_; }

 private:
  std::string observe_pod(const store::WatchEvent& event);
  bool leaves_for_others(const std::string& node) const;

  Tally tally_;
  std::uint64_t world_ = 0;  // rises when something else than the scheduler changed something
  std::map<model::ObjectKey, std::uint64_t>
      expected_;  // pods, with the world they were promised in
  std::map<std::string, std::set<model::ObjectKey>> leaving_;  // preempted, by node
};

}  // namespace tutti::sim
