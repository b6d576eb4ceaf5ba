#include "replay/replay.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "base/check.h"

namespace tutti::replay {

using Type = core::Observation::Type;

namespace {

// A job that was stopped so often will never be done.
constexpr std::int32_t kAttemptsMax = 10'000;

// How long a job stays away after it failed: 10 s, twice as long each time, at most 6 minutes.
Millis away_after(std::int32_t failures) {
  constexpr std::int32_t kDoublings = 6;
  constexpr Millis kFirst{10'000};
  constexpr Millis kMost{360'000};
  return std::min(kMost, kFirst * (1 << std::min(failures - 1, kDoublings)));
}

Progress progress_of(const trace::Job& job) {
  const auto work = job.duration ? std::optional(job.duration->count() * job.replicas)
                                 : std::optional<std::int64_t>();
  return {work, {job.checkpoint_every, job.checkpoint_cost, job.restart_cost}};
}

core::QuotaConfig quota_of(const ReplayOptions& options) {
  core::QuotaConfig quota;
  // Only places are scarce.
  if (options.in_queue) quota.undeclared = core::UndeclaredResources::ignore;
  return quota;
}

}  // namespace

Replay::Replay(Workload& workload, std::span<const trace::Node> nodes,
               std::span<const std::string> node_names, const core::SchedulerConfig& config,
               std::vector<core::Profile> profiles, const ReplayOptions& options)
    : workload_(workload),
      nodes_(nodes),
      options_(options),
      scheduler_({.config = config, .quota = quota_of(options)}, std::move(profiles), *this),
      outcomes_(workload.jobs().size()),
      plan_version_(workload.jobs().size()),
      outages_(nodes, options.failures, options.failure_seed),
      node_names_(node_names),
      counts_gpus_(std::ranges::any_of(nodes, [](const auto& node) { return node.gpus > 0; })) {
  TUTTI_CHECK(nodes.size() == node_names.size(), "every node has a name");
  for (std::uint32_t i = 0; i < nodes.size(); ++i) {
    const bool fresh = node_index_.emplace(node_names[i], i).second;
    TUTTI_CHECK(fresh, node_names[i]);
    observe(Type::added, workload_.make_node(nodes[i], node_names[i]));
    offer(i, 1);
  }
  if (!options_.in_queue) return;
  for (const auto& object : Workload::make_queue(options_.strict)) observe(Type::added, object);
}

void Replay::observe(Type type, const model::ObjectPtr& object) {
  scheduler_.observe({type, object, false}, instant());
}

void Replay::run() {
  while (const auto next = next_event()) {
    if (options_.until && *next > *options_.until) break;
    move_to(*next);
    act();
  }
  if (options_.until && now_ < *options_.until) move_to(*options_.until);
  for (auto& [job, active] : active_) {
    work_off(active);
    if (active.runs) outcomes_[job].state = JobOutcome::State::running;
    outcomes_[job].time = active.progress.time();
  }
}

std::optional<Millis> Replay::next_event() {
  while (!events_.empty() && events_.top().version != plan_version_[events_.top().job]) {
    events_.pop();
  }
  std::optional<Millis> next;
  const auto consider = [&](Millis time) { next = next ? std::min(*next, time) : time; };
  if (next_arrival_ < workload_.jobs().size()) {
    consider(workload_.jobs()[next_arrival_].submit);
  }
  if (!events_.empty()) consider(events_.top().at);
  // When nothing is left to happen, nodes may go and return for ever.
  const bool goes_on = next || options_.until || (outages_.any_down() && !active_.empty());
  if (const auto outage = outages_.next(); outage && goes_on) consider(*outage);
  if (const auto wakeup = scheduler_.next_wakeup()) {
    const Millis at = std::max(wakeup->time_since_epoch(), now_ + Millis{1});
    if ((!next || at < *next) && !scheduler_.settled()) consider(at);
  }
  return next;
}

void Replay::move_to(Millis time) {
  TUTTI_CHECK(time >= now_, "time does not run backwards");
  series_.add(time - now_,
              {counts_gpus_ ? usage_.gpu_milli : usage_.milli_cpu,
               counts_gpus_ ? usage_.offered_gpu_milli : usage_.offered_milli_cpu, usage_.waiting});
  const auto span = static_cast<double>((time - now_).count());
  usage_.gpu_milli_millis += static_cast<double>(usage_.gpu_milli) * span;
  usage_.milli_cpu_millis += static_cast<double>(usage_.milli_cpu) * span;
  usage_.offered_gpu_milli_millis += static_cast<double>(usage_.offered_gpu_milli) * span;
  usage_.offered_milli_cpu_millis += static_cast<double>(usage_.offered_milli_cpu) * span;
  now_ = time;
}

void Replay::act() {
  // Ends come before returns of one instant.
  std::vector<JobIndex> returning;
  while (!events_.empty() && events_.top().at <= now_) {
    const Event event = events_.top();
    events_.pop();
    if (event.version != plan_version_[event.job]) continue;
    if (event.returns) {
      returning.push_back(event.job);
    } else {
      finish(event.job);
    }
  }
  change_nodes();
  for (const JobIndex job : returning) start_over(job, active_.at(job));
  const JobIndex first = next_arrival_;
  const auto& jobs = workload_.jobs();
  while (next_arrival_ < jobs.size() && jobs[next_arrival_].submit <= now_) {
    arrive(next_arrival_++);
    // Where nobody waits, one is decided about before the next comes.
    if (options_.one_attempt) break;
  }
  pass();
  settle();
  for (JobIndex job = first; job < next_arrival_; ++job) {
    const auto at = active_.find(job);
    if (options_.one_attempt && at != active_.end() && !at->second.runs) {
      leave(job, JobOutcome::State::turned_away);
    }
    if (options_.arrived) options_.arrived(job);
  }
}

void Replay::arrive(JobIndex job) {
  if (!options_.one_attempt && !fits_empty_cluster(job)) {
    outcomes_[job].state = JobOutcome::State::impossible;
    return;
  }
  Active& active = active_.emplace(job, Active(progress_of(workload_.jobs()[job]))).first->second;
  ++usage_.waiting;
  const auto replicas = static_cast<std::size_t>(workload_.jobs()[job].replicas);
  active.pods.resize(replicas);
  active.nodes.assign(replicas, kNoNode);
  if (const auto group = workload_.make_group(job)) observe(Type::added, group);
  start_over(job, active);
}

// All its pods wait, with all the work before them that no checkpoint keeps.
void Replay::start_over(JobIndex index, Active& active) {
  const trace::Job& job = workload_.jobs()[index];
  if (options_.in_queue && active.request == nullptr) {
    active.request = workload_.make_request(index, instant());
    return observe(Type::added, active.request);
  }
  ++active.incarnation;
  for (std::int32_t i = 0; i < job.replicas; ++i) {
    auto& pod = active.pods[static_cast<std::size_t>(i)];
    pod = workload_.make_pod({index, i}, active.incarnation);
    observe(Type::added, pod);
  }
}

void Replay::offer(std::uint32_t node, std::int64_t sign) {
  usage_.offered_gpu_milli += sign * nodes_[node].gpus * trace::kGpu;
  usage_.offered_milli_cpu += sign * nodes_[node].milli_cpu;
}

void Replay::change_nodes() {
  for (const Outages::Change& change : outages_.take(now_)) {
    if (change.down) {
      lose_node(change.node);
      continue;
    }
    offer(change.node, 1);
    observe(Type::added, workload_.make_node(nodes_[change.node], node_names_[change.node]));
  }
}

void Replay::lose_node(std::uint32_t node) {
  ++tally_.outages;
  std::vector<JobIndex> hit;
  for (const auto& [job, active] : active_) {
    if (std::ranges::find(active.nodes, node) != active.nodes.end()) hit.push_back(job);
  }
  std::ranges::sort(hit);
  for (const JobIndex job : hit) {
    // One pod after the other, unless the job stops with the first of them.
    for (auto at = active_.find(job); at != active_.end(); at = active_.find(job)) {
      const auto lost = std::ranges::find(at->second.nodes, node);
      if (lost == at->second.nodes.end()) break;
      lose_pod({job, static_cast<std::int32_t>(lost - at->second.nodes.begin())}, Loss::node_gone);
    }
  }
  offer(node, -1);
  observe(Type::deleted, workload_.make_node(nodes_[node], node_names_[node]));
}

// What came of the instant for those whose pods changed.
void Replay::settle() {
  std::vector<JobIndex> changed = std::exchange(changed_, {});
  std::ranges::sort(changed);
  const auto repeated = std::ranges::unique(changed);
  changed.erase(repeated.begin(), repeated.end());
  for (const JobIndex job : changed) {
    const auto at = active_.find(job);
    if (at == active_.end() || at->second.bound == 0) continue;
    Active& active = at->second;
    if (!active.runs) {
      broken_ = fmt::format("job {} holds {} pods, less than its minimum", workload_.jobs()[job].id,
                            active.bound);
      continue;
    }
    active.progress.change(active.bound, slowdown_of(job, active));
    plan_end(job, active);
  }
}

void Replay::pass() {
  bool busy = true;
  while (busy) {
    busy = false;
    while (scheduler_.schedule_one(instant())) busy = true;
    busy = busy || !binds_.empty() || !evictions_.empty() || !written_.empty();
    take_written();
    take_binds();
    take_evictions();
  }
}

// What the queue says of jobs; those it admits get their pods.
void Replay::take_written() {
  for (const auto& request : std::exchange(written_, {})) {
    const JobIndex job = Workload::job_of(*request);
    const auto at = active_.find(job);
    if (at == active_.end()) continue;
    Active& active = at->second;
    const bool admitted = !model::has_condition(*active.request, "Admitted") &&
                          model::has_condition(*request, "Admitted");
    active.request = request;
    observe(Type::modified, active.request);
    if (admitted) start_over(job, active);
  }
}

void Replay::take_binds() {
  for (const core::BindRequest& request : std::exchange(binds_, {})) bound(request);
}

void Replay::bound(const core::BindRequest& request) {
  const PodIndex index = index_of(request.pod.name);
  const auto at = active_.find(index.job);
  const auto replica = static_cast<std::size_t>(index.replica);
  if (at == active_.end() || at->second.pods[replica]->meta.uid != request.pod.uid) {
    scheduler_.bind_finished(request.pod, Error{Error::Code::not_found, "the pod is gone"},
                             instant());
    return;
  }
  Active& active = at->second;
  TUTTI_CHECK(active.nodes[replica] == kNoNode, "a pod is bound once");
  work_off(active);
  scheduler_.bind_finished(request.pod, ok_status(), instant());
  auto pod = std::make_shared<model::Pod>(*active.pods[replica]);
  pod->node_name = request.node;
  active.pods[replica] = pod;
  observe(Type::modified, pod);
  active.nodes[replica] = node_index_.at(request.node);
  ++active.bound;
  ++tally_.pod_starts;
  count_pod(index.job, 1);
  changed_.push_back(index.job);
  const bool starts = !active.runs && active.bound >= workload_.jobs()[index.job].minimum;
  if (starts) {
    active.runs = true;
    active.started = active.counted = now_;
    active.progress.start(active.bound, kNoSlowdown);
    --usage_.waiting;
    JobOutcome& outcome = outcomes_[index.job];
    if (!outcome.first_start) outcome.first_start = now_;
    ++outcome.attempts;
  }
}

void Replay::take_evictions() {
  for (const std::string& name : std::exchange(evictions_, {})) {
    const PodIndex index = index_of(name);
    const auto at = active_.find(index.job);
    // A pod that left meanwhile, with its job or for another preemptor.
    if (at == active_.end()) continue;
    if (at->second.pods[static_cast<std::size_t>(index.replica)]->meta.name != name) continue;
    lose_pod(index, Loss::preempted);
  }
}

void Replay::lose_pod(PodIndex index, Loss why) {
  Active& active = active_.at(index.job);
  work_off(active);
  ++(why == Loss::preempted ? tally_.preemptions : tally_.killed_pods);
  changed_.push_back(index.job);
  const bool below = active.bound - 1 < workload_.jobs()[index.job].minimum;
  if (active.runs && !below) {
    remove_pod(index.job, active, index.replica);
    auto& pod = active.pods[static_cast<std::size_t>(index.replica)];
    pod = workload_.make_pod(index, ++active.incarnation);
    observe(Type::added, pod);
    return;
  }
  stop(index.job, active);
}

// Ends the attempt and waits again, unless that has been so too often.
void Replay::stop(JobIndex job, Active& active) {
  if (outcomes_[job].attempts >= kAttemptsMax) return leave(job, JobOutcome::State::failed);
  release(job, active);
  start_over(job, active);
}

// Gives up all that it holds; what it did since its last checkpoint is lost.
void Replay::release(JobIndex job, Active& active) {
  if (active.runs) {
    active.progress.interrupt();
    ++usage_.waiting;
  }
  active.runs = false;
  ++plan_version_[job];
  for (std::int32_t i = 0; i < workload_.jobs()[job].replicas; ++i) remove_pod(job, active, i);
  if (active.request != nullptr) observe(Type::deleted, std::exchange(active.request, nullptr));
}

void Replay::work_off(Active& active) {
  if (active.runs) active.progress.advance(now_ - active.counted);
  active.counted = now_;
}

std::int64_t Replay::slowdown_of(JobIndex job, const Active& active) const {
  if (!options_.slowdown) return kNoSlowdown;
  std::map<std::uint32_t, std::int32_t> pods;
  for (const std::uint32_t node : active.nodes) {
    if (node != kNoNode) ++pods[node];
  }
  const std::vector<NodePods> places(pods.begin(), pods.end());
  return options_.slowdown(workload_.jobs()[job], places);
}

void Replay::plan_end(JobIndex job, const Active& active) {
  const std::uint32_t version = ++plan_version_[job];
  const trace::Job& asked = workload_.jobs()[job];
  std::optional<Millis> end;
  const auto at_most = [&](Millis time) { end = end ? std::min(*end, time) : time; };
  if (const auto left = active.progress.until_done()) at_most(now_ + *left);
  if (options_.enforce_limits && asked.limit) at_most(active.started + *asked.limit);
  if (asked.fails_after) at_most(active.started + *asked.fails_after);
  if (end) events_.push({std::max(*end, now_), false, job, version});
}

void Replay::finish(JobIndex job) {
  Active& active = active_.at(job);
  work_off(active);
  const auto& fails_after = workload_.jobs()[job].fails_after;
  if (active.progress.done()) return leave(job, JobOutcome::State::completed);
  if (fails_after && now_ - active.started >= *fails_after) return fail(job);
  leave(job, JobOutcome::State::killed);
}

// The attempt failed by itself: it comes back later, if it may.
void Replay::fail(JobIndex job) {
  Active& active = active_.at(job);
  ++tally_.failures;
  ++active.failures;
  if (active.failures > workload_.jobs()[job].restarts) {
    return leave(job, JobOutcome::State::failed);
  }
  release(job, active);
  events_.push({now_ + away_after(active.failures), true, job, plan_version_[job]});
}

void Replay::leave(JobIndex job, JobOutcome::State state) {
  const auto at = active_.find(job);
  Active& active = at->second;
  JobOutcome& outcome = outcomes_[job];
  outcome.state = state;
  if (active.runs) outcome.end = now_;
  if (!active.runs) --usage_.waiting;
  if (state == JobOutcome::State::killed || state == JobOutcome::State::failed) {
    active.progress.forfeit();
  }
  outcome.time = active.progress.time();
  std::map<std::uint32_t, std::int32_t> places;
  for (const std::uint32_t node : active.nodes) {
    if (node != kNoNode) ++places[node];
  }
  outcome.places.assign(places.begin(), places.end());
  for (std::int32_t i = 0; i < workload_.jobs()[job].replicas; ++i) remove_pod(job, active, i);
  if (const auto group = workload_.make_group(job)) observe(Type::deleted, group);
  if (active.request != nullptr) observe(Type::deleted, active.request);
  active_.erase(at);
  ++plan_version_[job];
}

void Replay::remove_pod(JobIndex job, Active& active, std::int32_t replica) {
  const auto i = static_cast<std::size_t>(replica);
  observe(Type::deleted, active.pods[i]);
  if (std::exchange(active.nodes[i], kNoNode) == kNoNode) return;
  --active.bound;
  ++tally_.pod_ends;
  count_pod(job, -1);
}

void Replay::count_pod(JobIndex job, std::int64_t sign) {
  const trace::Job& asked = workload_.jobs()[job];
  usage_.gpu_milli += sign * asked.gpu_milli;
  usage_.milli_cpu += sign * asked.milli_cpu;
  usage_.running += sign;
}

std::int64_t Replay::room_of(const trace::Node& node, const trace::Job& job) const {
  std::int64_t room = node.pods;
  const auto limit = [&](std::int64_t offered, std::int64_t asked) {
    if (asked > 0) room = std::min(room, offered / asked);
  };
  limit(node.milli_cpu, job.milli_cpu);
  limit(node.memory, job.memory);
  const bool share = job.gpu_milli > 0 && job.gpu_milli < trace::kGpu;
  limit(share ? node.gpus * (trace::kGpu / job.gpu_milli) : node.gpus,
        share ? 1 : job.gpu_milli / trace::kGpu);
  const bool model =
      job.models.empty() || std::ranges::find(job.models, node.model) != job.models.end();
  for (const auto& [resource, amount] : job.extra) {
    const auto at =
        std::ranges::find(node.extra, resource, [](const auto& offered) { return offered.first; });
    limit(at == node.extra.end() ? 0 : at->second, amount);
  }
  return model ? room : 0;
}

// Whether its minimum would fit if nobody else were there, in one domain if it has to.
bool Replay::fits_empty_cluster(JobIndex index) {
  const trace::Job& job = workload_.jobs()[index];
  std::string key = fmt::format("{} {} {} {} {} {}", job.milli_cpu, job.memory, job.gpu_milli,
                                fmt::join(job.models, "|"), job.minimum, job.level);
  for (const auto& [name, amount] : job.extra) key += fmt::format(" {}={}", name, amount);
  const auto [at, fresh] = fits_.try_emplace(key, false);
  if (!fresh) return at->second;
  std::map<std::string, std::int64_t> rooms;
  for (const trace::Node& node : nodes_) {
    std::string domain;
    if (!job.level.empty() && workload_.is_gang(index)) {
      const auto lies =
          std::ranges::find(node.levels, job.level, [](const auto& level) { return level.first; });
      if (lies == node.levels.end()) continue;
      domain = lies->second;
    }
    rooms[domain] += room_of(node, job);
  }
  at->second =
      std::ranges::any_of(rooms, [&](const auto& domain) { return domain.second >= job.minimum; });
  return at->second;
}

std::string Replay::problem() const {
  if (!broken_.empty()) return broken_;
  std::int64_t bound = 0;
  for (const auto& [job, active] : active_) bound += active.bound;
  const auto balance =
      static_cast<std::int64_t>(tally_.pod_starts) - static_cast<std::int64_t>(tally_.pod_ends);
  if (bound != usage_.running || balance != usage_.running) {
    return fmt::format("{} pods run, but {} were started and not ended", usage_.running, balance);
  }
  return scheduler_.check_consistency();
}

}  // namespace tutti::replay
