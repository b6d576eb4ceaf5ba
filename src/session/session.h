// Session: manifests, a scheduler and a world in virtual time, run as far as asked.
#pragma once

#include <functional>
#include <map>
#include <set>

#include "base/result.h"
#include "base/std.h"
#include "expect/check.h"
#include "explain/explain.h"
#include "explain/findings/verdict_cache.h"
#include "explain/untracked_members.h"
#include "session/embedded.h"
#include "session/options.h"
#include "session/request_index.h"
#include "session/run_forecast.h"
#include "sim/run.h"
#include "sim/world.h"
#include "terminal/streams.h"
#include "whatif/quota/world.h"
#include "whatif/rehearsal.h"

namespace tutti::session {

// Reads and judges all input; notes for the user, and progress, go to streams.err.
// To people, beside the result.
void show_notes(const std::vector<std::string>& notes, terminal::Streams& streams);

Result<sim::Script> load_script(const ManifestPaths& paths, terminal::Streams& streams);

class Session {
 public:
  // Reads and judges all input; nothing runs yet. Notes for the user, and progress, go to
  // streams.err, which must outlive the session; so must `listener`, which may be null.
  static Result<std::unique_ptr<Session>> open(const SessionOptions& options,
                                               terminal::Streams& streams,
                                               core::DecisionListener* listener);
  // With a script that was made before; options.manifests has no part in it.
  static Result<std::unique_ptr<Session>> open(sim::Script script, const SessionOptions& options,
                                               terminal::Streams& streams,
                                               core::DecisionListener* listener);

  // Called after every change the scheduler took in and every attempt; must change nothing.
  void watch(std::function<void()> watcher) { watcher_ = std::move(watcher); }

  // To the end when absent. May be called again with a later instant; what options.check checks
  // holds over all of it.
  Status run_until(std::optional<Millis> until) { return run_until(until, {}); }
  // Runs as above, or until an instant came to rest with `enough`.
  Status run_until(std::optional<Millis> until, const std::function<bool()>& enough);

  // Where a question about the present is asked: at `until`, else at the moment at which a real
  // cluster was copied, else when all is settled.
  Status run_to_present(std::optional<Millis> until, const std::function<bool()>& enough = {}) {
    return run_until(until || !copied_ ? until : Millis{0}, enough);
  }

  const core::Scheduler& scheduler() const { return scheduler_; }
  // For verdicts on what the scheduler knows.
  explain::Sources sources() const;
  // The scheduler's profiles, made once more.
  Result<std::vector<core::Profile>> fresh_profiles() const;
  Instant now() const { return world_.clock().now(); }

  const store::Store& objects() const { return world_.store(); }
  Instant start() const { return world_.clock().start(); }
  // Virtual time since the start.
  Millis elapsed() const { return world_.clock().now() - start(); }

  // The kinds of input that are kept but not interpreted: "Foo".
  const std::set<std::string>& strange_kinds() const { return strange_kinds_; }

  // Whether there is such an object, or pods that name such a group.
  bool knows(const model::ObjectKey& key) const;

