#include "plugins/taints/node_unschedulable.h"

#include <vector>

#include "core/matching/toleration.h"

namespace tutti::plugins {
namespace {

class CordonFilter final : public core::FilterEvaluator {
 public:
  explicit CordonFilter(const core::Cluster& cluster) : cluster_(cluster) {}

  void filter(Bitset& nodes) const override { nodes.and_not(cluster_.nodes().unschedulable()); }
  bool accepts(core::NodeId node) const override {
    return !cluster_.nodes().unschedulable().test(node.index);
  }
  std::vector<core::PluginStatus> explain(core::NodeId) const override {
    return {{core::Code::unresolvable, NodeUnschedulable::kName, "node(s) were unschedulable"}};
  }
  core::Effect changed(const core::Change&) override { return core::Effect::none; }

 private:
  const core::Cluster& cluster_;
};

}  // namespace

core::EventKind NodeUnschedulable::wakes_on() const {
  using enum core::EventKind;
  return node_added | node_taints | pod_updated;
}

bool NodeUnschedulable::worth_retrying(const core::Cluster& cluster, const model::Pod& rejected,
                                       const core::ClusterEvent& event) const {
  if (has(event.kinds, core::EventKind::pod_updated)) {
    return event.pod == nullptr || event.pod->meta.uid == rejected.meta.uid;
  }
  return !event.node.valid() || (cluster.nodes().live().test(event.node.index) &&
                                 !cluster.nodes().unschedulable().test(event.node.index));
}

core::Prepared<core::FilterEvaluator> NodeUnschedulable::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  static const model::Taint cordon{"node.kubernetes.io/unschedulable", "",
                                   std::string(core::kNoSchedule)};
  if (cluster.nodes().unschedulable().none() ||
      core::tolerates(pods.sample->spec->tolerations, cordon)) {
    return Prepared::skip();
  }
  return Prepared::ready(std::make_unique<CordonFilter>(cluster));
}

}  // namespace tutti::plugins
