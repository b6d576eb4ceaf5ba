#include "controllers/queues/request_maker.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>

#include "controllers/dependents.h"
#include "controllers/queues/work/queue_words.h"
#include "model/cluster.h"
#include "model/job.h"
#include "model/quota.h"

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::AdmissionRequestSpec;
using model::Kind;

std::optional<std::int32_t> seconds_max(const model::Object& about) {
  const std::string* text = model::find(about.meta.labels, kSecondsMax);
  std::int32_t seconds = 0;
  if (text == nullptr) return std::nullopt;
  const auto [stopped, error] = std::from_chars(text->data(), text->data() + text->size(), seconds);
  const bool whole = error == std::errc() && stopped == text->data() + text->size();
  return whole && seconds > 0 ? std::optional(seconds) : std::nullopt;
}

// What the work says of its time, for whoever looks at the request alone.
model::Labels time_words(const model::Object& about) {
  std::vector<std::pair<std::string, std::string>> words;
  for (const std::string_view key : {"tutti.dev/expected-runtime", "tutti.dev/yield"}) {
    if (const std::string* text = model::find(about.meta.annotations, key)) {
      words.emplace_back(key, *text);
    }
  }
  if (const auto* job = model::try_as<model::Job>(about)) {
    if (job->active_deadline_seconds && *job->active_deadline_seconds > 0) {
      words.emplace_back("tutti.dev/active-deadline",
                         fmt::format("{}s", *job->active_deadline_seconds));
    }
    // Pods beyond those that run at once come after them.
    const std::int64_t at_once = job->parallelism.value_or(1);
    if (job->completions && at_once > 0 && *job->completions > at_once) {
      const std::int64_t rounds = (*job->completions + at_once - 1) / at_once;
      words.emplace_back("tutti.dev/rounds", fmt::to_string(rounds));
    }
  }
  std::ranges::sort(words);
  return words.empty() ? model::Labels() : model::Labels(std::move(words));
}

// The first class that pods of the request name.
std::string pod_class_of(const AdmissionRequestSpec& spec) {
  for (const model::PodSet& set : spec.pod_sets) {
    if (set.pods.spec != nullptr && !set.pods.spec->priority_class_name.empty()) {
      return set.pods.spec->priority_class_name;
    }
  }
  return {};
}

}  // namespace

RequestPtr RequestMaker::find(const model::Object& owner) const {
  for (const model::ObjectKey& key :
       cluster_.dependents().of(owner.meta.uid, Kind::admission_request)) {
    auto found = cluster_.objects().find<AdmissionRequest>(key.ns, key.name);
    if (found != nullptr && is_controlled_by(found->meta, owner)) return found;
  }
  return nullptr;
}

// From the class of the queues, else from that of the pods, else from the cluster's default.
Status RequestMaker::set_priority(const Wanted& wanted, AdmissionRequestSpec& spec) const {
  const auto& objects = cluster_.objects();
  if (const std::string* name = model::find(wanted.about->meta.labels, kQueuePriority)) {
    const auto found = objects.find<model::WorkloadPriorityClass>({}, *name);
    if (found == nullptr) {
      return Error{Error::Code::not_found,
                   fmt::format("WorkloadPriorityClass {} does not exist", *name)};
    }
    spec.priority_class = {"kueue.x-k8s.io", "WorkloadPriorityClass", *name};
    spec.priority = found->value;
    return ok_status();
  }
  const std::string name = pod_class_of(spec);
  std::shared_ptr<const model::PriorityClass> found;
  for (const auto& object : objects.objects(Kind::priority_class)) {
    const auto& candidate = model::as<model::PriorityClass>(*object);
    const bool meant = name.empty() ? candidate.global_default : candidate.meta.name == name;
    if (meant) found = std::static_pointer_cast<const model::PriorityClass>(object);
  }
  if (found == nullptr && !name.empty()) {
    return Error{Error::Code::not_found, fmt::format("PriorityClass {} does not exist", name)};
  }
  spec.priority = found != nullptr ? found->value : 0;
  if (found != nullptr) {
    spec.priority_class = {"scheduling.k8s.io", "PriorityClass", found->meta.name};
  }
  return ok_status();
}

Result<AdmissionRequestSpec> RequestMaker::spec_of(const Wanted& wanted) const {
  AdmissionRequestSpec spec;
  for (const AskedSet& asked : wanted.sets) spec.pod_sets.push_back(asked.set);
  spec.queue = queue_of(wanted.about->meta);
  spec.max_execution_seconds = seconds_max(*wanted.about);
  TUTTI_TRY(set_priority(wanted, spec));
  return spec;
}

Result<model::ObjectPtr> RequestMaker::make(Wanted wanted) {
  AdmissionRequest request;
  TUTTI_ASSIGN(request.spec, spec_of(wanted));
  request.api_version = "kueue.x-k8s.io/v1beta2";
  request.meta.ns = wanted.about->meta.ns;
  request.meta.name = std::move(wanted.name);
  request.meta.labels = {{"kueue.x-k8s.io/job-uid", wanted.about->meta.uid}};
  request.meta.annotations = time_words(*wanted.about);
  request.meta.owners = std::move(wanted.owners);
  request.document = request_document(wanted.sets);
  auto made = cluster_.create(request);
  if (made.ok()) {
    cluster_.record({kQueueReporter, wanted.about, false, "CreatedWorkload",
                     fmt::format("Created Workload: {}/{}", request.meta.ns, request.meta.name)});
  }
  return made;
}

Status RequestMaker::follow(const AdmissionRequest& request, Wanted wanted) {
  TUTTI_ASSIGN(AdmissionRequestSpec spec, spec_of(wanted));
  spec.active = request.spec.active;
  spec.preemption_gates = request.spec.preemption_gates;
  if (request.spec == spec) return ok_status();
  AdmissionRequest next = request;
  next.meta.resource_version = 0;
  next.spec = std::move(spec);
  if (request.document) next.document = request_document(wanted.sets);
  const auto written = cluster_.update(next);
  return written.ok() ? ok_status() : Status(written.error());
}

}  // namespace tutti::controllers
