// FakePort: a cluster of plain values around one scheduler. It answers binds, keeps what the
// scheduler writes, and feeds everything back as observations, at times the test chooses.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "core/framework/claim_patch.h"
#include "core/framework/ports.h"
#include "core/scheduler/scheduler.h"
#include "model/device.h"
#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::test {

class FakePort : public core::ClusterPort {
 public:
  // --- what the scheduler did, in order ----------------------------------------------------------
  std::vector<core::BindRequest> binds;
  std::vector<core::PodReference> evictions;
  std::vector<model::Condition> eviction_reasons;
  std::vector<core::PodStatusPatch> pod_patches;
  std::vector<core::GroupConditionPatch> group_patches;
  std::vector<core::ClaimPatch> claim_patches;
  std::vector<core::EventRecord> events;

  // Decides about each bind call; absent: all succeed.
  std::function<Status(const core::BindRequest&)> bind_outcome;

  void serve(core::Scheduler& scheduler) { scheduler_ = &scheduler; }
  Instant now() const { return now_; }
  void advance(Millis by) { now_ += by; }

  // --- the user's side ---------------------------------------------------------------------------
  template <typename T>
  void apply(const std::shared_ptr<const T>& object, bool quiet = false) {
    const auto key = model::key_of(*object);
    const bool known = objects_.contains(key);
    objects_[key] = object;
    using Type = core::Observation::Type;
    scheduler_->observe({known ? Type::modified : Type::added, object, quiet}, now_);
  }
  void remove(model::Kind kind, const std::string& ns, const std::string& name) {
    const auto at = objects_.find({kind, ns, name, {}});
    TUTTI_CHECK(at != objects_.end(), name);
    const auto object = at->second;
    objects_.erase(at);
    scheduler_->observe({core::Observation::Type::deleted, object, false}, now_);
  }
  template <typename T>
  const T* find(const std::string& ns, const std::string& name) const {
    const auto at = objects_.find({T::kKind, ns, name, {}});
    return at == objects_.end() ? nullptr : &model::as<T>(*at->second);
  }
  const std::map<model::ObjectKey, model::ObjectPtr>& objects() const { return objects_; }
  // The node of a pod of namespace t, or "".
  std::string node_of(const std::string& pod) const {
    const auto* found = find<model::Pod>("t", pod);
    return found != nullptr ? found->node_name : "";
  }

  // --- time --------------------------------------------------------------------------------------
  // Lets the scheduler work and hears its writes until nothing happens at this instant.
  void run_instant() {
    for (bool busy = true; busy;) {
      busy = false;
      while (scheduler_->schedule_one(now_)) stepped();
      while (!pending_.empty()) {
        busy = true;
        const auto deliver = std::move(pending_.front());
        pending_.erase(pending_.begin());
        deliver();
        stepped();
      }
    }
  }
  // Moves on until only the user could change anything. False if that takes too long.
  [[nodiscard]] bool settle(int wakeups_max = 200) {
    run_instant();
    for (int i = 0; i < wakeups_max; ++i) {
      if (scheduler_->settled()) return true;
      const auto next = scheduler_->next_wakeup();
      if (!next) return false;
      now_ = std::max(now_, *next);
      run_instant();
    }
    return false;
  }
  // Called after every step of the scheduler and every observation.
  std::function<void()> on_step;

  // --- ClusterPort -------------------------------------------------------------------------------
  void bind(const core::BindRequest& request) override {
    binds.push_back(request);
    pending_.emplace_back([this, request] { finish_bind(request); });
  }
  void evict(const core::PodReference& pod, const model::Condition& reason) override {
    evictions.push_back(pod);
    eviction_reasons.push_back(reason);
    pending_.emplace_back([this, pod] {
      if (find<model::Pod>(pod.ns, pod.name)) remove(model::Kind::pod, pod.ns, pod.name);
    });
  }
  void patch_pod(const core::PodStatusPatch& patch) override {
    pod_patches.push_back(patch);
    pending_.emplace_back([this, patch] {
      change<model::Pod>(patch.pod.ns, patch.pod.name, [&](model::Pod& pod) {
        if (patch.condition) set_condition(pod.status.conditions, *patch.condition);
        if (patch.nominated_node) pod.status.nominated_node = *patch.nominated_node;
      });
    });
  }
  void patch_group(const core::GroupConditionPatch& patch) override {
    group_patches.push_back(patch);
    pending_.emplace_back([this, patch] {
      const auto note = [&](auto& group) { set_condition(group.conditions, patch.condition); };
      if (patch.group.kind == model::Kind::pod_group) {
        change<model::PodGroup>(patch.group.ns, patch.group.name, note);
      } else {
        change<model::CompositePodGroup>(patch.group.ns, patch.group.name, note);
      }
    });
  }
  void patch_claim(const core::ClaimPatch& patch) override {
    claim_patches.push_back(patch);
    pending_.emplace_back([this, patch] {
      const auto* known = find<model::ResourceClaim>(patch.ns, patch.name);
      if (known == nullptr || known->meta.uid != patch.uid || !core::allows(*known, patch)) return;
      change<model::ResourceClaim>(patch.ns, patch.name, [&](model::ResourceClaim& claim) {
        core::apply(claim, patch, now_);
        ++claim.meta.resource_version;
      });
    });
  }
  void record(const core::EventRecord& event) override { events.push_back(event); }
  void update(const model::ObjectPtr& object) override {
    pending_.emplace_back([this, object] {
      objects_[model::key_of(*object)] = object;
      scheduler_->observe({core::Observation::Type::modified, object, false}, now_);
    });
  }

 protected:
  // What the cluster is to hear later, in order.
  std::vector<std::function<void()>> pending_;

  template <typename T, typename Edit>
  void change(const std::string& ns, const std::string& name, const Edit& edit) {
    const auto* known = find<T>(ns, name);
    if (known == nullptr) return;
    auto made = std::make_shared<T>(*known);
    edit(*made);
    apply(std::shared_ptr<const T>(std::move(made)));
  }
  static void set_condition(model::Conditions& all, const model::Condition& made) {
    for (auto& each : all.edit()) {
      if (each.type == made.type) return void(each = made);
    }
    all.push_back(made);
  }

 private:
  void stepped() const {
    if (on_step) on_step();
  }
  void finish_bind(const core::BindRequest& request) {
    const auto* pod = find<model::Pod>(request.pod.ns, request.pod.name);
    Status outcome = bind_outcome ? bind_outcome(request) : ok_status();
    if (pod == nullptr) outcome = Error{Error::Code::not_found, "pod is gone"};
    if (pod != nullptr && !pod->node_name.empty()) {
      outcome = Error{Error::Code::conflict, "pod has a node"};
    }
    scheduler_->bind_finished(request.pod, outcome, now_);
    if (!outcome.ok()) return;
    change<model::Pod>(request.pod.ns, request.pod.name,
                       [&](model::Pod& bound) { bound.node_name = request.node; });
  }

  core::Scheduler* scheduler_ = nullptr;
  Instant now_{Millis{1'000'000}};
  std::map<model::ObjectKey, model::ObjectPtr> objects_;
};

}  // namespace tutti::test
