#include "controllers/job/job_sync.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "controllers/labels.h"
#include "controllers/names.h"

namespace tutti::controllers {
namespace {

using model::Condition;
using model::Job;
using model::Pod;
using Action = model::PodFailureRule::Action;

bool is_true(const Condition* condition) {
  return condition != nullptr && condition->status == "True";
}

// By the custom of Jobs: a condition that never held is not written as False, and any change of it
// counts as a transition. False when nothing changed.
bool set_condition(model::Conditions& conditions, std::string_view type, bool holds,
                   std::string_view reason, std::string_view message, Instant now) {
  const Condition next{std::string(type),
                       holds ? "True" : "False",
                       std::string(reason),
                       std::string(message),
                       now,
                       0};
  const auto known = std::ranges::find(conditions, type, &Condition::type);
  if (known == conditions.end()) {
    if (holds) conditions.push_back(next);
    return holds;
  }
  if (known->status == next.status && known->reason == reason && known->message == message) {
    return false;
  }
  const auto index = static_cast<std::size_t>(known - conditions.begin());
  conditions.edit()[index] = next;
  return true;
}

std::string rule_message(const Pod& pod, const FailureVerdict& verdict) {
  return fmt::format("Pod {}/{} has condition {} matching FailJob rule at index {}", pod.meta.ns,
                     pod.meta.name, verdict.condition, verdict.rule);
}

}  // namespace

const Condition* end_condition(const Job& job) {
  for (const std::string_view type : {"Complete", "Failed"}) {
    const auto* condition = model::find(job.status.conditions, type);
    if (is_true(condition)) return condition;
  }
  return nullptr;
}

JobSync::JobSync(Cluster& cluster, JobGroups& groups, std::shared_ptr<const Job> job,
                 JobMemory& memory)
    : cluster_(cluster),
      groups_(groups),
      job_(std::move(job)),
      memory_(memory),
      status_(job_->status),
      pods_(pods_of(*job_, cluster)) {}

JobSync::Outcome JobSync::run() {
  auto group = groups_.ensure(*job_, cluster_.dependents().any_pods(job_->meta.uid));
  if (!group.ok()) {
    outcome_.refused = true;
    note(true, "FailedCreate", fmt::format("Error creating: {}", group.error().message));
    return outcome_;
  }
  group_ = *std::move(group);
  std::ranges::copy_if(pods_, std::back_inserter(active_),
                       [](const PodPtr& pod) { return is_active(*pod); });
  count_ended_pods();
  if (!status_.start_time && !job_->suspend) status_.start_time = cluster_.now();
  ending_ = find_failure();
  if (ending_) {
    end_active_pods(true);
  } else if (!job_->meta.deletion) {
    manage_pods();
    ending_ = find_completion();
    if (!ending_) set_suspended_condition();
  }
  write_status();
  release_counted_pods();
  return outcome_;
}

// --- counting ------------------------------------------------------------------------------------

void JobSync::count_ended_pods() {
  const std::int32_t end = job_->completions.value_or(0);
  if (job_->indexed) completed_ = parse_indexes(status_.completed_indexes, end);
  std::vector<Instant> succeeded;
  std::vector<Instant> failed;
  for (const auto& pod : pods_) {
    const bool success = pod->status.phase == model::PodPhase::succeeded;
    if (!is_tracked(*pod) || !(success || has_failed(*pod, *job_))) continue;
    counted_.push_back(pod);
    const auto index = completion_index(*pod);
    if (job_->indexed && !(index && *index < end)) continue;
    (success ? succeeded : failed).push_back(end_of(*pod));
    if (!success) {
      status_.failed += judge_failure(*job_, *pod).action == Action::ignore ? 0 : 1;
    } else if (job_->indexed) {
      completed_.insert(*index);
    } else {
      ++status_.succeeded;
    }
  }
  if (job_->indexed) {
    status_.succeeded = static_cast<std::int32_t>(completed_.size());
    status_.completed_indexes = format_indexes(completed_);
  }
  memory_.backoff.take(std::move(succeeded), std::move(failed));
}

std::int32_t JobSync::terminating_pods() const {
  const auto before = std::ranges::count_if(
      pods_, [](const PodPtr& pod) { return pod->meta.deletion && !pod->terminal(); });
  const auto since = std::ranges::count_if(removed_, [&](const PodPtr& pod) {
    return cluster_.objects().find<Pod>(pod->meta.ns, pod->meta.name) != nullptr;
  });
  return static_cast<std::int32_t>(before + since);
}

// --- its end -------------------------------------------------------------------------------------

std::optional<JobSync::Ending> JobSync::find_failure() {
  const auto& conditions = status_.conditions;
  if (is_true(model::find(conditions, "SuccessCriteriaMet"))) {
    const auto* met = model::find(conditions, "SuccessCriteriaMet");
    return Ending{false, met->reason, met->message};
  }
  if (const auto* target = model::find(conditions, "FailureTarget"); is_true(target)) {
    return Ending{true, target->reason, target->message};
  }
  for (const auto& pod : counted_) {
    if (!has_failed(*pod, *job_)) continue;
    const auto verdict = judge_failure(*job_, *pod);
    if (verdict.action == Action::fail_job) {
      return Ending{true, "PodFailurePolicy", rule_message(*pod, verdict)};
    }
  }
  if (status_.failed > job_->backoff_limit.value_or(0)) {
    return Ending{true, "BackoffLimitExceeded", "Job has reached the specified backoff limit"};
  }
  if (past_deadline()) {
    return Ending{true, "DeadlineExceeded", "Job was active longer than specified deadline"};
  }
  return std::nullopt;
}

bool JobSync::past_deadline() {
  if (!job_->active_deadline_seconds || !status_.start_time || job_->suspend) return false;
  const Instant deadline =
      later(*status_.start_time, std::chrono::seconds(*job_->active_deadline_seconds));
  if (deadline <= cluster_.now()) return true;
  look_again(deadline);
  return false;
}

std::optional<JobSync::Ending> JobSync::find_completion() const {
  const bool enough =
      job_->completions ? status_.succeeded >= *job_->completions : status_.succeeded > 0;
  if (!enough || !active_.empty()) return std::nullopt;
  return Ending{false, "CompletionsReached", "Reached expected number of succeeded pods"};
}

// --- its pods ------------------------------------------------------------------------------------

// Pods that are ended because the Job has failed count as failed; those of a Job that is suspended
// or made smaller are let go of before, so that nobody counts them.
void JobSync::end_active_pods(bool counted) {
  for (const auto& pod : std::exchange(active_, {})) {
    if (counted && ending_->failed) ++status_.failed;
    if (counted) {
      counted_.push_back(pod);
    } else {
      stop_tracking(*pod, cluster_);
    }
    cluster_.remove(model::key_of(*pod));
    removed_.push_back(pod);
  }
}

std::int32_t JobSync::wanted_pods() const {
  const auto active = static_cast<std::int32_t>(active_.size());
  const std::int32_t parallelism = std::min(job_->parallelism.value_or(1), memory_.pods_max);
  if (!job_->completions) return status_.succeeded > 0 ? active : parallelism;
  return std::clamp(*job_->completions - status_.succeeded, 0, parallelism);
}

std::int32_t JobSync::missing_pods() const {
  const std::int32_t leaving = job_->replaces_failed_only ? terminating_pods() : 0;
  return wanted_pods() - leaving - static_cast<std::int32_t>(active_.size());
}

// A status that knows the pods that are there is of a Job that was looked at when it had these, and
// made no more.
void JobSync::note_limit() {
  if (!std::exchange(memory_.is_copy, false)) return;
  const bool settled = job_->status.start_time.has_value() &&
                       job_->status.active == static_cast<std::int32_t>(active_.size());
  const std::int32_t missing = missing_pods();
  if (!settled || missing <= 0) return;
  if (status_.failed > 0) {
    memory_.backoff = {status_.failed, cluster_.now()};
  } else {
    memory_.pods_max = wanted_pods() - missing;
  }
}

void JobSync::manage_pods() {
  if (job_->suspend) return end_active_pods(false);
  note_limit();
  const std::int32_t wanted = wanted_pods();
  const auto active = static_cast<std::int32_t>(active_.size());
  const auto surplus =
      pods_to_remove(*job_, active_, static_cast<std::size_t>(std::max(0, active - wanted)));
  if (!surplus.empty()) {
    auto rest = std::exchange(active_, surplus);
    end_active_pods(false);
    std::erase_if(
        rest, [&](const PodPtr& pod) { return std::ranges::find(surplus, pod) != surplus.end(); });
    active_ = std::move(rest);
    // Whoever takes their indexes is made when these are gone.
    return look_again(cluster_.now());
  }
  const std::int32_t missing = missing_pods();
  if (missing <= 0) return;
  const auto until = memory_.backoff.until();
  if (until && *until > cluster_.now()) return look_again(*until);
  create_pods(missing);
}

PodStamp JobSync::make_stamp() const {
  PodStamp stamp(*job_, job_->pods);
  stamp.default_restart_policy("Never");
  stamp.add_finalizer(kTracking);
  if (!job_->manual_selector) {
    for (const std::string_view prefix : {"", "batch.kubernetes.io/"}) {
      stamp.add_label(fmt::format("{}controller-uid", prefix), job_->meta.uid);
      stamp.add_label(fmt::format("{}job-name", prefix), job_->meta.name);
    }
  }
  if (job_->indexed) stamp.add_variable_from_label("JOB_COMPLETION_INDEX", kCompletionIndex);
  if (group_) stamp.join_group(group_->meta.name);
  return stamp;
}

std::vector<std::int32_t> JobSync::next_indexes(std::int32_t count) const {
  Indexes taken = completed_;
  taken.insert(parse_indexes(job_->status.failed_indexes, *job_->completions));  // were given up
  for (const auto& pod : pods_) {
    const bool holds = is_active(*pod) || (job_->replaces_failed_only && !pod->terminal());
    const auto index = completion_index(*pod);
    if (holds && index) taken.insert(*index);
  }
  std::vector<std::int32_t> out;
  std::int32_t index = taken.first_missing(0);
  while (index < *job_->completions && static_cast<std::int32_t>(out.size()) < count) {
    out.push_back(index);
    index = taken.first_missing(index + 1);
  }
  return out;
}

void JobSync::create_pods(std::int32_t count) {
  const PodStamp stamp = make_stamp();
  if (job_->indexed) {
    for (const std::int32_t index : next_indexes(count)) {
      if (!create_pod(stamp, index)) return;
    }
    return;
  }
  for (std::int32_t i = 0; i < count; ++i) {
    if (!create_pod(stamp, std::nullopt)) return;
  }
}

// False when the cluster refuses it: then it would refuse the others, too.
bool JobSync::create_pod(const PodStamp& stamp, std::optional<std::int32_t> index) {
  const std::string suffix = index ? fmt::format("-{}-", *index) : std::string("-");
  const std::string prefix =
      job_->meta.name.substr(0, kGeneratedPrefixMax - suffix.size()) + suffix;
  std::string name;
  do {
    name = generated_name(prefix, job_->meta.uid, ++memory_.pods_made[index.value_or(-1)]);
  } while (cluster_.objects().find<Pod>(job_->meta.ns, name));
  const auto pod = stamp.make(
      std::move(name), index ? fmt::format("{}-{}", job_->meta.name, *index) : std::string());
  if (index) {
    set_label(pod->meta.annotations, kCompletionIndex, fmt::to_string(*index));
    set_label(pod->meta.labels, kCompletionIndex, fmt::to_string(*index));
  }
  const auto made = cluster_.create(*pod);
  if (made.ok()) {
    active_.push_back(std::static_pointer_cast<const Pod>(*made));
    return true;
  }
  outcome_.refused = true;
  note(true, "FailedCreate", fmt::format("Error creating: {}", made.error().message));
  return false;
}

// --- its status ----------------------------------------------------------------------------------

void JobSync::set_suspended_condition() {
  const Instant now = cluster_.now();
  const bool suspended = job_->suspend;
  if (!set_condition(status_.conditions, "Suspended", suspended,
                     suspended ? "JobSuspended" : "JobResumed",
                     suspended ? "Job suspended" : "Job resumed", now)) {
    return;
  }
  note(false, suspended ? "Suspended" : "Resumed", suspended ? "Job suspended" : "Job resumed");
  // The deadline counts the time that the Job is active without interruption.
  status_.start_time = suspended ? std::nullopt : std::optional<Instant>(now);
}

void JobSync::write_status() {
  status_.active = static_cast<std::int32_t>(active_.size());
  status_.ready = static_cast<std::int32_t>(
      std::ranges::count_if(active_, [](const PodPtr& pod) { return is_ready(*pod); }));
  status_.terminating = terminating_pods();
  const bool had_ended = end_condition(*job_) != nullptr;
  if (ending_) finish();
  if (status_ == job_->status) return;
  Job next = *job_;
  next.status = status_;
  const auto written = cluster_.update_status(next);
  if (!written.ok() || had_ended || !ending_ || end_condition(next) == nullptr) return;
  if (ending_->failed) {
    note(true, ending_->reason, ending_->message);
  } else {
    note(false, "Completed", "Job completed");
  }
}

void JobSync::finish() {
  const Instant now = cluster_.now();
  set_condition(status_.conditions, ending_->failed ? "FailureTarget" : "SuccessCriteriaMet", true,
                ending_->reason, ending_->message, now);
  if (*status_.terminating > 0) return;
  set_condition(status_.conditions, ending_->failed ? "Failed" : "Complete", true, ending_->reason,
                ending_->message, now);
  if (!ending_->failed) status_.completion_time = now;
}

// A Job that is going, or has ended, lets go of all.
void JobSync::release_counted_pods() {
  const auto& release = job_->meta.deletion || ending_ ? pods_ : counted_;
  for (const auto& pod : release) {
    if (is_tracked(*pod)) stop_tracking(*pod, cluster_);
  }
}

void JobSync::look_again(Instant when) {
  if (!outcome_.look_again || when < *outcome_.look_again) outcome_.look_again = when;
}

void JobSync::note(bool warning, std::string reason, std::string message) {
  cluster_.record({kJobReporter, job_, warning, std::move(reason), std::move(message)});
}

}  // namespace tutti::controllers
