// JobHistory: how long pods of Jobs may be expected to run, by what ran before them.
//
// A pod of a Job is expected to run as long as the longest of those pods of the Job that succeeded.
// Where none has, as long as the longest finished Job of the same owner (a CronJob's last run) with
// the same pod spec: its longest pod, or all of it where its pods are gone. A pod that has run for
// longer than that already is not like the others, and nothing is expected of it.
#pragma once

#include <map>

#include "base/std.h"
#include "base/time.h"
#include "model/pod.h"
#include "store/store.h"

namespace tutti::session {

struct Precedent {
  Millis length{0};
  std::string text;  // "earlier pods of Job t/x ran 10m0s"
};

class JobHistory {
 public:
  // What has ended until now; later ends are not learned from.
  JobHistory(const store::Store& objects, Instant now);

  // Null: it is of no Job, or nothing like it has ended.
  const Precedent* of(const model::Pod& pod) const;
  // When a pod that began at `begin` is expected to end; empty: nobody can say.
  std::optional<Instant> end_of(const model::Pod& pod, Instant begin) const;

 private:
  Instant now_;
  std::map<std::string, Precedent> precedents_;  // by uid of the Job
};

}  // namespace tutti::session
