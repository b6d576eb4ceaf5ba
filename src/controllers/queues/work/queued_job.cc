#include "controllers/queues/work/queued_job.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "controllers/job/job_sync.h"
#include "controllers/labels.h"
#include "controllers/queues/work/documents.h"
#include "controllers/queues/work/pod_info.h"
#include "controllers/queues/work/queue_words.h"
#include "model/quota_annotations.h"
#include "wire/json_writer.h"

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::Job;
using model::PodSet;

bool says_true(const Job& job, std::string_view annotation) {
  const std::string* said = model::find(job.meta.annotations, annotation);
  return said != nullptr && *said == "true";
}

// A whole number of at least 1.
std::optional<std::int32_t> number_in(const Job& job, std::string_view annotation) {
  const std::string* text = model::find(job.meta.annotations, annotation);
  std::int32_t number = 0;
  if (text == nullptr) return std::nullopt;
  const auto [stopped, error] = std::from_chars(text->data(), text->data() + text->size(), number);
  const bool whole = error == std::errc() && stopped == text->data() + text->size();
  return whole && number > 0 ? std::optional(number) : std::nullopt;
}

// As its author asked for it: one that was made smaller says so.
std::int32_t asked_parallelism(const Job& job) {
  return std::max(job.parallelism.value_or(1),
                  number_in(job, model::kAskedParallelism).value_or(0));
}

// As many as run at once when none has ended.
std::int32_t pods_at_most(const Job& job) {
  const std::int32_t parallelism = asked_parallelism(job);
  if (says_true(job, kCompletionsFollow)) return parallelism;
  return std::min(parallelism, job.completions.value_or(parallelism));
}

// Absent: it needs all.
std::optional<std::int32_t> least_pods(const Job& job) {
  auto least = number_in(job, kLeastParallelism);
  if (!least && says_true(job, kElasticJob)) least = number_in(job, model::kMinParallelism);
  if (!least || *least >= pods_at_most(job)) return std::nullopt;
  return least;
}

std::string form_of(const Job& job) {
  const auto document = stored_document(job);
  const wire::Value* form =
      document != nullptr ? member_at(document->root(), {"spec", "template"}) : nullptr;
  return form != nullptr ? wire::to_json(*form) : std::string();
}

// Pods at once, of as many as its author asked for, and in all where both are one number.
void resize(Job& job, std::int32_t pods, std::int32_t asked) {
  job.parallelism = pods;
  if (says_true(job, kCompletionsFollow)) job.completions = pods;
  if (pods < asked) {
    set_label(job.meta.annotations, model::kAskedParallelism, fmt::to_string(asked));
  } else if (model::find(job.meta.annotations, model::kAskedParallelism) != nullptr) {
    std::erase_if(job.meta.annotations.edit(),
                  [](const auto& each) { return each.first == model::kAskedParallelism; });
  }
}

void give(Job& job, const PodInfo& info) {
  apply(info, job.pods);
  edit_document(job, [&](wire::Value& root, wire::Arena& arena) {
    if (wire::Value* form = member_at(root, {"spec", "template"})) apply(info, *form, arena);
  });
}

}  // namespace

Result<std::vector<AskedSet>> QueuedJob::asked_sets() {
  AskedSet asked;
  asked.set.pods = job_->pods;
  asked.set.count = pods_at_most(*job_);
  asked.set.min_count = least_pods(*job_);
  asked.form = form_of(*job_);
  complete_set(asked.set, cluster_.objects());
  if (asked.set.topology && job_->indexed) {
    asked.set.topology->pod_index_label = "batch.kubernetes.io/job-completion-index";
  }
  return std::vector{std::move(asked)};
}

// Indexes that have succeeded need no pods, and are promised none when the Job is admitted again.
bool QueuedJob::outgrows(const AdmissionRequest& request) const {
  const PodSet& set = request.spec.pod_sets.front();
  if (set.min_count) return pods_at_most(*job_) > set.count;
  const std::int32_t left =
      std::max(0, job_->completions.value_or(pods_at_most(*job_)) - job_->status.succeeded);
  const std::int32_t wanted = std::min(pods_at_most(*job_), left);
  return wanted > promised_count(request, set);
}

// Its author may want fewer pods than it was promised.
bool QueuedJob::is_sized_by(const AdmissionRequest& request) const {
  const PodSet& set = request.spec.pod_sets.front();
  const std::int32_t promised = promised_count(request, set);
  return !set.min_count || job_->parallelism.value_or(1) == promised ||
         asked_parallelism(*job_) < promised;
}

bool QueuedJob::is_started_by(const AdmissionRequest& request) const {
  return is_started(job_->pods, request);
}

std::shared_ptr<model::Object> QueuedJob::started(const AdmissionRequest& request) const {
  auto next = std::make_shared<Job>(*job_);
  const PodSet& set = request.spec.pod_sets.front();
  next->suspend = false;
  const std::int32_t promised = promised_count(request, set);
  if (set.min_count) resize(*next, promised, set.count);
  give(*next, started_info(request, set, cluster_.objects()));
  return next;
}

std::shared_ptr<model::Object> QueuedJob::stopped(const AdmissionRequest* request) const {
  auto next = std::make_shared<Job>(*job_);
  next->suspend = true;
  if (request == nullptr || !is_started_by(*request)) return next;
  const PodSet& set = request->spec.pod_sets.front();
  if (set.min_count) resize(*next, set.count, set.count);
  give(*next, written_info(set));
  return next;
}

std::optional<WorkEnding> QueuedJob::ending() const {
  const model::Condition* end = end_condition(*job_);
  if (end == nullptr) return std::nullopt;
  return WorkEnding{end->type == "Complete", end->message};
}

bool QueuedJob::is_ready(const AdmissionRequest& request) const {
  const std::int32_t wanted = promised_count(request, request.spec.pod_sets.front());
  return job_->status.ready.value_or(0) + job_->status.succeeded >= wanted;
}

std::vector<model::ReclaimablePods> QueuedJob::reclaimable(const AdmissionRequest& request) const {
  const PodSet& set = request.spec.pod_sets.front();
  const std::int32_t parallelism = job_->parallelism.value_or(1);
  if (parallelism == 1 || job_->status.succeeded == 0) return {};
  const std::int32_t left =
      std::max(0, job_->completions.value_or(parallelism) - job_->status.succeeded);
  const std::int32_t size = std::min(parallelism, promised_count(request, set));
  if (left >= size) return {};
  return {{.pod_set = set.name, .count = size - left}};
}

}  // namespace tutti::controllers
