// Replay: jobs come, the scheduler places them, they run and leave; all in virtual time.
//
//   at one instant:  jobs that are done leave, or fail, in the order of rows
//                    nodes return; nodes go, with the pods on them
//                    jobs that failed come back, and jobs arrive, in the order of rows
//                    the scheduler decides until nothing more starts
//   then:            on to the next event, or to the time at which the scheduler would try again
//
// A job runs from the moment at which its minimum of pods is bound. Its work is its duration times
// its pods; so many pods as run work it off, as fast as their places let them (progress.h). A gang
// that falls below its minimum stops, loses what it did since its last checkpoint, and waits again.
#pragma once

#include <functional>
#include <queue>
#include <tuple>
#include <unordered_map>

#include "base/std.h"
#include "core/framework/ports.h"
#include "core/scheduler/scheduler.h"
#include "replay/outages.h"
#include "replay/progress.h"
#include "replay/series.h"
#include "replay/slowdown.h"
#include "replay/workload.h"

namespace tutti::replay {

struct ReplayOptions {
  std::optional<Millis> until;
  // A job that does not start when it arrives leaves at once: nobody waits.
  bool one_attempt = false;
  // Jobs are killed at their limit.
  bool enforce_limits = false;
  // Jobs ask a queue, which has no quota: they start in its order, and by its rule of backfill.
  bool in_queue = false;
  bool strict = false;  // that queue is StrictFIFO
  // How much longer than its duration a job takes there, in millionths; empty: no longer anywhere.
  // Nodes by index with how many pods each has, in the order of nodes.
  std::function<std::int64_t(const trace::Job&, std::span<const NodePods>)> slowdown = {};
  FailureModel failures = {};
  std::uint64_t failure_seed = 0;
  // After the instant at which a job arrived came to rest.
  std::function<void(JobIndex)> arrived = {};
};

// What became of one job.
struct JobOutcome {
  enum class State : std::uint8_t {
    waiting,  // to the end
    running,  // at the end
    completed,
    killed,       // at its limit
    failed,       // once more often than it may be started again
    turned_away,  // with one attempt only
    impossible,   // more than the empty cluster has
  };
  State state = State::waiting;
  std::optional<Millis> first_start;
  std::optional<Millis> end;
  std::int32_t attempts = 0;
  HeldTime time;  // of its pods, in all attempts
  // Nodes of the last attempt, by index, with how many pods each has; in the order of nodes.
  std::vector<std::pair<std::uint32_t, std::int32_t>> places;
};

// Figures added up at every event; independent of what jobs say of themselves.
struct Usage {
  std::int64_t gpu_milli = 0;  // allocated now
  std::int64_t milli_cpu = 0;
  std::int64_t running = 0;     // pods
  std::int64_t waiting = 0;     // jobs that came and do not run
  double gpu_milli_millis = 0;  // integrals since the start
  double milli_cpu_millis = 0;
  // What nodes offer that are up.
  std::int64_t offered_gpu_milli = 0;
  std::int64_t offered_milli_cpu = 0;
  double offered_gpu_milli_millis = 0;
  double offered_milli_cpu_millis = 0;
};

struct Tally {
  std::uint64_t pod_starts = 0;
  std::uint64_t pod_ends = 0;
  std::uint64_t preemptions = 0;  // attempts ended for another job
  std::uint64_t outages = 0;      // of nodes
  std::uint64_t killed_pods = 0;  // by them
  std::uint64_t failures = 0;     // attempts that failed by themselves
};

class Replay final : private core::ClusterPort {
 public:
  // Everything given must outlive it. `node_names`: in the order of `nodes`, unique; ties end at
  // the order of names.
  Replay(Workload& workload, std::span<const trace::Node> nodes,
         std::span<const std::string> node_names, const core::SchedulerConfig& config,
         std::vector<core::Profile> profiles, const ReplayOptions& options);

  void run();

  const std::vector<JobOutcome>& outcomes() const { return outcomes_; }
  const Usage& usage() const { return usage_; }
  const Tally& tally() const { return tally_; }
  const Series& series() const { return series_; }
  Millis now() const { return now_; }
  std::uint64_t digest() const { return scheduler_.digest(); }
  // What should never be, of the scheduler's books and of ours; empty: nothing.
  std::string problem() const;

