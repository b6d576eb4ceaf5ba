// DefaultBinder: binds through the cluster's binding call.
#pragma once

#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"

namespace tutti::plugins {

class DefaultBinder final : public core::Plugin, public core::BindPlugin {
 public:
  static constexpr std::string_view kName = "DefaultBinder";

  std::string_view name() const override { return kName; }
  core::PluginStatus bind(const core::Cluster& cluster, core::ClusterPort& port, core::PodId pod,
                          core::NodeId node) override {
    const model::Pod& object = *cluster.pod(pod).object;
    const model::ObjectMeta& meta = object.meta;
    port.bind(
        {{meta.ns, meta.name, meta.uid}, cluster.node_name(node), object.spec->scheduling_group});
    return {};
  }
};

}  // namespace tutti::plugins
