// RunForecast: when something that waits will run, and what for, found by letting the world go on.
#pragma once

#include <set>

#include "base/std.h"
#include "base/time.h"
#include "model/pod.h"
#include "session/job_history.h"
#include "store/store.h"
#include "store/watch.h"

namespace tutti::session {

struct RunForecast {
  Millis at{0};                     // since the start of the run
  std::vector<std::string> causes;  // "Pod t/a ends", in order of names
  // What it rests on where not all that it needs was declared: "earlier pods of Job t/x ran 10m0s".
  std::vector<std::string> bases;
};

// "an estimate: earlier pods of Job t/x ran 10m0s"; empty without any basis.
std::string estimate_text(const std::vector<std::string>& bases);
// "in 7m0s, at 12m0s, when PodGroup t/b ends; an estimate: earlier pods of Job t/x ran 10m0s"
std::string text_of(const RunForecast& foresight, Millis now);

// What happens in the world that may make room: work that ends, nodes that come or open, objects
// that are created; and of the one who waits, pods that come and gates that open. Keeps what the
// latest eventful instant brought.
class RunForecasts {
 public:
  // The objects tell what groups are called. The history tells why pods end that do not say so
  // themselves; null: there is none. Of nobody in particular by an empty key.
  RunForecasts(const store::Store& objects, model::ObjectKey asked,
               std::shared_ptr<const JobHistory> history = {})
      : objects_(objects), asked_(std::move(asked)), history_(std::move(history)) {}

  void observe(const store::WatchEvent& event, Instant now);
  // Returns the causes of the latest instant; those of pods are counted to their groups.
  std::vector<std::string> latest() const { return {causes_.begin(), causes_.end()}; }
  // What the ends so far rest on that were expected and not declared.
  std::vector<std::string> bases() const { return {bases_.begin(), bases_.end()}; }

 private:
  bool is_asked(const model::Pod& pod) const;
  std::string of_asked(const store::WatchEvent& event) const;
  void note_basis(const store::WatchEvent& event);

  const store::Store& objects_;
  model::ObjectKey asked_;
  std::shared_ptr<const JobHistory> history_;
  Instant at_;
  std::set<std::string> causes_;
  std::set<std::string> bases_;
};

}  // namespace tutti::session
