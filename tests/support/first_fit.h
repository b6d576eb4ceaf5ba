// A scheduler for tests of the world around schedulers: pods in order of name onto the first node
// with enough cpu, gangs all or nothing. It knows cpu, taints and cordons, and nothing else.
#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/group.h"
#include "model/node.h"
#include "sim/plane/scheduler_driver.h"
#include "sim/world.h"

namespace tutti::test {

class FirstFit : public sim::SchedulerDriver {
 public:
  explicit FirstFit(core::ClusterPort& port) : port_(port) {}

  void observe(const store::WatchEvent& event, Instant now) override {
    if (event.quiet) {
      retry_at_ = now + std::chrono::seconds(10);
    } else {
      awake_ = true;
    }
    keep<model::Pod>(pods_, event);
    keep<model::Node>(nodes_, event);
    keep<model::PodGroup>(groups_, event);
    if (event.object().kind == model::Kind::pod) settle_assumption(event);
  }

  void bind_finished(const core::PodReference& pod, const Status& outcome, Instant now) override {
    --in_flight_;
    if (outcome.ok()) return;
    ++failed_binds;
    assumed_.erase({model::Kind::pod, pod.ns, pod.name, {}});
    retry_at_ = now + std::chrono::seconds(1);
  }

  bool schedule(Instant now) override {
    if (retry_at_ && *retry_at_ <= now) {
      retry_at_.reset();
      awake_ = true;
    }
    if (!std::exchange(awake_, false)) return false;
    for (auto& [name, members] : units()) try_unit(name, members);
    return true;
  }

  std::optional<Instant> next_wakeup() const override { return retry_at_; }
  bool settled() const override { return !awake_ && !retry_at_ && in_flight_ == 0; }
  bool knows(const model::Pod& pod) const override { return pods_.contains(model::key_of(pod)); }

  int failed_binds = 0;
  bool ignores_room = false;   // binds whatever the nodes hold
  bool ignores_gangs = false;  // binds members one by one

 private:
  using Key = model::ObjectKey;
  using Pod = std::shared_ptr<const model::Pod>;
  using Unit = std::pair<std::string, std::string>;  // "ns/group", name of a lone pod

  template <typename T>
  static void keep(std::map<Key, std::shared_ptr<const T>>& known, const store::WatchEvent& event) {
    if (event.object().kind != T::kKind) return;
    known.erase(model::key_of(event.object()));
    if (event.after) {
      known[model::key_of(*event.after)] = std::static_pointer_cast<const T>(event.after);
    }
  }

  void settle_assumption(const store::WatchEvent& event) {
    const auto& pod = model::as<model::Pod>(event.object());
    if (!event.after || pod.terminal() || !pod.node_name.empty()) {
      assumed_.erase(model::key_of(pod));
    }
  }

  bool pending(const Key& key, const model::Pod& pod) const {
    return pod.node_name.empty() && !pod.terminal() && !pod.meta.deletion &&
           pod.spec->scheduling_gates.empty() && !assumed_.contains(key);
  }

  std::map<Unit, std::vector<Pod>> units() const {
    std::map<Unit, std::vector<Pod>> units;
    for (const auto& [key, pod] : pods_) {
      if (!pending(key, *pod)) continue;
      const auto& group = pod->spec->scheduling_group;
      const bool alone = group.empty() || ignores_gangs;
      units[{key.ns + "/" + (alone ? "" : group), alone ? key.name : ""}].push_back(pod);
    }
    return units;
  }

  std::size_t minimum_of(const std::vector<Pod>& members) const {
    const auto& first = *members.front();
    if (first.spec->scheduling_group.empty() || ignores_gangs) return 1;
    const auto group =
        groups_.find({model::Kind::pod_group, first.meta.ns, first.spec->scheduling_group, {}});
    if (group == groups_.end()) return pods_.size() + 1;
    std::size_t placed = 0;
    for (const auto& [key, pod] : pods_) {
      const bool member = pod->meta.ns == first.meta.ns &&
                          pod->spec->scheduling_group == first.spec->scheduling_group;
      const bool leaving = pod->terminal() || pod->meta.deletion;
      if (member && !leaving && (!pod->node_name.empty() || assumed_.contains(key))) ++placed;
    }
    const auto minimum = static_cast<std::size_t>(group->second->spec.policy.minimum);
    return minimum > placed ? minimum - placed : 1;
  }

  void try_unit(const Unit&, const std::vector<Pod>& members) {
    const auto before = assumed_;
    std::vector<core::BindRequest> binds;
    for (const auto& pod : members) {
      const auto node = first_fit(*pod);
      if (!node) continue;
      assumed_[model::key_of(*pod)] = *node;
      binds.push_back({{pod->meta.ns, pod->meta.name, pod->meta.uid}, *node, {}});
    }
    if (binds.size() < minimum_of_before(members, before)) {
      assumed_ = before;
      for (const auto& pod : members) refuse(*pod);
      return;
    }
    for (const auto& bind : binds) {
      ++in_flight_;
      port_.bind(bind);
    }
  }

  std::size_t minimum_of_before(const std::vector<Pod>& members,
                                const std::map<Key, std::string>& before) {
    auto now = std::exchange(assumed_, before);
    const auto minimum = minimum_of(members);
    assumed_ = std::move(now);
    return minimum;
  }

  void refuse(const model::Pod& pod) {
    port_.patch_pod(
        {.pod = {pod.meta.ns, pod.meta.name, pod.meta.uid},
         .condition = model::Condition{"PodScheduled", "False", "Unschedulable", "no room", {}, 0},
         .nominated_node = {}});
  }

  std::optional<std::string> first_fit(const model::Pod& pod) const {
    for (const auto& [key, node] : nodes_) {
      if (!node->taints.empty() || node->unschedulable) continue;
      if (ignores_room || free_cpu(*node) >= cpu(pod)) return key.name;
    }
    return std::nullopt;
  }

  std::int64_t free_cpu(const model::Node& node) const {
    const auto* offered = model::find(node.allocatable, "cpu");
    std::int64_t free = offered ? offered->milli() : 0;
    for (const auto& [key, pod] : pods_) {
      const auto assumed = assumed_.find(key);
      const auto& on = assumed != assumed_.end() ? assumed->second : pod->node_name;
      if (on == node.meta.name && !pod->terminal()) free -= cpu(*pod);
    }
    return free;
  }

  static std::int64_t cpu(const model::Pod& pod) {
    std::int64_t sum = 0;
    for (const auto& container : pod.spec->containers) {
      if (const auto* amount = model::find(container.requests, "cpu")) sum += amount->milli();
    }
    return sum;
  }

  core::ClusterPort& port_;
  std::map<Key, Pod> pods_;
  std::map<Key, std::shared_ptr<const model::Node>> nodes_;
  std::map<Key, std::shared_ptr<const model::PodGroup>> groups_;
  std::map<Key, std::string> assumed_;
  int in_flight_ = 0;
  bool awake_ = false;
  std::optional<Instant> retry_at_;
};

}  // namespace tutti::test
