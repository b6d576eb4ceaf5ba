#include "core/framework/per_node_adapter.h"

#include <algorithm>
#include <exception>
#include <utility>

#include "base/check.h"

namespace tutti::core {
namespace {

class ClusterPodView final : public PodView {
 public:
  ClusterPodView(const Cluster& cluster, const PodClass& pods) : cluster_(cluster), pods_(pods) {}
  const model::Pod& pod() const override { return *pods_.sample; }
  std::int64_t request(std::string_view resource) const override {
    const auto id = cluster_.resources().find(resource);
    return id ? cluster_.shape(pods_.shape).request(*id) : 0;
  }

 private:
  const Cluster& cluster_;
  PodClass pods_;
};

class ClusterNodeView final : public NodeView {
 public:
  ClusterNodeView(const Cluster& cluster, NodeId id) : cluster_(cluster), id_(id) {}
  const model::Node& node() const override { return cluster_.node(id_); }
  const std::string* label(std::string_view key) const override {
    return model::find(node().meta.labels, key);
  }
  std::int64_t allocatable(std::string_view resource) const override {
    const auto id = cluster_.resources().find(resource);
    return id ? cluster_.resources().offered(*id, id_) : 0;
  }
  std::int64_t used(std::string_view resource) const override {
    const auto id = cluster_.resources().find(resource);
    return id ? cluster_.resources().used(*id)[id_.index] : 0;
  }
  std::size_t pod_count() const override { return cluster_.pods().on(id_).size(); }
  const model::Pod& pod(std::size_t index) const override {
    return *cluster_.pod(cluster_.pods().on(id_)[index]).object;
  }

 private:
  const Cluster& cluster_;
  NodeId id_;
};

// Asks a user's plugin. What it throws is its failure, not the scheduler's end.
template <typename Answer, typename Question>
Answer asked(const Question& question, const Answer& otherwise, std::string& failure) {
  std::string what;
  try {
    return question();
  } catch (const std::exception& thrown) {
    what = thrown.what();
  } catch (...) {
    what = "an exception of unknown type";
  }
  if (failure.empty()) failure = what.empty() ? "an exception without a message" : what;
  return otherwise;
}

class PerNodeFilter final : public FilterEvaluator {
 public:
  PerNodeFilter(const Cluster& cluster, const PodClass& pods, const PerNodePlugin& plugin,
                std::string_view name, std::shared_ptr<std::string> failure)
      : cluster_(cluster),
        pod_(cluster, pods),
        plugin_(plugin),
        name_(name),
        failure_(std::move(failure)) {}

  void filter(Bitset& nodes) const override {
    nodes.for_each_set([&](std::size_t i) {
      if (!accepts(NodeId{static_cast<std::uint32_t>(i)})) nodes.reset(i);
    });
  }
  bool accepts(NodeId node) const override { return ask(node).success(); }
  std::vector<PluginStatus> explain(NodeId node) const override {
    PluginStatus verdict = ask(node);
    verdict.plugin = name_;
    if (!verdict.rejected()) verdict.code = Code::unschedulable;
    if (verdict.reason.empty()) verdict.reason = "node(s) rejected by " + std::string(name_);
    return {std::move(verdict)};
  }
  Effect changed(const Change&) override { return Effect::node; }

 private:
  PluginStatus ask(NodeId node) const {
    const PluginStatus failed{Code::unresolvable, name_, "node(s) on which the plugin failed"};
    return asked([&] { return plugin_.filter(pod_, ClusterNodeView(cluster_, node)); }, failed,
                 *failure_);
  }

  const Cluster& cluster_;
  ClusterPodView pod_;
  const PerNodePlugin& plugin_;
  std::string_view name_;
  std::shared_ptr<std::string> failure_;
};

class PerNodeScore final : public ScoreEvaluator {
 public:
  PerNodeScore(const Cluster& cluster, const PodClass& pods, const PerNodePlugin& plugin,
               std::shared_ptr<std::string> failure)
      : cluster_(cluster), pod_(cluster, pods), plugin_(plugin), failure_(std::move(failure)) {}

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override {
    nodes.for_each_set(
        [&](std::size_t i) { out[i] = score(NodeId{static_cast<std::uint32_t>(i)}); });
  }
  std::int64_t score(NodeId node) const override {
    const auto score = asked([&] { return plugin_.score(pod_, ClusterNodeView(cluster_, node)); },
                             std::int64_t{0}, *failure_);
    return std::clamp<std::int64_t>(score, 0, kMaxNodeScore);
  }
  Effect changed(const Change&) override { return Effect::node; }

 private:
  const Cluster& cluster_;
  ClusterPodView pod_;
  const PerNodePlugin& plugin_;
  std::shared_ptr<std::string> failure_;
};

}  // namespace

PerNodeAdapter::PerNodeAdapter(std::string name, std::unique_ptr<PerNodePlugin> plugin)
    : name_(std::move(name)), plugin_(std::move(plugin)) {
  TUTTI_CHECK(plugin_ != nullptr, "a plugin was loaded and is not there");
}

EventKind PerNodeAdapter::wakes_on() const {
  using enum EventKind;
  return node_added | node_allocatable | node_labels | node_taints | node_other | pod_added |
         pod_updated | pod_removed;
}

Prepared<FilterEvaluator> PerNodeAdapter::prepare_filter(const Cluster& cluster,
                                                         const PodClass& pods) const {
  if (!plugin_->filters()) return Prepared<FilterEvaluator>::skip();
  return Prepared<FilterEvaluator>::ready(
      std::make_unique<PerNodeFilter>(cluster, pods, *plugin_, name_, failure_));
}

Prepared<ScoreEvaluator> PerNodeAdapter::prepare_score(const Cluster& cluster,
                                                       const PodClass& pods) const {
  if (!plugin_->scores()) return Prepared<ScoreEvaluator>::skip();
  return Prepared<ScoreEvaluator>::ready(
      std::make_unique<PerNodeScore>(cluster, pods, *plugin_, failure_));
}

}  // namespace tutti::core
