// GpuScores: how well every node suits pods with the same request of CPU and GPU, by one policy.
//
// Notation as in the literature: C free milli-CPU and c the request; g idle thousandths of one GPU
// and G of all; the pod asks for R in total, m on each device. Divisions of whole numbers truncate.
//
//   BestFit               100 x (1 - (C - c) / 2 capC - (G - R) / 2 capG)
//   DotProduct            100 x (1 - (C/capC x c/capC + G/capG x R/capG) / 2)
//   GpuPacking            devices in use before idle ones, idle ones before idle nodes
//   GpuClustering         nodes with pods of the same number of GPUs, the fuller the better
//   FragmentationGradient 100 x sigmoid of the fragmentation that the pod would end, in GPUs
//   Random                anew for every decision
//
// Scores of nodes on which nothing changed are kept, by request: many classes of pods differ in
// nothing that a policy looks at.
#pragma once

#include <map>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/config.h"
#include "plugins/gpus/gpu_book.h"
#include "plugins/gpus/node_fragmentation.h"

namespace tutti::plugins {

class GpuScores {
 public:
  // What a policy looks at of a pod.
  struct Demand {
    std::int64_t cpu = 0;
    GpuRequest gpu;
    auto operator<=>(const Demand&) const = default;
  };
  // The scores of one demand, by node, with the version of the node they are for.
  struct Column {
    Demand demand;
    struct Known {
      std::uint32_t version = 0;
      std::int32_t score = 0;
    };
    std::vector<Known> nodes;
  };

  // Both must outlive it.
  GpuScores(const core::Cluster& cluster, const core::FractionalGpuArgs& args);

  // Caught up with the cluster.
  const GpuBook& book();
  // The reference stays valid.
  Column& column(const Demand& demand);
  // Requires that book() was called since the cluster changed.
  std::int64_t score(Column& column, core::NodeId node);

 private:
  std::int32_t work_out(core::NodeId node, const Demand& demand);
  std::int32_t best_fit(core::NodeId node, const Demand& demand) const;
  std::int32_t dot_product(core::NodeId node, const Demand& demand) const;
  std::int32_t gpu_packing(core::NodeId node, const Demand& demand) const;
  std::int32_t gpu_clustering(core::NodeId node, const Demand& demand) const;
  std::int32_t random(core::NodeId node) const;
  // The best score of placing the pod, and the device of a share that gives it.
  struct Gradient {
    std::int32_t score = 0;
    std::size_t device = 0;
  };
  Gradient gradient(core::NodeId node, std::int64_t free_cpu, std::span<const GpuMilli> idle,
                    const Demand& demand);
  std::size_t choose(core::NodeId node, std::span<const GpuMilli> idle, const core::PodShape& shape,
                     GpuRequest request);
  std::int64_t free_cpu(core::NodeId node) const;
  const std::string& model(core::NodeId node) const;

  const core::Cluster& cluster_;
  const core::FractionalGpuArgs& args_;
  NodeFragmentation fragmentation_;
  GpuBook book_;
  std::map<Demand, Column> columns_;
};

}  // namespace tutti::plugins
