#include "session/job_history.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "model/job.h"

namespace tutti::session {
namespace {

using model::Job;
using model::Kind;
using model::OwnerReference;
using model::Pod;

using Lengths = std::map<std::string, Millis>;  // by uid of the Job

const OwnerReference* controller_of(const model::Object& object) {
  const auto& owners = object.meta.owners;
  const auto found = std::ranges::find_if(owners, &OwnerReference::controller);
  return found == owners.end() ? nullptr : &*found;
}

const OwnerReference* job_of(const Pod& pod) {
  const OwnerReference* const owner = controller_of(pod);
  return owner != nullptr && owner->kind == "Job" ? owner : nullptr;
}

void keep_longest(Lengths& lengths, const std::string& uid, Millis length) {
  Millis& longest = lengths[uid];
  longest = std::max(longest, length);
}

std::optional<Millis> length_of(const Pod& pod) {
  const auto& status = pod.status;
  const bool whole = status.phase == model::PodPhase::succeeded && status.start_time &&
                     status.finished && *status.finished > *status.start_time;
  return whole ? std::optional(*status.finished - *status.start_time) : std::nullopt;
}

std::optional<Millis> length_of(const Job& job) {
  const auto& status = job.status;
  const bool whole =
      status.start_time && status.completion_time && *status.completion_time > *status.start_time;
  return whole ? std::optional(*status.completion_time - *status.start_time) : std::nullopt;
}

bool has_same_pods(const Job& one, const Job& other) {
  const auto& spec = one.pods.spec;
  return spec && other.pods.spec && (spec == other.pods.spec || *spec == *other.pods.spec);
}

// The longest of the finished Jobs that the same owner made from the same pod spec.
std::optional<Millis> length_of_siblings(const Job& job, const std::vector<const Job*>& siblings,
                                         const Lengths& pods) {
  std::optional<Millis> longest;
  for (const Job* const other : siblings) {
    const auto whole = length_of(*other);
    if (!whole || !has_same_pods(*other, job)) continue;
    const auto of_pods = pods.find(other->meta.uid);
    longest = std::max(longest, std::optional(of_pods != pods.end() ? of_pods->second : *whole));
  }
  return longest;
}

}  // namespace

JobHistory::JobHistory(const store::Store& objects, Instant now) : now_(now) {
  Lengths pods;
  for (const auto& object : objects.objects(Kind::pod)) {
    const auto& pod = model::as<Pod>(*object);
    const OwnerReference* const job = job_of(pod);
    const auto length = length_of(pod);
    if (job == nullptr || !length) continue;
    keep_longest(pods, job->uid, *length);
    const Millis longest = pods.at(job->uid);
    precedents_[job->uid] = {longest, fmt::format("earlier pods of Job {}/{} ran {}", pod.meta.ns,
                                                  job->name, format_duration(longest))};
  }
  std::map<std::string, std::vector<const Job*>> families;  // by uid of the owner
  for (const auto& object : objects.objects(Kind::job)) {
    const OwnerReference* const owner = controller_of(*object);
    if (owner != nullptr) families[owner->uid].push_back(&model::as<Job>(*object));
  }
  for (const auto& [uid, jobs] : families) {
    for (const Job* const job : jobs) {
      if (precedents_.contains(job->meta.uid) || job->status.completion_time) continue;
      const auto length = length_of_siblings(*job, jobs, pods);
      if (!length) continue;
      const OwnerReference& owner = *controller_of(*job);
      precedents_[job->meta.uid] = {
          *length, fmt::format("earlier Jobs of {} {}/{} ran {}", owner.kind, job->meta.ns,
                               owner.name, format_duration(*length))};
    }
  }
}

const Precedent* JobHistory::of(const Pod& pod) const {
  const OwnerReference* const job = job_of(pod);
  const auto found = job != nullptr ? precedents_.find(job->uid) : precedents_.end();
  return found != precedents_.end() ? &found->second : nullptr;
}

std::optional<Instant> JobHistory::end_of(const Pod& pod, Instant begin) const {
  const Precedent* const precedent = of(pod);
  if (precedent == nullptr) return std::nullopt;
  const Instant end = later(begin, precedent->length);
  return end > now_ ? std::optional(end) : std::nullopt;
}

}  // namespace tutti::session
