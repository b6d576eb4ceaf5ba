#include "cli/output/idle_work.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <utility>

#include "controllers/dependents.h"
#include "controllers/job/job_sync.h"
#include "controllers/workloads/mapping.h"
#include "model/admission_request.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "model/job.h"
#include "queues/queue_report.h"
#include "sim/controllers/cron_jobs.h"
#include "sim/controllers/daemon_sets.h"
#include "wire/json_reader.h"

namespace tutti::cli {
namespace {

using model::Kind;

constexpr std::string_view kCreatingPrefix = "Error creating: ";

// Whether the object is to have pods: those of Jobs and sets can be counted; of other projects'
// work only the controller that plans it knows.
bool wants_pods(const model::Object& object) {
  switch (object.kind) {
    case Kind::job: {
      const auto& job = model::as<model::Job>(object);
      return controllers::end_condition(job) == nullptr && job.parallelism.value_or(1) > 0 &&
             job.completions.value_or(1) > 0;
    }
    case Kind::replica_set:
    case Kind::stateful_set:
    case Kind::deployment:
      return static_cast<const model::ReplicaKeeper&>(object).replicas.value_or(1) > 0;
    default: {
      const auto* row = controllers::mapping_of(object);
      return sim::is_daemon_set(object) || sim::is_cron_job(object) ||
             (row != nullptr && row->plan != nullptr);
    }
  }
}

bool is_suspended(const model::Object& object) {
  if (const auto* job = model::try_as<model::Job>(object)) return job->suspend;
  if (object.kind != Kind::other || object.document == nullptr) return false;
  bool suspended = false;
  // What an object was written as can be read again.
  (void)wire::read_json(*object.document, [&](wire::Document&& document) -> Status {
    const wire::Value* spec = document.root().find("spec");
    const wire::Value* policy = spec != nullptr ? spec->find("runPolicy") : nullptr;
    for (const wire::Value* place : {spec, policy}) {
      const wire::Value* flag = place != nullptr ? place->find("suspend") : nullptr;
      suspended |= flag != nullptr && flag->is_boolean() && flag->as_boolean();
    }
    return ok_status();
  });
  return suspended;
}

class IdleFinder {
 public:
  explicit IdleFinder(const store::Store& objects) : objects_(objects) {
    for (const Kind kind : {Kind::pod, Kind::job, Kind::replica_set}) {
      for (const auto& object : objects_.objects(kind)) {
        if (const auto* owner = controllers::controller_of(object->meta)) busy_.insert(owner->uid);
      }
    }
    for (const auto& object : objects_.objects(Kind::admission_request)) {
      const auto* owner = controllers::controller_of(object->meta);
      if (owner != nullptr) requests_[owner->uid] = &model::as<model::AdmissionRequest>(*object);
    }
    for (const auto& object : objects_.objects(Kind::event)) {
      const auto& event = model::as<model::Event>(*object);
      if (event.type != "Warning") continue;
      const model::Event*& last = warnings_[event.involved.uid];
      if (last == nullptr || event.last_seen >= last->last_seen) last = &event;
    }
  }

  std::vector<IdleWork> find() {
    std::map<model::ObjectKey, IdleWork> found;
    for (const Kind kind :
         {Kind::job, Kind::replica_set, Kind::stateful_set, Kind::deployment, Kind::other}) {
      for (const auto& object : objects_.objects(kind)) {
        if (busy_.contains(object->meta.uid) || object->meta.deletion || !wants_pods(*object)) {
          continue;
        }
        const auto standing = standing_of(*object);
        if (!standing) continue;
        const model::Object& written = author_of(*object);
        const auto request = requests_.find(object->meta.uid);
        found.try_emplace(
            model::key_of(written),
            IdleWork{model::describe(written), *standing,
                     request != requests_.end() ? request->second->spec.queue : std::string()});
      }
    }
    std::vector<IdleWork> out;
    for (auto& [key, work] : found) out.push_back(std::move(work));
    return out;
  }

 private:
  std::optional<expect::Standing> standing_of(const model::Object& object) const {
    expect::Standing standing;
    if (const auto request = requests_.find(object.meta.uid); request != requests_.end()) {
      return standing_of_request(*request->second);
    }
    standing.state = "Held";
    if (is_suspended(object)) {
      standing.blocker = "gated";
      standing.summary = "suspended: its pods are made when that ends";
      return standing;
    }
    const auto warning = warnings_.find(object.meta.uid);
    if (warning == warnings_.end()) return std::nullopt;
    std::string_view message = warning->second->message;
    if (message.starts_with(kCreatingPrefix)) message.remove_prefix(kCreatingPrefix.size());
    standing.blocker = "incomplete";
    standing.summary = message;
    return standing;
  }

  // Without a sentence: `run` has a line for the request, too.
  static expect::Standing standing_of_request(const model::AdmissionRequest& request) {
    queues::RequestLine line;
    line.state = "Pending";
    if (const auto* said = model::find(request.status.conditions, "QuotaReserved")) {
      if (said->status == "True") return {"Waiting", {}, {}};
      line.reason = said->reason;
    }
    return {"Waiting", std::string(queues::blocker_of(line)), {}};
  }

  // The object at the top of those that made this one.
  const model::Object& author_of(const model::Object& object) const {
    const auto* owner = controllers::controller_of(object.meta);
    if (owner == nullptr) return object;
    for (const Kind kind : {Kind::deployment, Kind::other}) {
      for (const auto& above : objects_.objects(kind)) {
        if (above->meta.uid == owner->uid) return author_of(*above);
      }
    }
    return object;
  }

  const store::Store& objects_;
  std::set<std::string> busy_;  // uids of those that have made something
  std::map<std::string, const model::Event*> warnings_;
  std::map<std::string, const model::AdmissionRequest*> requests_;  // by the uid of their owners
};

}  // namespace

std::vector<IdleWork> find_idle_work(const store::Store& objects) {
  return IdleFinder(objects).find();
}

}  // namespace tutti::cli
