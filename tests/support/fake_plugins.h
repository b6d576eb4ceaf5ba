// The smallest plugins that make a working profile, for tests of core: requests must fit, the
// emptiest node is best, groups wait for their quorum, gates hold.
#pragma once

#include <algorithm>
#include <chrono>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <vector>

#include "core/framework/profile.h"
#include "model/object.h"

namespace tutti::test {

class FitEvaluator : public core::FilterEvaluator {
 public:
  FitEvaluator(const core::Cluster& cluster, const core::PodShape& shape)
      : cluster_(cluster), shape_(shape) {}
  void filter(Bitset& nodes) const override {
    const Bitset before = nodes;
    before.for_each_set([&](std::size_t i) {
      if (!accepts({static_cast<std::uint32_t>(i)})) nodes.reset(i);
    });
  }
  bool accepts(core::NodeId node) const override {
    return std::ranges::all_of(shape_.requests, [&](const auto& request) {
      return request.amount <= cluster_.resources().allocatable(request.resource)[node.index] -
                                   cluster_.resources().used(request.resource)[node.index];
    });
  }
  std::vector<core::PluginStatus> explain(core::NodeId) const override {
    return {{core::Code::unschedulable, "Fit", "too full"}};
  }
  core::Effect changed(const core::Change&) override { return core::Effect::node; }

 private:
  const core::Cluster& cluster_;
  const core::PodShape& shape_;
};

class Fit : public core::Plugin, public core::FilterPlugin {
 public:
  std::string_view name() const override { return "Fit"; }
  core::EventKind wakes_on() const override {
    return core::EventKind::node_added | core::EventKind::node_allocatable |
           core::EventKind::pod_removed;
  }
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override {
    return core::Prepared<core::FilterEvaluator>::ready(
        std::make_unique<FitEvaluator>(cluster, cluster.shape(pods.shape)));
  }
};

// Free cpu in percent; as it is, or stretched over 0..100 between the extremes.
class EmptiestEvaluator : public core::ScoreEvaluator {
 public:
  EmptiestEvaluator(const core::Cluster& cluster, bool stretch)
      : cluster_(cluster), stretch_(stretch) {}
  void score(const Bitset& nodes, std::span<std::int64_t> out) const override {
    nodes.for_each_set([&](std::size_t i) { out[i] = score({static_cast<std::uint32_t>(i)}); });
  }
  std::int64_t score(core::NodeId node) const override {
    const std::int64_t all = cluster_.resources().allocatable(core::kCpu)[node.index];
    const std::int64_t used = cluster_.resources().used(core::kCpu)[node.index];
    return all == 0 ? 0 : (all - used) * 100 / all;
  }
  core::Effect changed(const core::Change&) override { return core::Effect::node; }
  bool normalizes() const override { return stretch_; }
  std::int64_t normalize(core::NodeId, std::int64_t raw, std::int64_t min,
                         std::int64_t max) const override {
    return max == min ? 100 : (raw - min) * 100 / (max - min);
  }

 private:
  const core::Cluster& cluster_;
  bool stretch_;
};

class Emptiest : public core::Plugin, public core::ScorePlugin {
 public:
  explicit Emptiest(bool stretch = false) : stretch_(stretch) {}
  std::string_view name() const override { return "Emptiest"; }
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass&) const override {
    return core::Prepared<core::ScoreEvaluator>::ready(
        std::make_unique<EmptiestEvaluator>(cluster, stretch_));
  }

 private:
  bool stretch_;
};

class Order : public core::Plugin, public core::QueueSortPlugin {
 public:
  std::string_view name() const override { return "Order"; }
  bool before(const core::QueueRank& a, const core::QueueRank& b) const override {
    return std::tuple(-std::int64_t{a.priority}, a.queued_at, a.name) <
           std::tuple(-std::int64_t{b.priority}, b.queued_at, b.name);
  }
};

class Gates : public core::Plugin, public core::PreEnqueuePlugin {
 public:
  std::string_view name() const override { return "Gates"; }
  core::PluginStatus pre_enqueue(const core::Cluster& cluster, const core::GroupTable&,
                                 core::PodId pod) const override {
    if (cluster.pod(pod).object->spec->scheduling_gates.empty()) return {};
    return {core::Code::unschedulable, name(), "gated"};
  }
};

