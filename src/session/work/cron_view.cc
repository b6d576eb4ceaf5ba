#include "session/work/cron_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <tuple>
#include <utility>

#include "base/check.h"
#include "controllers/dependents.h"
#include "controllers/job/job_sync.h"
#include "controllers/workloads/document.h"
#include "explain/verdict/text.h"
#include "model/pod.h"
#include "sim/controllers/cron_jobs.h"
#include "sim/controllers/cron_schedule.h"
#include "wire/json_reader.h"

namespace tutti::session {
namespace {

using explain::Blocker;
using explain::State;
using explain::Verdict;
using model::Kind;

// What the CronJob says of its times.
struct Times {
  bool suspended = false;
  std::string schedule;
  std::string problem;  // with the schedule; empty: it is one
  std::optional<Instant> next;
};

Times times_of(const model::Object& cron, Instant now) {
  Times times;
  if (cron.document == nullptr) return times;
  const Status read = wire::read_json(*cron.document, [&](wire::Document&& document) {
    times.suspended = controllers::flag_at(document.root(), {"spec", "suspend"});
    times.schedule = controllers::text_at(document.root(), {"spec", "schedule"});
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
  const auto schedule = sim::CronSchedule::parse(times.schedule);
  if (schedule.ok()) {
    times.next = schedule->next(now);
  } else {
    times.problem = schedule.error().message;
  }
  return times;
}

bool has_waiting_pod(const store::Store& objects, const model::Job& job) {
  bool any = false;
  for (const auto& object : objects.objects(Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    const auto* owner = controllers::controller_of(pod.meta);
    if (owner == nullptr || owner->uid != job.meta.uid || pod.terminal()) continue;
    if (pod.node_name.empty()) return true;
    any = true;
  }
  return !any;
}

Verdict held(Blocker blocker, std::string summary) {
  Verdict verdict;
  verdict.state = State::held;
  verdict.blocker = blocker;
  verdict.summary = std::move(summary);
  return verdict;
}

// Says how it stands while no Job of it is under way.
Verdict between_jobs(const Times& times) {
  if (times.suspended) {
    return held(Blocker::gated, "suspended: no Job is made while spec.suspend is true");
  }
  if (!times.problem.empty()) {
    Verdict verdict = held(Blocker::bad_request, "spec.schedule: " + times.problem);
    verdict.state = State::invalid;
    return verdict;
  }
  if (!times.next) {
    return held(Blocker::incomplete,
                fmt::format("its schedule '{}' names no time", times.schedule));
  }
  Verdict verdict;
  verdict.state = State::running;
  verdict.summary = "waits for its time; none of its Jobs is under way";
  return verdict;
}

}  // namespace

bool is_cron_job(const model::Object& object) { return sim::is_cron_job(object); }

model::ObjectPtr cron_job_above(const store::Store& objects, const model::Object& job) {
  const auto* owner = job.kind == Kind::job ? controllers::controller_of(job.meta) : nullptr;
  if (owner == nullptr || owner->kind != "CronJob") return nullptr;
  const auto found =
      objects.get({Kind::other, job.meta.ns, owner->name, owner->api_version + "/" + owner->kind});
  return found != nullptr && found->meta.uid == owner->uid ? found : nullptr;
}

std::vector<std::shared_ptr<const model::Job>> live_jobs_of(const store::Store& objects,
                                                            const model::Object& cron) {
  std::vector<std::shared_ptr<const model::Job>> jobs;
  for (const auto& object : objects.objects(Kind::job)) {
    const auto* owner = controllers::controller_of(object->meta);
    const bool its = owner != nullptr && owner->uid == cron.meta.uid;
    if (!its || controllers::end_condition(model::as<model::Job>(*object)) != nullptr) continue;
    jobs.push_back(std::static_pointer_cast<const model::Job>(object));
  }
  std::ranges::sort(jobs, [](const auto& a, const auto& b) {
    return std::tie(a->meta.created, a->meta.name) < std::tie(b->meta.created, b->meta.name);
  });
  return jobs;
}

std::shared_ptr<const model::Job> telling_job_of(const store::Store& objects,
                                                 const model::Object& cron) {
  const auto jobs = live_jobs_of(objects, cron);
  if (jobs.empty()) return nullptr;
  const auto waits =
      std::ranges::find_if(jobs, [&](const auto& job) { return has_waiting_pod(objects, *job); });
  return waits != jobs.end() ? *waits : jobs.front();
}

Verdict cron_verdict(const model::Object& cron, const store::Store& objects, Instant now,
                     const VerdictOf& verdict_of) {
  const auto job = telling_job_of(objects, cron);
  Verdict verdict =
      job != nullptr ? verdict_of(model::key_of(*job)) : between_jobs(times_of(cron, now));
  if (job != nullptr) {
    const auto jobs = explain::counted(live_jobs_of(objects, cron).size(), "Job");
    verdict.summary =
        fmt::format("{} under way; Job {}: {}", jobs, job->meta.name, verdict.summary);
  }
  verdict.object = name_of_work(cron);
  return verdict;
}

std::string next_job_text(const model::Object& cron, Instant start, Instant now) {
  const Times times = times_of(cron, now);
  if (times.suspended || !times.next) return {};
  return fmt::format("its next Job in {}, at {}", format_duration(*times.next - now),
                     format_duration(*times.next - start));
}

}  // namespace tutti::session
