// DynamicResources: finds devices for the resource claims of a pod, keeps them for the pod while
// the decision is carried out, and writes them to the claims before the pod binds.
//
//   pre_enqueue: claims exist ──> filter ──> reserve: granted ──> pre_bind: written ──> observed
//                                               ^──── unreserve: taken back, released ────┘
//
// Extended resources that a device class stands for, and that the node does not advertise itself,
// come through a claim that is made in pre_bind and taken away again in unreserve.
//
// What is granted lives in the cluster's devices::DeviceState, which all profiles share.
#pragma once

#include <map>

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"
#include "plugins/devices/claim_filter.h"

namespace tutti::plugins {

class DynamicResources final : public core::Plugin,
                               public core::PreEnqueuePlugin,
                               public core::FilterPlugin,
                               public core::ScorePlugin,
                               public core::ReservePlugin,
                               public core::PreBindPlugin {
 public:
  static constexpr std::string_view kName = "DynamicResources";
  explicit DynamicResources(core::DynamicResourcesArgs args = {})
      : args_(std::move(args)), answers_(args_.device_domains) {}

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::devices; }
  core::EventKind wakes_on() const override;
  core::PluginStatus pre_enqueue(const core::Cluster& cluster, const core::GroupTable& groups,
                                 core::PodId pod) const override;
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
  core::Prepared<core::ScoreEvaluator> prepare_score(const core::Cluster& cluster,
                                                     const core::PodClass& pods) const override;
  core::PluginStatus reserve(core::Cluster& cluster, core::PodId pod, core::NodeId node) override;
  void unreserve(core::Cluster& cluster, core::PodId pod, core::NodeId node) override;
  core::PluginStatus pre_bind(core::Cluster& cluster, core::ClusterPort& port, core::PodId pod,
                              core::NodeId node) override;
  Millis timeout() const override { return args_.binding_timeout; }

 private:
  // The version of the claim that a write for this consumer was based on: again only on a newer
  // one.
  using Writes = std::map<std::pair<std::uint32_t, std::string>, std::uint64_t>;

  core::PluginStatus bring_about(core::Cluster& cluster, core::ClusterPort& port,
                                 devices::ClaimId id, const model::ConsumerReference& consumer,
                                 core::NodeId node);
  core::PluginStatus make_extended(core::Cluster& cluster, core::ClusterPort& port,
                                   const model::Pod& pod, devices::ClaimId id, core::NodeId node);

  core::DynamicResourcesArgs args_;
  mutable AnswerCache answers_;
  Writes writes_;
  std::map<std::string, std::uint64_t>
      told_;  // versions of pods, by uid, that were told their claim
};

}  // namespace tutti::plugins
