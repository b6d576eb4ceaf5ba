// NodeFragmentation: how much of a node's idle GPU the pods to come could not use, in thousandths
// of a GPU, as an expectation over typical pods (Weng et al., USENIX ATC 2023).
//
// For a typical pod that the node could take, what lies on devices with too little left for it is
// lost; for one that it could not take, all idle GPU is. Pods without GPUs can use none of it.
//
// Floating point: every term is one multiplication and one addition in double, in the order of the
// typical pods, and sums are made in a fixed order. Scores are differences of such sums, so the
// last bits decide: multiply and add must not be contracted (cmake/toolchain.cmake).
#pragma once

#include <array>
#include <boost/unordered/unordered_flat_map.hpp>

#include "base/std.h"
#include "core/framework/config.h"
#include "plugins/gpus/gpu_request.h"

namespace tutti::plugins {

class NodeFragmentation {
 public:
  // `blend`: see FractionalGpuArgs.
  NodeFragmentation(std::span<const core::TypicalPod> pods, std::int64_t all_pods,
                    std::optional<double> blend);

  // `model`: the node's, empty if it says none. `idle` in any order.
  double of(std::int64_t free_cpu, std::span<const GpuMilli> idle, const std::string& model);

 private:
  struct Typical {
    std::int64_t cpu = 0;
    GpuRequest gpu;
    std::vector<std::string> models;
    double share = 0;
  };
  // What tells nodes apart: how many of the distinct requests of CPU fit, the idle devices in
  // order, eleven bits each, and the model. Holds nodes of up to ten devices; others are worked out
  // each time.
  struct Key {
    std::array<std::uint64_t, 2> idle{};
    std::int64_t cpu = 0;
    std::uint32_t model = 0;
    bool operator==(const Key&) const = default;
  };
  struct KeyHash {
    std::size_t operator()(const Key& key) const;
  };
  static constexpr std::size_t kDevicesInKey = 10;

  double work_out(std::int64_t free_cpu, std::span<const GpuMilli> idle, std::uint32_t model) const;
  double lost_where_it_fits(const Typical& pod, std::int64_t free_cpu,
                            std::span<const GpuMilli> idle, GpuMilli total) const;
  std::uint32_t number_of(const std::string& model);

  std::vector<Typical> pods_;
  std::optional<double> blend_;
  std::vector<std::int64_t> cpus_;  // distinct requests, ascending
  std::vector<std::string> models_;
  std::vector<std::vector<bool>> allowed_;  // by model, by typical pod
  boost::unordered_flat_map<Key, double, KeyHash> known_;
};

}  // namespace tutti::plugins
