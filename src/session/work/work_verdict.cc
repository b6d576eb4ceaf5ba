#include "session/work/work_verdict.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "answers/kueue_word.h"
#include "answers/lookup.h"
#include "base/check.h"
#include "controllers/dependents.h"
#include "controllers/job/job_sync.h"
#include "controllers/workloads/document.h"
#include "controllers/workloads/mapping.h"
#include "core/cluster/groups.h"
#include "explain/verdict/text.h"
#include "model/apps.h"
#include "model/cluster.h"
#include "model/group.h"
#include "model/job.h"
#include "model/pod.h"
#include "session/work/cron_view.h"
#include "sim/controllers/cron_jobs.h"
#include "sim/controllers/daemon_sets.h"
#include "wire/decode/kind_table.h"
#include "wire/encode/encode.h"
#include "wire/json_reader.h"

namespace tutti::session {
namespace {

using explain::State;
using explain::Verdict;
using model::Kind;
using model::Pod;

constexpr int kOwnersMax = 8;  // above one another

bool names_cron_job(const model::OwnerReference& owner) {
  return owner.kind == "CronJob" && controllers::api_group_of(owner.api_version) == "batch";
}

// The controller of the object, if it is there.
model::ObjectPtr owner_above(const store::Store& objects, const model::ObjectMeta& meta) {
  const model::OwnerReference* owner = controllers::controller_of(meta);
  if (owner == nullptr || names_cron_job(*owner)) return nullptr;
  const Kind kind = wire::kind_of(owner->api_version, owner->kind);
  const std::string other =
      kind == Kind::other ? owner->api_version + "/" + owner->kind : std::string();
  const auto found = objects.get({kind, meta.ns, owner->name, other});
  return found != nullptr && found->meta.uid == owner->uid ? found : nullptr;
}

bool is_below(const store::Store& objects, const model::Object& made, const model::Object& work) {
  model::ObjectPtr above = owner_above(objects, made.meta);
  for (int step = 0; above != nullptr && step < kOwnersMax; ++step) {
    if (above->meta.uid == work.meta.uid) return true;
    above = owner_above(objects, above->meta);
  }
  return false;
}

std::vector<const Pod*> live_pods_of(const model::Object& work, const store::Store& objects) {
  std::vector<const Pod*> out;
  std::map<std::string, bool> below;  // by uid of the pod's own controller
  for (const auto& object : objects.objects(Kind::pod)) {
    const auto& pod = model::as<Pod>(*object);
    const model::OwnerReference* owner = controllers::controller_of(pod.meta);
    if (owner == nullptr || pod.meta.ns != work.meta.ns || pod.terminal()) continue;
    const auto [known, fresh] = below.try_emplace(owner->uid, owner->uid == work.meta.uid);
    if (fresh && !known->second) known->second = is_below(objects, pod, work);
    if (known->second) out.push_back(&pod);
  }
  return out;
}

// What was said of pods that could not be made; null: nothing.
const model::Event* refusal_of(const model::Object& work, const store::Store& objects) {
  for (const auto& object : objects.objects(Kind::event)) {
    const auto& event = model::as<model::Event>(*object);
    if (event.reason != "FailedCreate") continue;
    if (event.involved.uid == work.meta.uid) return &event;
    const auto set = objects.find<model::ReplicaSet>(work.meta.ns, event.involved.name);
    if (set != nullptr && set->meta.uid == event.involved.uid && is_below(objects, *set, work)) {
      return &event;
    }
  }
  return nullptr;
}

// Why there is no pod, if someone said so.
std::string reason_for_no_pods(const model::Object& work, const store::Store& objects) {
  if (const auto* refusal = refusal_of(work, objects)) return refusal->message;
  const auto* job = model::try_as<model::Job>(work);
  if (job == nullptr) return "it has no pods";
  if (!job->managed_by.empty()) return fmt::format("left to controller '{}'", job->managed_by);
  return "it has no pods at the moment; failed ones are replaced after a while";
}

// What Kueue says of the work, as far as its Workload is among the objects.
answers::KueueView kueue_view(const model::Object& work, const std::string& kind,
                              const store::Store& objects) {
  answers::KueueView view;
  for (const auto& object : objects.objects(Kind::admission_request)) {
    if (object->meta.ns != work.meta.ns || view.word) continue;
    wire::Document document;
    view.word = answers::kueue_word(wire::encode(*object, document), kind, work.meta.name);
  }
  return view;
}

// Whether work of another project is suspended, by its document.
bool is_suspended(const model::Object& work) {
  if (work.kind != Kind::other || work.document == nullptr) return false;
  bool suspended = false;
  const Status read = wire::read_json(*work.document, [&](wire::Document&& document) {
    suspended = controllers::flag_at(document.root(), {"spec", "suspend"}) ||
                controllers::flag_at(document.root(), {"spec", "runPolicy", "suspend"});
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
  return suspended;
}

// "all its pods have ended (2 Succeeded, 0 Failed)", or that none is asked for; empty: neither is
// so.
std::string ending_of_pods(const model::Object& work, const store::Store& objects) {
  std::size_t succeeded = 0;
  std::size_t failed = 0;
  for (const auto& object : objects.objects(Kind::pod)) {
    const auto& pod = model::as<Pod>(*object);
    if (pod.meta.ns != work.meta.ns || !pod.terminal() || !is_below(objects, pod, work)) continue;
    ++(pod.status.phase == model::PodPhase::succeeded ? succeeded : failed);
  }
  if (succeeded + failed > 0) {
    return fmt::format("all its pods have ended ({} Succeeded, {} Failed)", succeeded, failed);
  }
  const bool keeps = work.kind == Kind::deployment || work.kind == Kind::replica_set ||
                     work.kind == Kind::stateful_set;
  const bool none = keeps && static_cast<const model::ReplicaKeeper&>(work).replicas == 0;
  if (none) return "it asks for no pods";
  if (!sim::is_daemon_set(work) || refusal_of(work, objects) != nullptr) return "";
  const std::size_t nodes = objects.objects(Kind::node).size();
  return fmt::format("it asks for no pods: none of {} is for it, by labels and taints",
                     explain::counted(nodes, "node"));
}

// Says of pods that are wanted and cannot be made that they are missing.
void add_shortage(Verdict& verdict, const model::Object& work, std::size_t pods,
                  const store::Store& objects) {
  const std::size_t wanted = pods_wanted(work);
  const model::Event* refusal = wanted > pods ? refusal_of(work, objects) : nullptr;
  if (refusal == nullptr) return;
  const auto missing =
      fmt::format("{} of {} pods exist, more cannot be made: {}", pods, wanted, refusal->message);
  if (verdict.state != State::running) {
    verdict.summary += "; " + missing;
    return;
  }
  verdict.state = State::held;
  verdict.blocker = explain::Blocker::incomplete;
  verdict.summary = missing;
}

Verdict without_pods(const model::Object& work, const store::Store& objects) {
  auto reason = reason_for_no_pods(work, objects);
  if (const auto* job = model::try_as<model::Job>(work)) {
    return answers::verdict_without_pods(*job, kueue_view(*job, "Job", objects), std::move(reason));
  }
  if (is_suspended(work)) {
    const std::string queue = answers::kueue_queue_of(work.meta);
    return answers::suspended_verdict(queue, kueue_view(work, name_of_work(work).kind, objects));
  }
  Verdict verdict;
  if (const std::string end = ending_of_pods(work, objects); !end.empty()) {
    verdict.state = State::running;
    verdict.summary = end;
    return verdict;
  }
  verdict.state = State::held;
  verdict.blocker = explain::Blocker::incomplete;
  verdict.summary = std::move(reason);
  return verdict;
}

// The groups that a pod is in, its own first.
std::vector<model::ObjectKey> groups_above(const Pod& pod, const store::Store& objects) {
  std::vector<model::ObjectKey> keys;
  const auto leaf = objects.find<model::PodGroup>(pod.meta.ns, pod.spec->scheduling_group);
  if (leaf == nullptr) return keys;
  keys.push_back(model::key_of(*leaf));
  std::string parent = leaf->parent;
  for (int level = 0; !parent.empty() && level < core::GroupTable::kMaxDepth; ++level) {
    const auto above = objects.find<model::CompositePodGroup>(pod.meta.ns, parent);
    if (above == nullptr) break;
    keys.push_back(model::key_of(*above));
    parent = above->parent;
  }
  return keys;
}

// The topmost group of the pod of which all pods are the work's.
std::optional<model::ObjectKey> own_group(const Pod& shown, const std::vector<const Pod*>& pods,
                                          const store::Store& objects) {
  auto candidates = groups_above(shown, objects);
  if (candidates.empty()) return std::nullopt;
  const std::set<std::string> own = [&] {
    std::set<std::string> uids;
    for (const Pod* pod : pods) uids.insert(pod->meta.uid);
    return uids;
  }();
  for (const auto& object : objects.objects(Kind::pod)) {
    const auto& pod = model::as<Pod>(*object);
    if (candidates.size() == 1) break;
    if (pod.meta.ns != shown.meta.ns || pod.terminal() || own.contains(pod.meta.uid)) continue;
    const auto others = groups_above(pod, objects);
    while (candidates.size() > 1 && std::ranges::find(others, candidates.back()) != others.end()) {
      candidates.pop_back();
    }
  }
  return candidates.back();
}

}  // namespace

explain::ObjectName name_of_work(const model::Object& work) {
  if (work.kind != Kind::other) {
    return {std::string(model::facts(work.kind).name), work.meta.ns, work.meta.name};
  }
  const auto& other = static_cast<const model::OtherObject&>(work);
  return {other.kind_name, other.meta.ns, other.meta.name, other.api_version};
}

bool makes_pods(const model::Object& object) {
  return object.kind == Kind::replica_set || object.kind == Kind::replication_controller ||
         sim::is_daemon_set(object) || sim::is_cron_job(object) ||
         controllers::mapping_of(object) != nullptr;
}

model::ObjectPtr work_above(const store::Store& objects, const model::Object& made) {
  model::ObjectPtr top;
  model::ObjectPtr above = owner_above(objects, made.meta);
  for (int step = 0; above != nullptr && step < kOwnersMax; ++step) {
    if (makes_pods(*above)) top = above;
    above = owner_above(objects, above->meta);
  }
  return top;
}

std::string name_in_use(const store::Store& objects, const std::string& name) {
  const std::size_t space = name.find(' ');
  const std::size_t slash = name.find('/', space);
  if (space == std::string::npos || slash == std::string::npos) return name;
  const std::string ns = name.substr(space + 1, slash - space - 1);
  for (const Kind kind : {Kind::pod, Kind::pod_group, Kind::composite_pod_group}) {
    if (name.substr(0, space) != model::facts(kind).name) continue;
    const auto made = objects.get({kind, ns, name.substr(slash + 1), {}});
    const auto work = made != nullptr ? work_above(objects, *made) : nullptr;
    if (work != nullptr) return explain::text_of(name_of_work(*work));
  }
  return name;
}

std::size_t pods_wanted(const model::Object& work) {
  if (const auto* job = model::try_as<model::Job>(work)) {
    const std::int32_t at_once = job->parallelism.value_or(1);
    const std::int32_t left = job->completions.value_or(at_once) - job->status.succeeded;
    const bool none = job->suspend || controllers::end_condition(*job) != nullptr;
    return none ? 0 : static_cast<std::size_t>(std::max(0, std::min(at_once, left)));
  }
  const bool keeps = work.kind == Kind::deployment || work.kind == Kind::replica_set ||
                     work.kind == Kind::stateful_set;
  if (!keeps) return 0;
  const auto& keeper = static_cast<const model::ReplicaKeeper&>(work);
  return static_cast<std::size_t>(std::max(0, keeper.replicas.value_or(1)));
}

std::optional<model::ObjectKey> spokesman(const model::Object& work, const store::Store& objects) {
  if (is_cron_job(work)) {
    const auto job = telling_job_of(objects, work);
    return job != nullptr ? spokesman(*job, objects) : std::nullopt;
  }
  const auto pods = live_pods_of(work, objects);
  if (pods.empty()) return std::nullopt;
  const auto waiting =
      std::ranges::find_if(pods, [](const Pod* pod) { return pod->node_name.empty(); });
  const Pod& shown = waiting != pods.end() ? **waiting : *pods.front();
  const auto group = own_group(shown, pods, objects);
  return group ? *group : model::key_of(shown);
}

bool has_ended(const model::Object& work, const store::Store& objects) {
  if (is_cron_job(work) || sim::is_daemon_set(work)) return false;  // there are always more
  if (const auto* job = model::try_as<model::Job>(work)) {
    return controllers::end_condition(*job) != nullptr;
  }
  if (!live_pods_of(work, objects).empty()) return false;
  return std::ranges::any_of(objects.objects(Kind::pod), [&](const auto& pod) {
    return pod->meta.ns == work.meta.ns && is_below(objects, *pod, work);
  });
}

Verdict work_verdict(const model::Object& work, const store::Store& objects,
                     const VerdictOf& verdict_of) {
  const auto shown = spokesman(work, objects);
  Verdict verdict = shown ? verdict_of(*shown) : without_pods(work, objects);
  if (shown && shown->kind == Kind::pod) {
    const auto pods = live_pods_of(work, objects);
    const auto placed =
        std::ranges::count_if(pods, [](const Pod* pod) { return !pod->node_name.empty(); });
    verdict.summary = answers::of_job(
        static_cast<std::size_t>(placed), pods.size(),
        verdict.state == State::running && pods.size() > 1 ? "all are on nodes" : verdict.summary);
  }
  if (shown) add_shortage(verdict, work, live_pods_of(work, objects).size(), objects);
  verdict.object = name_of_work(work);
  return verdict;
}

}  // namespace tutti::session
