// VolumeBinding: finds a volume for every claim of a pod, keeps it for the pod while the decision
// is carried out, and writes the pairing before the pod binds.
//
//   filter ──> reserve: promised in AssumedBindings ──> pre_bind: written ──> observed bound: done
//                 ^────────── unreserve: given up ───────────┘
#pragma once

#include <map>

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"
#include "plugins/volumes/binding_plan.h"

namespace tutti::plugins {

class VolumeBinding final : public core::Plugin,
                            public core::FilterPlugin,
                            public core::ReservePlugin,
                            public core::PreBindPlugin {
 public:
  static constexpr std::string_view kName = "VolumeBinding";

  explicit VolumeBinding(core::VolumeBindingArgs args = {}) : args_(args) {}

  std::string_view name() const override { return kName; }
  core::Concern concern() const override { return core::Concern::volumes; }
  core::EventKind wakes_on() const override;
  core::Prepared<core::FilterEvaluator> prepare_filter(const core::Cluster& cluster,
                                                       const core::PodClass& pods) const override;
  core::PluginStatus reserve(core::Cluster& cluster, core::PodId pod, core::NodeId node) override;
  void unreserve(core::Cluster& cluster, core::PodId pod, core::NodeId node) override;
  core::PluginStatus pre_bind(core::Cluster& cluster, core::ClusterPort& port, core::PodId pod,
                              core::NodeId node) override;
  Millis timeout() const override { return args_.bind_timeout; }

 private:
  struct Pairing {
    std::string claim_ns;
    std::string claim;
    std::string volume;                  // empty: to be provisioned
    std::optional<std::uint64_t> wrote;  // the resource version our write was based on
    bool seen = false;                   // our write was observed
  };
  using Pairings = std::vector<Pairing>;

  void release(const Pairings& pairings);
  static core::PluginStatus bind_volume(const core::Cluster& cluster, core::ClusterPort& port,
                                        Pairing& pairing);
  static core::PluginStatus select_node(const core::Cluster& cluster, core::ClusterPort& port,
                                        Pairing& pairing, core::NodeId node);

  core::VolumeBindingArgs args_;
  AssumedBindings assumed_;
  std::map<core::PodId, Pairings> reserved_;  // pods between reserve and the end of pre_bind
};

}  // namespace tutti::plugins