  // Requires an object that is known, of a kind that is explained.
  explain::Verdict verdict(const model::ObjectKey& key) const;
  // What would let it run, rehearsed at the present instant; see whatif/ways.h. The same
  // requirement; empty unless it waits or is held.
  std::vector<explain::Way> ways(const model::ObjectKey& key);
  // The verdict's word on evicting others, with everyone on a node who is refused; see
  // whatif/ways.h. The same requirement; what the verdict says unless it waits.
  explain::Preemption evictions(const model::ObjectKey& key);
  // Who is in the queue before it, in the words people wrote: how many, and the first of them.
  // Empty: nobody, or it is not in the queue. The same requirement.
  std::string ahead_of(const model::ObjectKey& key) const;
  // "ns/name" of the request (Kueue's Workload) that the object is or was made for it; empty: none.
  std::string request_of(const model::ObjectKey& key) const;
  // Where room is kept for pods of that request which are to come, and what it was promised.
  struct Kept {
    std::string flavors;                                      // "flavor a"
    std::vector<std::pair<std::string, std::string>> places;  // "ns/request#set-0" → node
  };
  Kept kept_for(const std::string& request) const;
  // From now on pods that do not say how long they run end as those did that ran before them. What
  // is returned tells which, and why.
  std::shared_ptr<const JobHistory> expect_ends();
  // Lets time pass until an instant came to rest with `enough`, as far as anybody plans ahead.
  Status run_ahead(const std::function<bool()>& enough);
  // When it will run, and what for; empty when nothing that is under way, planned or to be expected
  // by a Job's history brings it there. The session's time has moved on afterwards: ask everything
  // else before.
  Result<std::optional<RunForecast>> foresee(const model::ObjectKey& key);
  // Who is told of every change from now on, before the scheduler is; foresee() takes his place.
  void listen(std::function<void(const store::WatchEvent&)> listener) {
    driver_.listen(std::move(listener));
  }
  // Lets more happen from now on.
  void play(sim::Script script) { world_.play(noted(std::move(script))); }
  // The verdict in the words of the table, which tells more states apart: "Finished" groups, and
  // pods that are "Succeeded", "Failed", "Terminating" or, of another scheduler, "Foreign".
  expect::Standing standing(const model::ObjectKey& key) const;
  // Unassigned pods that name a scheduler which is not ours.
  std::size_t foreign_pods() const;
  bool is_foreign(const model::Pod& pod) const;
  // Ours, as pods may name them.
  const std::set<std::string>& scheduler_names() const { return scheduler_names_; }

 private:
  Session(sim::Script script, const SessionOptions& options, core::SchedulerConfig config,
          std::vector<core::Profile> profiles, terminal::Streams& streams,
          core::DecisionListener* listener);
  void stepped();
  std::string progress_text() const;
  const explain::UntrackedMembers& absentees() const;
  std::string pod_state(const model::Pod& pod, const explain::Verdict& said) const;
  bool has_finished(const model::ObjectKey& group) const;
  model::ObjectPtr work_of(const model::ObjectKey& key) const;
  std::optional<whatif::Asker> asker_for(const model::ObjectKey& key) const;
  // Writes down what is to be known of the input, and hands the script on.
  sim::Script noted(sim::Script script);
  // The request that speaks for the object; null: there is none, or its pods speak for themselves.
  const core::Request* request_behind(const model::ObjectKey& key) const;
  const core::Request* request_made_for(const model::ObjectKey& key) const;
  // Everything as it is now; valid as long as the session.
  whatif::World world_now() const;
  whatif::Origin where_people_write(whatif::Origin origin) const;
  // What is known here beyond the scheduler; `forms` must outlive it.
  whatif::Neighbours neighbours(std::map<std::string, whatif::Form>& forms) const;

  core::SchedulerConfig config_;
  core::QuotaConfig quota_;
  std::string config_path_;
  std::string plugin_dir_;
  std::set<std::string> scheduler_names_;  // ours
  std::set<std::string> strange_kinds_;
  bool copied_;  // from a real cluster
  std::map<sim::Script::SharedSpec, sim::Script::SharedSpec> written_specs_;
  // Keys of the input's own objects that controllers could have made as well: groups, owned pods
  // and Jobs.
  std::set<model::ObjectKey> written_;
  std::set<std::string> group_versions_;  // in which the input has objects of scheduling.k8s.io
  sim::World world_;
  core::Scheduler scheduler_;
  mutable explain::VerdictCache verdict_memory_{scheduler_.cluster()};
  terminal::Progress progress_;
  std::function<void()> watcher_;
  EmbeddedScheduler driver_;
  sim::Runner runner_;
  mutable explain::UntrackedMembers absentees_{nullptr};  // of the store at absentees_version_
  mutable std::optional<std::uint64_t> absentees_version_;
  mutable RequestIndex requests_;
};

// What expectations and tables look at; valid as long as the session.
expect::Scene scene_of(const Session& session);

}  // namespace tutti::session
