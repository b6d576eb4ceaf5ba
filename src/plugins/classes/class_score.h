// ClassScore: how well each node suits pods of one class of work, by one rule.
//
//   points, of 100     apart   60 without demanding pods of the other classes, else 20 less their
//                              number
//                      class   15 where demanding pods of the class are (Spread: are not)
//                      full    25 × how full the node would be (Spread: empty)
//
// Full is the mean of memory and of the devices that the pods ask for: extended resources as
// counted, devices of claims by what is in use of the kinds asked for.
#pragma once

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/plugin.h"
#include "devices/device_state.h"

namespace tutti::plugins {

class ClassScore final : public core::ScoreEvaluator {
 public:
  // The rule and the cluster must outlive it.
  ClassScore(const core::Cluster& cluster, const core::ClassRule& rule, const core::PodClass& pods);

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override;
  std::int64_t score(core::NodeId node) const override;
  core::Effect changed(const core::Change& change) override;
  bool packs() const override { return true; }

 private:
  struct Fullness {
    devices::Stamp stamp{~std::uint64_t{0}, 0, 0};
    std::int64_t thousandths = 0;
  };

  std::int64_t apart(core::NodeId node) const;
  std::int64_t together(core::NodeId node) const;
  // In thousandths, with one more pod.
  std::int64_t fullness(core::NodeId node) const;
  std::int64_t claimed(core::NodeId node) const;

  const core::Cluster& cluster_;
  const core::ClassRule& rule_;
  std::int64_t memory_;                        // of one pod
  std::vector<core::ResourceAmount> devices_;  // of one pod, as far as nodes count them
  std::vector<devices::Wanted> open_;
  devices::Stamp seen_;                    // of what all nodes have in common
  mutable std::vector<Fullness> claimed_;  // by node
};

}  // namespace tutti::plugins
