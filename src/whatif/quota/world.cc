#include "whatif/quota/world.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "core/framework/ports.h"
#include "explain/request_verdict.h"

namespace tutti::whatif {
namespace {

// Attempts in one trial, whatever waits; and how often those who were asked to leave do so.
constexpr std::size_t kStepsMax = 200'000;
constexpr std::size_t kDeparturesMax = 64;

constexpr std::string_view kRequestAnnotation = "kueue.x-k8s.io/workload";

// A cluster that takes everything down and answers nothing but who was asked to leave. What the
// scheduler decided counts for it at once.
class QuietCluster final : public core::ClusterPort {
 public:
  void bind(const core::BindRequest& /*request*/) override {}
  void evict(const core::PodReference& pod, const model::Condition& /*reason*/) override {
    evicted_.push_back(pod.uid);
  }
  void patch_pod(const core::PodStatusPatch& /*patch*/) override {}
  void patch_group(const core::GroupConditionPatch& /*patch*/) override {}
  void record(const core::EventRecord& /*event*/) override {}
  void update(const model::ObjectPtr& /*object*/) override {}
  void update_request(const std::shared_ptr<const model::AdmissionRequest>& /*request*/) override {}
  void update_queue_status(const model::ObjectPtr& /*queue*/) override {}
  void patch_claim(const core::ClaimPatch& /*patch*/) override {}
  void create_claim(const std::shared_ptr<const model::ResourceClaim>& /*claim*/) override {}

  std::vector<std::string> take_evicted() { return std::exchange(evicted_, {}); }

 private:
  std::vector<std::string> evicted_;  // uids
};

// What others refer to comes first, requests last: their pods are known by then.
int rank_of(model::Kind kind) {
  if (kind == model::Kind::node || kind == model::Kind::ns) return 0;
  if (kind == model::Kind::admission_request) return 3;
  return kind == model::Kind::pod ? 2 : 1;
}

std::string request_named_by(const model::Pod& pod) {
  const std::string* name = model::find(pod.meta.annotations, kRequestAnnotation);
  return name != nullptr ? pod.meta.ns + "/" + *name : std::string();
}

std::vector<model::ObjectPtr> changed(const World& world, const WorldChange& change) {
  std::map<model::ObjectKey, model::ObjectPtr> set;
  for (const model::ObjectPtr& object : change.set) set[model::key_of(*object)] = object;
  const std::set<model::ObjectKey> ended(change.ended.begin(), change.ended.end());
  std::set<std::string> without;  // requests that have ended
  for (const model::ObjectKey& key : change.ended) {
    if (key.kind == model::Kind::admission_request) without.insert(key.ns + "/" + key.name);
  }
  std::vector<model::ObjectPtr> objects;
  for (const model::ObjectPtr& object : world.objects) {
    const model::ObjectKey key = model::key_of(*object);
    if (ended.contains(key)) continue;
    const auto* pod = model::try_as<model::Pod>(*object);
    if (pod != nullptr && without.contains(request_named_by(*pod))) continue;
    const auto at = set.find(key);
    objects.push_back(at != set.end() ? at->second : object);
  }
  std::ranges::stable_sort(objects, {}, [](const auto& object) { return rank_of(object->kind); });
  return objects;
}

std::string name_of_pod(const model::Pod& pod) {
  for (const model::OwnerReference& owner : pod.meta.owners) {
    if (owner.controller) return owner.kind + " " + pod.meta.ns + "/" + owner.name;
  }
  return "Pod " + pod.meta.ns + "/" + pod.meta.name;
}

std::int64_t evictions_of(const model::AdmissionRequest& request) {
  std::int64_t count = 0;
  for (const model::EvictionCount& each : request.status.evictions) count += each.count;
  return count;
}

class Rehearser {
 public:
  Rehearser(const World& world, const std::vector<model::ObjectPtr>& objects)
      : now_(world.now), scheduler_(world.options, world.profiles(), cluster_) {
    for (const model::ObjectPtr& object : objects) {
      if (object->kind == model::Kind::pod) {
        pods_[object->meta.uid] = std::static_pointer_cast<const model::Pod>(object);
      }
      if (const auto* request = model::try_as<model::AdmissionRequest>(*object)) {
        evictions_before_[request->meta.ns + "/" + request->meta.name] = evictions_of(*request);
      }
      scheduler_.observe({core::Observation::Type::added, object}, now_);
    }
  }

  Trial run(const std::string& name) {
    Trial trial;
    std::size_t steps = 0;
    for (std::size_t round = 0; round < kDeparturesMax; ++round) {
      while (steps < kStepsMax && scheduler_.schedule_one(now_)) ++steps;
      const bool some_left = let_leave(name, trial);
      if (!some_left) break;
    }
    const core::Request* request = find(name);
    trial.admitted = request != nullptr && (request->stage == core::RequestStage::reserved ||
                                            request->stage == core::RequestStage::admitted);
    if (trial.admitted) trial.promise = request->promise;
    for (const auto& [other, each] : scheduler_.broker().requests().all()) {
      if (other == name || evictions_of(*each->object) <= evictions_before_[other]) continue;
      trial.evicts.push_back(text_of(explain::author_of(*each->object)));
    }
    std::ranges::sort(trial.evicts);
    trial.evicts.erase(std::ranges::unique(trial.evicts).begin(), trial.evicts.end());
    return trial;
  }

 private:
  const core::Request* find(const std::string& name) const {
    const auto& all = scheduler_.broker().requests().all();
    const auto at = all.find(name);
    return at != all.end() ? at->second.get() : nullptr;
  }

  // Everybody goes who was asked to. Whether anybody was.
  bool let_leave(const std::string& name, Trial& trial) {
    std::set<std::string> uids;
    for (const std::string& uid : cluster_.take_evicted()) {
      const auto at = pods_.find(uid);
      if (at == pods_.end()) continue;
      uids.insert(uid);
      const core::Request* whole = find(request_named_by(*at->second));
      trial.evicts.push_back(whole != nullptr ? text_of(explain::author_of(*whole->object))
                                              : name_of_pod(*at->second));
    }
    for (const auto& [other, request] : scheduler_.broker().requests().all()) {
      if (request->stage != core::RequestStage::releasing || other == name) continue;
      for (const core::PodId pod : request->pods) {
        uids.insert(scheduler_.cluster().pod(pod).object->meta.uid);
      }
    }
    for (const std::string& uid : uids) {
      const auto at = pods_.find(uid);
      if (at == pods_.end()) continue;
      scheduler_.observe({core::Observation::Type::deleted, at->second}, now_);
      pods_.erase(at);
    }
    return !uids.empty();
  }

  Instant now_;
  QuietCluster cluster_;
  core::Scheduler scheduler_;
  std::map<std::string, std::shared_ptr<const model::Pod>> pods_;  // by uid; those still here
  std::map<std::string, std::int64_t> evictions_before_;           // of requests
};

}  // namespace

Trial try_change(const World& world, const WorldChange& change, const std::string& request) {
  Rehearser rehearser(world, changed(world, change));
  return rehearser.run(request);
}

}  // namespace tutti::whatif
