#include "sim/controllers/cron_jobs.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "controllers/dependents.h"
#include "controllers/job/job_sync.h"
#include "controllers/workloads/document.h"
#include "wire/json_reader.h"

namespace tutti::sim {
namespace {

using controllers::at;
using model::Job;
using model::Kind;
using wire::Arena;
using wire::Value;

constexpr std::string_view kCronReporter = "cronjob-controller";
constexpr std::string_view kScheduledAt = "batch.kubernetes.io/cronjob-scheduled-timestamp";

std::unique_ptr<wire::Document> parsed(const model::Object& object) {
  std::unique_ptr<wire::Document> out;
  if (!object.document) return out;
  // What an object was written as can be read again.
  (void)wire::read_json(*object.document, [&](wire::Document&& document) {
    out = std::make_unique<wire::Document>(std::move(document));
    return ok_status();
  });
  return out;
}

// The name tells the minute for which the Job is.
std::string job_name(const model::Object& cron, Instant when) {
  constexpr std::size_t kCronNameMax = 52;  // leaves room for the minute and for names of pods
  const auto minute =
      std::chrono::duration_cast<std::chrono::minutes>(when.time_since_epoch()).count();
  return fmt::format("{}-{}", cron.meta.name.substr(0, kCronNameMax), minute);
}

Value job_document(const model::Object& cron, const Value& form, Instant when, Arena& arena) {
  Value root = Value::object();
  root.set_member(arena, "apiVersion", Value::string(arena, "batch/v1"));
  root.set_member(arena, "kind", Value::string(arena, "Job"));
  for (const std::string_view part : {"metadata", "spec"}) {
    const Value* given = at(form, {part});
    const bool usable = given != nullptr && given->is_object();
    root.set_member(arena, part, usable ? given->clone(arena) : Value::object());
  }
  const std::string ns = cron.meta.ns.empty() ? "default" : cron.meta.ns;
  root.set(arena, {"metadata", "name"}, Value::string(arena, job_name(cron, when)));
  root.set(arena, {"metadata", "namespace"}, Value::string(arena, ns));
  root.set(arena, {"metadata", "annotations", kScheduledAt},
           Value::string(arena, format_rfc3339(when)));
  return root;
}

// Keeps those that ended in this way, the latest first.
std::vector<std::shared_ptr<const Job>> ended(std::vector<std::shared_ptr<const Job>> jobs,
                                              std::string_view how) {
  std::erase_if(jobs, [&](const auto& job) {
    const auto* end = controllers::end_condition(*job);
    return end == nullptr || end->type != how;
  });
  std::ranges::sort(jobs, [](const auto& a, const auto& b) {
    return std::pair(b->meta.created, b->meta.name) < std::pair(a->meta.created, a->meta.name);
  });
  return jobs;
}

}  // namespace

bool is_cron_job(const model::Object& object) {
  return object.kind == Kind::other && object.api_version == "batch/v1" &&
         static_cast<const model::OtherObject&>(object).kind_name == "CronJob";
}

CronJobs::CronJobs(controllers::Cluster& cluster, bool keeps_documents,
                   std::optional<Instant> until)
    : Controller(cluster),
      decoder_(keeps_documents ? wire::Decoder::Documents::kept
                               : wire::Decoder::Documents::dropped),
      until_(until) {}

// A change of the CronJob counts from its next time on.
void CronJobs::observe(const store::WatchEvent& event) {
  const auto& object = event.object();
  if (is_cron_job(object)) {
    const auto key = model::key_of(object);
    if (!event.after) return static_cast<void>(plans_.erase(key));
    plans_[key].next.reset();
    look_at(key);
  } else if (object.kind == Kind::job && event.after) {
    const auto* owner = controllers::controller_of(object.meta);
    if (owner == nullptr || owner->kind != "CronJob") return;
    for (const std::string& ns : {object.meta.ns, std::string()}) {
      look_at({Kind::other, ns, owner->name, owner->api_version + "/" + owner->kind});
    }
  }
}

void CronJobs::reconcile(const model::ObjectKey& key) {
  const auto cron = objects().get(key);
  const auto plan = plans_.find(key);
  if (!cron || cron->meta.deletion || plan == plans_.end()) return;
  const auto document = parsed(*cron);
  if (!document) return;
  const Value& root = document->root();
  forget_old_jobs(*cron, root);
  auto& [next, done] = plan->second;
  if (done || controllers::flag_at(root, {"spec", "suspend"})) return;
  const auto schedule = CronSchedule::parse(controllers::text_at(root, {"spec", "schedule"}));
  if (!schedule.ok()) return warn(*cron, "UnparseableSchedule", schedule.error().message);
  if (!next) {
    const std::string zone = controllers::text_at(root, {"spec", "timeZone"}, "Etc/UTC");
    if (zone != "Etc/UTC" && zone != "UTC") {
      warn(*cron, "UnknownTimeZone", fmt::format("time zone {} is taken as UTC", zone));
    }
    next = schedule->next(cluster().now());
  } else if (*next <= cluster().now()) {
    if (may_start(*cron, root)) make_job(*cron, root, *next);
    next = schedule->next(*next);
    done = !until_ || (next && *next > *until_);
  }
  if (next && !done) look_at(key, *next);
}

// Forbid waits for the next time, Replace ends what still runs.
bool CronJobs::may_start(const model::Object& cron, const Value& document) {
  const std::string policy = controllers::text_at(document, {"spec", "concurrencyPolicy"}, "Allow");
  for (const auto& job : jobs_of(cron)) {
    if (policy == "Allow" || controllers::end_condition(*job) != nullptr) continue;
    if (policy == "Forbid") {
      warn(cron, "JobAlreadyActive", "Not starting job because prior execution is running");
      return false;
    }
    cluster().remove(model::key_of(*job));
  }
  return true;
}

void CronJobs::make_job(const model::Object& cron, const Value& document, Instant when) {
  const Value* form = at(document, {"spec", "jobTemplate"});
  if (form == nullptr) return;
  Arena arena;
  auto decoded = wire::decode(job_document(cron, *form, when, arena), decoder_);
  if (!decoded.ok()) return warn(cron, "FailedCreate", decoded.error().message);
  (*decoded)->meta.owners = {controllers::controller_reference(cron)};
  const auto made = cluster().create(**decoded);
  if (!made.ok()) warn(cron, "FailedCreate", "Error creating job: " + made.error().message);
}

void CronJobs::forget_old_jobs(const model::Object& cron, const Value& document) {
  constexpr std::int32_t kSucceededKept = 3;
  constexpr std::int32_t kFailedKept = 1;
  const auto keep = [&](std::string_view how, std::int32_t count) {
    const auto jobs = ended(jobs_of(cron), how);
    for (std::size_t i = static_cast<std::size_t>(std::max(0, count)); i < jobs.size(); ++i) {
      cluster().remove(model::key_of(*jobs[i]));
    }
  };
  keep("Complete",
       controllers::number_at(document, {"spec", "successfulJobsHistoryLimit"}, kSucceededKept));
  keep("Failed", controllers::number_at(document, {"spec", "failedJobsHistoryLimit"}, kFailedKept));
}

std::vector<std::shared_ptr<const Job>> CronJobs::jobs_of(const model::Object& cron) const {
  std::vector<std::shared_ptr<const Job>> out;
  for (const auto& key : dependents().of(cron.meta.uid, Kind::job)) {
    if (auto job = objects().find<Job>(key.ns, key.name)) out.push_back(std::move(job));
  }
  return out;
}

void CronJobs::warn(const model::Object& cron, std::string reason, std::string message) {
  cluster().record({kCronReporter, objects().get(model::key_of(cron)), true, std::move(reason),
                    std::move(message)});
}

}  // namespace tutti::sim
