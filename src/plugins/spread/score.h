// ScheduleAnyway: the fewer matching pods a node's domains hold, the better.
#pragma once

#include "base/std.h"
#include "core/framework/plugin.h"
#include "core/matching/pod_counts.h"
#include "plugins/spread/constraints.h"
#include "plugins/spread/node_inclusion.h"

namespace tutti::plugins {

// The raw score is the sum over constraints of matching pods × ln(domains + 2) + maxSkew − 1, low
// being good. Domains are those of nodes open to the pod by affinity and taints; whether such a
// node happens to be full does not change the weights, so a score depends on its own domains only.
class SpreadScore final : public core::ScoreEvaluator {
 public:
  SpreadScore(const core::Cluster& cluster, const core::PodClass& pods, const SpreadRules& rules,
              core::PodCountsCache& cache);

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override;
  std::int64_t score(core::NodeId node) const override;
  core::Effect changed(const core::Change& change) override;
  bool normalizes() const override { return true; }
  std::int64_t normalize(core::NodeId node, std::int64_t raw, std::int64_t min,
                         std::int64_t max) const override;
  const Bitset* outside_normalization() const override { return &left_out_; }

 private:
  struct Term {
    const core::DomainColumn* column;
    bool per_node;  // hostname: pods are counted on the node itself, wherever it is
    double weight;
    double base;
    Bitset counted;
    std::shared_ptr<const core::PodCounts> counts;  // null: no pod counts
    std::vector<std::int64_t> sums;                 // by domain, or by node

    std::size_t slot(std::size_t node) const { return per_node ? node : column->domain_of[node]; }
  };
  static Term make_term(const core::Cluster& cluster, const SpreadConstraint& constraint,
                        const NodeInclusion& inclusion, const Bitset& open,
                        core::PodCountsCache& cache);

  std::vector<Term> terms_;
  Bitset left_out_;  // nodes that lack a needed key
};

}  // namespace tutti::plugins
