// Session: manifests, a scheduler and a world in virtual time, run as far as asked.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/result.h"
#include "cli/embedded.h"
#include "cli/options.h"
#include "cli/streams.h"
#include "expect/check.h"
#include "explain/absentees.h"
#include "explain/explain.h"
#include "sim/run.h"
#include "sim/world.h"

namespace tutti::cli {

class Session {
 public:
  // Reads and judges all input; nothing runs yet. Notes for the user, and progress, go to
  // streams.err, which must outlive the session; so must `listener`, which may be null.
  static Result<std::unique_ptr<Session>> open(const SessionOptions& options, Streams& streams,
                                               core::DecisionListener* listener);

  // To the end when absent. May be called again with a later instant; what options.check checks
  // holds over all of it.
  Status run_until(std::optional<Millis> until);

  const store::Store& objects() const { return world_.store(); }
  // Virtual time since the start.
  Millis elapsed() const { return world_.clock().now() - sim::kEpoch; }

  // The kinds of input that are kept but not interpreted: "Foo".
  const std::set<std::string>& strange_kinds() const { return strange_kinds_; }

  // Whether there is such an object, or pods that name such a group.
  bool knows(const model::ObjectKey& key) const;

  // Requires an object that is known, of a kind that is explained.
  explain::Verdict verdict(const model::ObjectKey& key) const;
  // The verdict in the words of the table, which tells more states apart: "Finished" groups, and
  // pods that are "Succeeded", "Failed", "Terminating" or, of another scheduler, "Foreign".
  expect::Standing standing(const model::ObjectKey& key) const;
  // Unassigned pods that name a scheduler which is not ours.
  std::size_t foreign_pods() const;

 private:
  Session(sim::Script script, const SessionOptions& options, core::SchedulerConfig config,
          std::vector<core::Profile> profiles, Streams& streams, core::DecisionListener* listener);
  std::function<void()> progress_shower();
  std::string progress_text() const;
  bool is_foreign(const model::Pod& pod) const;
  explain::Sources sources() const;
  const explain::Absentees& absentees() const;
  std::string pod_state(const model::Pod& pod, const explain::Verdict& said) const;
  bool has_finished(const model::ObjectKey& group) const;

  std::set<std::string> scheduler_names_;  // ours
  std::set<std::string> strange_kinds_;
  sim::World world_;
  core::Scheduler scheduler_;
  Progress progress_;
  EmbeddedScheduler driver_;
  sim::Runner runner_;
  mutable explain::Absentees absentees_{nullptr};  // of the store at absentees_version_
  mutable std::optional<std::uint64_t> absentees_version_;
};

}  // namespace tutti::cli