class Gang : public core::Plugin,
             public core::PreEnqueuePlugin,
             public core::PlacementFeasiblePlugin {
 public:
  std::string_view name() const override { return "Gang"; }
  core::PluginStatus pre_enqueue(const core::Cluster& cluster, const core::GroupTable& groups,
                                 core::PodId pod) const override {
    const model::Pod& object = *cluster.pod(pod).object;
    if (object.spec->scheduling_group.empty()) return {};
    const auto group = groups.find(object.meta.ns, object.spec->scheduling_group, false);
    const auto root = group ? groups.root_of(*group) : std::nullopt;
    if (root && groups.has_quorum(*root)) return {};
    return {core::Code::unschedulable, name(), "too few members exist"};
  }
  core::Feasibility feasible(const core::Group& group, std::size_t scheduled,
                             std::size_t remaining) const override {
    const auto minimum = static_cast<std::size_t>(group.spec().policy.minimum);
    if (scheduled + remaining < minimum) return core::Feasibility::infeasible;
    return scheduled < minimum ? core::Feasibility::undecided : core::Feasibility::feasible;
  }
};

class DirectBinder : public core::Plugin, public core::BindPlugin {
 public:
  std::string_view name() const override { return "DirectBinder"; }
  core::PluginStatus bind(const core::Cluster& cluster, core::ClusterPort& port, core::PodId pod,
                          core::NodeId node) override {
    const auto& object = *cluster.pod(pod).object;
    const auto& meta = object.meta;
    port.bind(
        {{meta.ns, meta.name, meta.uid}, cluster.node_name(node), object.spec->scheduling_group});
    return {};
  }
};

// What the plugins below were asked, and what they answer to pods that want to bind.
struct Diary {
  std::vector<std::string> lines;
  core::Code permit = core::Code::success;
  core::Code pre_bind = core::Code::success;
};

// Writes into the diary whenever it is asked, once per extension point.
class Diarist : public core::Plugin,
                public core::ReservePlugin,
                public core::PermitPlugin,
                public core::PreBindPlugin,
                public core::PostBindPlugin {
 public:
  explicit Diarist(Diary& diary) : diary_(diary) {}
  std::string_view name() const override { return "Diarist"; }
  core::PluginStatus reserve(core::Cluster& cluster, core::PodId pod, core::NodeId) override {
    return noted("reserve", cluster, pod, core::Code::success);
  }
  void unreserve(core::Cluster& cluster, core::PodId pod, core::NodeId) override {
    noted("unreserve", cluster, pod, core::Code::success);
  }
  core::PluginStatus permit(const core::Cluster& cluster, const core::GroupTable&, core::PodId pod,
                            core::NodeId) const override {
    return noted("permit", cluster, pod, diary_.permit);
  }
  core::PluginStatus pre_bind(core::Cluster& cluster, core::ClusterPort&, core::PodId pod,
                              core::NodeId) override {
    return noted("pre_bind", cluster, pod, diary_.pre_bind);
  }
  void post_bind(const core::Cluster& cluster, core::PodId pod, core::NodeId) override {
    noted("post_bind", cluster, pod, core::Code::success);
  }
  Millis timeout() const override { return std::chrono::minutes(5); }

 private:
  core::PluginStatus noted(const char* what, const core::Cluster& cluster, core::PodId pod,
                           core::Code answer) const {
    diary_.lines.push_back(what + (" " + cluster.pod(pod).object->meta.name));
    return {answer, name(), answer == core::Code::success ? "" : "said no"};
  }

  Diary& diary_;
};

// Answers a failed attempt as the test says.
class Rescuer : public core::Plugin, public core::PostFilterPlugin {
 public:
  using Answer = std::function<Outcome(core::Cluster&, std::span<const core::PodId>)>;
  explicit Rescuer(Answer answer = {}) : answer_(std::move(answer)) {}
  std::string_view name() const override { return "Rescuer"; }
  Outcome post_filter(core::Cluster& cluster, const core::GroupTable&,
                      std::span<const core::PodId> pods) override {
    return answer_(cluster, pods);
  }

 private:
  Answer answer_;
};

// Puts `plugin` into the profile and into each of its lists named after it.
template <typename P, typename... Interface>
P& enable(core::Profile& profile, std::unique_ptr<P> plugin,
          core::EnabledList<Interface>&... lists) {
  P& made = *plugin;
  profile.plugins.push_back(std::move(plugin));
  (lists.push_back({&made, &made, 1}), ...);
  return made;
}

inline core::Profile small_profile(std::string scheduler_name = "default-scheduler") {
  core::Profile profile;
  profile.scheduler_name = std::move(scheduler_name);
  enable(profile, std::make_unique<Gates>(), profile.pre_enqueue);
  enable(profile, std::make_unique<Gang>(), profile.pre_enqueue, profile.placement_feasible);
  enable(profile, std::make_unique<Fit>(), profile.filters);
  enable(profile, std::make_unique<Emptiest>(), profile.scores);
  enable(profile, std::make_unique<DirectBinder>(), profile.bind);
  profile.queue_sort = &enable(profile, std::make_unique<Order>());
  return profile;
}

}  // namespace tutti::test
