#include "controllers/queues/work/queued_document.h"

#include <fmt/format.h>

#include <algorithm>

#include "controllers/dependents.h"
#include "controllers/job/job_sync.h"
#include "controllers/pods.h"
#include "controllers/queues/work/document_sets.h"
#include "controllers/queues/work/documents.h"
#include "controllers/queues/work/pod_info.h"
#include "controllers/queues/work/queue_words.h"
#include "controllers/workloads/document.h"
#include "controllers/workloads/mapping.h"
#include "model/job.h"
#include "wire/json_writer.h"

namespace tutti::controllers {
namespace {

using model::AdmissionRequest;
using model::PodSet;
using wire::Arena;
using wire::Value;

constexpr std::string_view kTrainJob = "TrainJob";
constexpr std::string_view kOverrides = "podTemplateOverrides";

std::shared_ptr<model::Object> copy_of(const model::Object& object) {
  return std::make_shared<model::OtherObject>(static_cast<const model::OtherObject&>(object));
}

bool has_run_policy(std::string_view kind) {
  return kind == "PyTorchJob" || kind == "TFJob" || kind == "MPIJob" || kind == "XGBoostJob" ||
         kind == "PaddleJob";
}

const PodSet* find_set(const AdmissionRequest& request, std::string_view name) {
  const auto& sets = request.spec.pod_sets;
  const auto at = std::ranges::find(sets, name, &PodSet::name);
  return at != sets.end() ? &*at : nullptr;
}

// What a TrainJob says of pods whose template is in a runtime. Overrides of its author stay.
void override_pods(Value& root, Arena& arena, const PodInfo* info, const std::string& set,
                   const std::string& request) {
  Value list = Value::array();
  if (Value* present = member_at(root, {"spec", kOverrides});
      present != nullptr && present->is_array()) {
    for (Value& each : present->items()) {
      const std::string ours = text_at(each, {"metadata", "annotations", kRequestOfPod});
      if (ours != request) list.push_back(arena, each.clone(arena));
    }
  }
  if (info != nullptr) {
    Value made = Value::object();
    Value target = Value::object();
    target.set_member(arena, "name", Value::string(arena, set));
    Value targets = Value::array();
    targets.push_back(arena, std::move(target));
    made.set_member(arena, "targetJobs", std::move(targets));
    apply(*info, made, arena);
    list.push_back(arena, std::move(made));
  }
  root.set(arena, {"spec", kOverrides}, std::move(list));
}

bool is_overridden(const Value& root, const std::string& request) {
  return std::ranges::any_of(items_at(root, {"spec", kOverrides}), [&](const Value& each) {
    return text_at(each, {"metadata", "annotations", kRequestOfPod}) == request;
  });
}

// Tells all pods of the document what they were promised, or nothing more if `started` is false.
void tell(Value& root, Arena& arena, std::string_view kind, const AdmissionRequest& request,
          bool started, const store::Store& objects) {
  if (kind == kTrainJob) {
    const PodSet& set = request.spec.pod_sets.front();
    const PodInfo info = started_info(request, set, objects);
    return override_pods(root, arena, started ? &info : nullptr, set.name, request.meta.name);
  }
  for (const DocumentSet& each : document_sets(root, kind)) {
    const PodSet* set = find_set(request, each.name);
    if (set == nullptr) continue;
    apply(started ? started_info(request, *set, objects) : written_info(*set), *each.form, arena);
  }
}

}  // namespace

void set_suspended(Value& root, Arena& arena, std::string_view kind, bool suspended) {
  if (has_run_policy(kind)) {
    root.set(arena, {"spec", "runPolicy", "suspend"}, Value::boolean(suspended));
  } else {
    root.set(arena, {"spec", "suspend"}, Value::boolean(suspended));
  }
}

QueuedDocument::QueuedDocument(model::ObjectPtr object, const Cluster& cluster,
                               wire::Decoder& decoder)
    : object_(std::move(object)),
      cluster_(cluster),
      decoder_(decoder),
      kind_(static_cast<const model::OtherObject&>(*object_).kind_name),
      document_(stored_document(*object_)) {}

bool QueuedDocument::suspended() const {
  const Value& root = document_->root();
  return has_run_policy(kind_) ? flag_at(root, {"spec", "runPolicy", "suspend"})
                               : flag_at(root, {"spec", "suspend"});
}

// Looks in its namespace, and among objects without one.
std::unique_ptr<wire::Document> QueuedDocument::neighbour_document(std::string_view kind,
                                                                   std::string_view name) const {
  const auto found =
      cluster_.objects().list(model::Kind::other, {}, [&](const model::Object& other) {
        return static_cast<const model::OtherObject&>(other).kind_name == kind &&
               other.meta.name == name &&
               (other.meta.ns.empty() || other.meta.ns == object_->meta.ns);
      });
  return found.empty() ? nullptr : stored_document(*found.front());
}

Result<std::vector<AskedSet>> QueuedDocument::asked_sets() {
  std::vector<AskedSet> asked;
  const auto add = [&](std::string name, std::int32_t count, const Value& form) {
    AskedSet& set = asked.emplace_back();
    set.set.name = std::move(name);
    set.set.count = count;
    set.form = wire::to_json(form);
  };
  if (kind_ == kTrainJob) {
    std::unique_ptr<wire::Document> neighbour;
    const Neighbours neighbours{[&](std::string_view kind, std::string_view name) -> const Value* {
      neighbour = neighbour_document(kind, name);
      return neighbour != nullptr ? &neighbour->root() : nullptr;
    }};
    const Plan plan = mapping_of(*object_)->plan(document_->root(), neighbours);
    if (plan.members.empty()) return Error{Error::Code::not_found, plan.problem};
    add("node", static_cast<std::int32_t>(plan.members.size()), *plan.members.front().form);
  }
  for (const DocumentSet& each : document_sets(document_->root(), kind_)) {
    add(each.name, each.count, *each.form);
  }
  if (asked.empty()) return Error{Error::Code::invalid, "it asks for no pods"};
  TUTTI_TRY(decode_forms(asked, decoder_));
  for (AskedSet& each : asked) complete_set(each.set, cluster_.objects());
  return asked;
}

bool QueuedDocument::outgrows(const AdmissionRequest& request) const {
  return std::ranges::any_of(document_sets(document_->root(), kind_), [&](const DocumentSet& each) {
    const PodSet* set = find_set(request, each.name);
    return set == nullptr || each.count > promised_count(request, *set);
  });
}

bool QueuedDocument::is_started_by(const AdmissionRequest& request) const {
  Value& root = document_->root();
  if (kind_ == kTrainJob) return is_overridden(root, request.meta.name);
  return std::ranges::all_of(document_sets(root, kind_), [&](const DocumentSet& each) {
    return find_set(request, each.name) == nullptr ||
           text_at(*each.form, {"metadata", "annotations", kRequestOfPod}) == request.meta.name;
  });
}

std::shared_ptr<model::Object> QueuedDocument::started(const AdmissionRequest& request) const {
  auto next = copy_of(*object_);
  edit_document(*next, [&](Value& root, Arena& arena) {
    set_suspended(root, arena, kind_, false);
    tell(root, arena, kind_, request, true, cluster_.objects());
  });
  return next;
}

std::shared_ptr<model::Object> QueuedDocument::stopped(const AdmissionRequest* request) const {
  auto next = copy_of(*object_);
  edit_document(*next, [&](Value& root, Arena& arena) {
    set_suspended(root, arena, kind_, true);
    if (request != nullptr && is_started_by(*request)) {
      tell(root, arena, kind_, *request, false, cluster_.objects());
    }
  });
  return next;
}

std::vector<model::ObjectKey> QueuedDocument::members() const {
  const bool of_jobs = kind_ == "JobSet";
  return cluster_.dependents().of(object_->meta.uid, of_jobs ? model::Kind::job : model::Kind::pod);
}

// Nobody writes the status of these kinds here: they have ended when all that was made of them has.
std::optional<WorkEnding> QueuedDocument::ending() const {
  if (kind_ == "RayCluster") return std::nullopt;
  std::size_t members_wanted = 0;
  for (const DocumentSet& each : document_sets(document_->root(), kind_)) {
    members_wanted += static_cast<std::size_t>(each.count / std::max(1, each.per_job));
  }
  const auto made = members();
  if (made.empty() || made.size() < members_wanted) return std::nullopt;
  bool succeeded = true;
  for (const model::ObjectKey& key : made) {
    if (key.kind == model::Kind::job) {
      const auto job = cluster_.objects().find<model::Job>(key.ns, key.name);
      const model::Condition* end = job != nullptr ? end_condition(*job) : nullptr;
      const bool failed = end != nullptr && end->type == "Failed";
      if (failed) return WorkEnding{false, fmt::format("Job {} has failed", key.name)};
      if (end == nullptr) return std::nullopt;
    } else {
      const auto pod = cluster_.objects().find<model::Pod>(key.ns, key.name);
      if (pod == nullptr || !pod->terminal()) return std::nullopt;
      succeeded = succeeded && pod->status.phase == model::PodPhase::succeeded;
    }
  }
  return WorkEnding{succeeded, fmt::format("{} {} {}", kind_, object_->meta.name,
                                           succeeded ? "has completed" : "has failed")};
}

bool QueuedDocument::is_ready(const AdmissionRequest& request) const {
  std::int32_t wanted = 0;
  for (const PodSet& set : request.spec.pod_sets) wanted += promised_count(request, set);
  std::int32_t ready = 0;
  const auto count = [&](const model::ObjectKey& key) {
    const auto pod = cluster_.objects().find<model::Pod>(key.ns, key.name);
    if (pod == nullptr) return;
    ready += controllers::is_ready(*pod) || pod->status.phase == model::PodPhase::succeeded ? 1 : 0;
  };
  for (const model::ObjectKey& key : members()) {
    if (key.kind == model::Kind::pod) {
      count(key);
    } else if (const auto job = cluster_.objects().find<model::Job>(key.ns, key.name)) {
      ready += job->status.ready.value_or(0) + job->status.succeeded;
    }
  }
  return ready >= wanted;
}

// Only of JobSets it is known before their end that some pods will not come again.
std::vector<model::ReclaimablePods> QueuedDocument::reclaimable(const AdmissionRequest&) const {
  std::vector<model::ReclaimablePods> out;
  if (kind_ != "JobSet") return out;
  for (const DocumentSet& each : document_sets(document_->root(), kind_)) {
    std::int32_t ended = 0;
    for (const model::ObjectKey& key : members()) {
      const auto job = cluster_.objects().find<model::Job>(key.ns, key.name);
      if (job == nullptr || end_condition(*job) == nullptr) continue;
      const std::string* set =
          model::find(job->meta.labels, "jobset.sigs.k8s.io/replicatedjob-name");
      ended += set != nullptr && *set == each.name ? each.per_job : 0;
    }
    if (ended > 0) out.push_back({.pod_set = each.name, .count = ended});
  }
  return out;
}

}  // namespace tutti::controllers
