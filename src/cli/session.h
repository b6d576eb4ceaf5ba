// Session: manifests, a scheduler and a world in virtual time, run as far as asked.
#pragma once

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
#include "explain/verdict.h"
#include "sim/run.h"
#include "sim/world.h"

namespace tutti::cli {

class Session {
 public:
  // Reads and judges all input; nothing runs yet. Notes for the user go to streams.err. `listener`
  // may be null; else it must outlive the session.
  static Result<std::unique_ptr<Session>> open(const SessionOptions& options, Streams& streams,
                                               core::DecisionListener* listener);

  // To the end when absent. May be called again with a later instant.
  Status run_until(std::optional<Millis> until);

  const store::Store& objects() const { return world_.store(); }
  // Virtual time since the start.
  Millis elapsed() const { return world_.clock().now() - sim::kEpoch; }

  // The kinds of input that are kept but not interpreted: "Foo".
  const std::set<std::string>& strange_kinds() const { return strange_kinds_; }

  // Requires a pod, pod group or composite pod group that exists.
  explain::Verdict verdict(const model::ObjectKey& key) const;
  // The verdict in words; a pod of another scheduler is "Foreign".
  expect::Standing standing(const model::ObjectKey& key) const;
  // Unassigned pods that name a scheduler which is not ours.
  std::size_t foreign_pods() const;

 private:
  Session(sim::Script script, const SessionOptions& options, core::SchedulerConfig config,
          std::vector<core::Profile> profiles, core::DecisionListener* listener);
  bool is_foreign(const model::Pod& pod) const;

  std::set<std::string> scheduler_names_;  // ours
  std::set<std::string> strange_kinds_;
  sim::World world_;
  core::Scheduler scheduler_;
  EmbeddedScheduler driver_;
};

}  // namespace tutti::cli
