// Small filters for tests that need a profile but no particular plugin: each judges a node by one
// function, under a configuration name of the test's choosing.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/framework/plugin.h"
#include "core/framework/profile.h"

namespace tutti::test {

// success: the node is fine.
using IdleReasons =
    std::function<core::PluginStatus(const core::Cluster&, const core::PodClass&, core::NodeId)>;

class FakeFilter : public core::Plugin, public core::FilterPlugin {
 public:
  FakeFilter(std::string name, core::Concern concern, IdleReasons judge)
      : name_(std::move(name)), concern_(concern), judge_(std::move(judge)) {}
  std::string_view name() const override { return name_; }
  core::Concern concern() const override { return concern_; }
  bool only_resources() const override { return concern_ == core::Concern::resources; }
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override {
    return core::Prepared<core::FilterEvaluator>::ready(
        std::make_unique<Evaluator>(cluster, pods, judge_));
  }

 private:
  class Evaluator : public core::FilterEvaluator {
   public:
    Evaluator(const core::Cluster& cluster, core::PodClass pods, const IdleReasons& judge)
        : cluster_(cluster), pods_(pods), judge_(judge) {}
    void filter(Bitset& nodes) const override {
      nodes.for_each_set([&](std::size_t i) {
        if (!accepts({static_cast<std::uint32_t>(i)})) nodes.reset(i);
      });
    }
    bool accepts(core::NodeId node) const override {
      return judge_(cluster_, pods_, node).success();
    }
    std::vector<core::PluginStatus> explain(core::NodeId node) const override {
      return {judge_(cluster_, pods_, node)};
    }
    core::Effect changed(const core::Change&) override { return core::Effect::everything; }

   private:
    const core::Cluster& cluster_;
    core::PodClass pods_;
    const IdleReasons& judge_;
  };
  std::string name_;
  core::Concern concern_;
  IdleReasons judge_;
};

// Refuses every pod, whatever the node.
class RefusingFilter : public core::Plugin, public core::FilterPlugin {
 public:
  RefusingFilter(std::string name, core::Concern concern, std::string reason)
      : name_(std::move(name)), concern_(concern), reason_(std::move(reason)) {}
  std::string_view name() const override { return name_; }
  core::Concern concern() const override { return concern_; }
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster&,
                                                       const core::PodClass&) const override {
    return core::Prepared<core::FilterEvaluator>::refuse(
        {core::Code::unresolvable, name_, reason_});
  }

 private:
  std::string name_;
  core::Concern concern_;
  std::string reason_;
};

template <typename Filter, typename... Arguments>
void add_filter(core::Profile& profile, Arguments&&... arguments) {
  auto made = std::make_unique<Filter>(std::forward<Arguments>(arguments)...);
  profile.filters.push_back({made.get(), made.get()});
  profile.plugins.push_back(std::move(made));
}

inline core::PluginStatus judge_resources(const core::Cluster& cluster, const core::PodClass& pods,
                                          core::NodeId node) {
  for (const auto& request : cluster.shape(pods.shape).requests) {
    const auto all = cluster.resources().allocatable(request.resource)[node.index];
    if (request.amount <= all - cluster.resources().used(request.resource)[node.index]) continue;
    const auto code = request.amount > all ? core::Code::unresolvable : core::Code::unschedulable;
    return {code, {}, "Insufficient " + std::string(cluster.resources().name(request.resource))};
  }
  return {};
}

inline core::PluginStatus judge_taints(const core::Cluster& cluster, const core::PodClass& pods,
                                       core::NodeId node) {
  const bool tainted = !cluster.node(node).taints.empty();
  if (!tainted || !pods.sample->spec->tolerations.empty()) return {};
  return {core::Code::unresolvable, {}, "node(s) had untolerated taint(s)"};
}

inline core::PluginStatus judge_selector(const core::Cluster& cluster, const core::PodClass& pods,
                                         core::NodeId node) {
  for (const auto& [key, value] : pods.sample->spec->node_selector) {
    const auto* label = model::find(cluster.node(node).meta.labels, key);
    if (label != nullptr && *label == value) continue;
    return {core::Code::unresolvable, {}, "node(s) didn't match Pod's node affinity/selector"};
  }
  return {};
}

// Taints, selectors and resources under the names of the plugins that judge them for real.
inline core::Profile plain_profile() {
  core::Profile profile;
  add_filter<FakeFilter>(profile, "TaintToleration", core::Concern::taints, judge_taints);
  add_filter<FakeFilter>(profile, "NodeAffinity", core::Concern::node_affinity, judge_selector);
  add_filter<FakeFilter>(profile, "NodeResourcesFit", core::Concern::resources, judge_resources);
  return profile;
}

}  // namespace tutti::test
