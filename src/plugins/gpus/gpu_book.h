// GpuBook: how much of every GPU is idle, and which pods hold what on it. Kubernetes counts
// resources per node; the book says how the pods of a node lie on its devices.
//
// The cluster's tables are the truth about who is on which node. The book follows them through the
// journal: a node on which something changed is compared with its pods when someone asks, pods that
// left give back what they held, and those that came get devices. A pod that was on the node before
// gets its old devices if they are idle, so what is imagined (a victim lifted, a placement tried)
// and taken back leaves no trace.
#pragma once

#include <functional>
#include <map>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "plugins/gpus/gpu_request.h"

namespace tutti::plugins {

class GpuBook {
 public:
  // Which device a share goes to, among those of `idle` that hold it. Called for shares only, at
  // least one device holds it.
  using Choose = std::function<std::size_t(core::NodeId node, std::span<const GpuMilli> idle,
                                           const core::PodShape& shape, GpuRequest request)>;

  struct Held {
    core::PodId pod;
    std::string uid;
    GpuRequest request;
    std::vector<std::uint32_t> devices;  // none: there was no room for it
  };

  // The cluster must outlive it.
  GpuBook(const core::Cluster& cluster, Choose choose)
      : cluster_(cluster), choose_(std::move(choose)) {}

  // Takes in what the journal says. To be called before any question below.
  void catch_up();

  // By device, in the order of their numbers; empty where the node has none.
  std::span<const GpuMilli> idle(core::NodeId node) const { return nodes_[node.index].idle; }
  GpuMilli idle_total(core::NodeId node) const { return nodes_[node.index].idle_total; }
  // The pods that hold something, in the order in which they came.
  std::span<const Held> held(core::NodeId node) const { return nodes_[node.index].held; }
  // Rises with every change of the pods on the node, those without GPUs included.
  std::uint32_t version(core::NodeId node) const { return nodes_[node.index].version; }

  // The lowest devices that are wholly idle, or the one that `choose` names; empty: no room.
  std::vector<std::uint32_t> choose_devices(core::NodeId node, const core::PodShape& shape,
                                            GpuRequest request) const;

 private:
  struct NodeDevices {
    std::vector<GpuMilli> idle;
    GpuMilli idle_total = 0;
    std::vector<Held> held;
    std::uint32_t version = 0;
    bool touched = false;
  };

  void start_over();
  void touch(core::NodeId node);
  void compare(core::NodeId node);
  void release_gone(core::NodeId node);
  void assign_new(core::NodeId node);
  std::vector<std::uint32_t> devices_for(core::NodeId node, core::PodId pod, GpuRequest request);
  void move(NodeDevices& node, const Held& held, GpuMilli sign) const;

  const core::Cluster& cluster_;
  Choose choose_;
  std::vector<NodeDevices> nodes_;  // by NodeId::index
  std::vector<core::NodeId> touched_;
  // Where pods were last, by uid; forgotten with the pods.
  struct Place {
    core::NodeId node;
    std::vector<std::uint32_t> devices;
  };
  std::map<std::string, Place, std::less<>> last_;
  std::optional<core::ResourceId> resource_;
  std::uint64_t seen_nodes_ = 0;
  std::uint64_t seen_journal_ = 0;
};

// Whether the devices hold the request.
bool holds(std::span<const GpuMilli> idle, GpuRequest request);

}  // namespace tutti::plugins