 private:
  // The end of an attempt, or of the time that a job stays away after it failed.
  struct Event {
    Millis at;
    bool returns;
    JobIndex job;
    std::uint32_t version;  // of the job's plan; an older one was overtaken
    // The earliest comes first out of a priority queue, which has the largest on top.
    friend bool operator<(const Event& a, const Event& b) {
      return std::tie(b.at, b.returns, b.job) < std::tie(a.at, a.returns, a.job);
    }
  };
  // A job between its arrival and its end.
  struct Active {
    explicit Active(const Progress& fresh) : progress(fresh) {}
    std::vector<std::shared_ptr<const model::Pod>> pods;     // by replica
    std::shared_ptr<const model::AdmissionRequest> request;  // in a queue only
    std::vector<std::uint32_t> nodes;                        // by replica; kNoNode: waits
    std::int32_t bound = 0;
    std::int32_t incarnation = 0;  // of pods; names are never used again
    bool runs = false;
    Millis started{0};  // this attempt
    Millis counted{0};  // progress was made up to here
    Progress progress;
    std::int32_t failures = 0;
  };
  enum class Loss : std::uint8_t { preempted, node_gone };
  static constexpr std::uint32_t kNoNode = core::kNoIndex;

  // --- ClusterPort -------------------------------------------------------------------------------
  void bind(const core::BindRequest& request) override { binds_.push_back(request); }
  void evict(const core::PodReference& pod, const model::Condition&) override {
    evictions_.push_back(pod.name);
  }
  // What the scheduler says of its decisions is for people; a replay asks nobody to read it.
  void patch_pod(const core::PodStatusPatch&) override {}
  void patch_group(const core::GroupConditionPatch&) override {}
  void record(const core::EventRecord&) override {}
  void update(const model::ObjectPtr&) override {}
  void update_request(const std::shared_ptr<const model::AdmissionRequest>& request) override {
    written_.push_back(request);
  }
  void update_queue_status(const model::ObjectPtr&) override {}

  Instant instant() const { return Instant{now_}; }
  void observe(core::Observation::Type type, const model::ObjectPtr& object);
  std::optional<Millis> next_event();
  void move_to(Millis time);
  void act();
  void arrive(JobIndex job);
  void start_over(JobIndex job, Active& active);
  void change_nodes();
  void lose_node(std::uint32_t node);
  void offer(std::uint32_t node, std::int64_t sign);
  void settle();
  void pass();
  void take_written();
  void take_binds();
  void take_evictions();
  void bound(const core::BindRequest& request);
  void lose_pod(PodIndex index, Loss why);
  void stop(JobIndex job, Active& active);
  void release(JobIndex job, Active& active);
  void work_off(Active& active);
  std::int64_t slowdown_of(JobIndex job, const Active& active) const;
  void plan_end(JobIndex job, const Active& active);
  void finish(JobIndex job);
  void fail(JobIndex job);
  void leave(JobIndex job, JobOutcome::State state);
  void remove_pod(JobIndex job, Active& active, std::int32_t replica);
  void count_pod(JobIndex job, std::int64_t sign);
  bool fits_empty_cluster(JobIndex job);
  std::int64_t room_of(const trace::Node& node, const trace::Job& job) const;

  Workload& workload_;
  std::span<const trace::Node> nodes_;
  ReplayOptions options_;
  core::Scheduler scheduler_;
  std::unordered_map<std::string, std::uint32_t> node_index_;
  std::vector<JobOutcome> outcomes_;
  std::unordered_map<JobIndex, Active> active_;
  std::vector<std::uint32_t> plan_version_;
  std::priority_queue<Event> events_;
  Outages outages_;
  std::span<const std::string> node_names_;
  bool counts_gpus_;  // else CPUs are what is scarce
  JobIndex next_arrival_ = 0;
  Millis now_{0};
  std::vector<core::BindRequest> binds_;
  std::vector<std::string> evictions_;
  std::vector<std::shared_ptr<const model::AdmissionRequest>> written_;
  std::vector<JobIndex> changed_;  // at this instant
  std::unordered_map<std::string, bool> fits_;
  Usage usage_;
  Series series_;
  Tally tally_;
  std::string broken_;
};

}  // namespace tutti::replay
