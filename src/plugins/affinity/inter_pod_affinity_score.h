// Preferred pod affinity: weights of the terms that hold in the node's domains, the class's own
// about placed pods and the placed pods' about the class. Anti-affinity counts negative; required
// affinity of placed pods counts with a weight of its own.
#pragma once

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/plugin.h"
#include "core/matching/pod_counts.h"
#include "plugins/affinity/pod_terms.h"

namespace tutti::plugins {

class InterPodAffinityScore final : public core::ScoreEvaluator {
 public:
  InterPodAffinityScore(const core::Cluster& cluster, const core::PodClass& pods,
                        const core::InterPodAffinityArgs& args, core::PodCountsCache& cache);

  // The class has no preferred terms and no placed pod has a term about it.
  bool says_nothing() const { return sums_.empty(); }

  void score(const Bitset& nodes, std::span<std::int64_t> out) const override;
  std::int64_t score(core::NodeId node) const override { return sums_.total_of(node.index); }
  core::Effect changed(const core::Change& change) override;
  bool normalizes() const override { return true; }
  std::int64_t normalize(core::NodeId node, std::int64_t raw, std::int64_t min,
                         std::int64_t max) const override;

 private:
  struct OwnTerm {
    std::size_t position;  // into sums_
    std::int64_t weight;
    std::shared_ptr<const core::PodCounts> counts;
  };
  void add_own(const core::Cluster& cluster,
               const std::vector<model::WeightedPodAffinityTerm>& terms, std::string_view ns,
               std::int64_t sign, core::PodCountsCache& cache);
  core::Effect add(std::size_t position, std::size_t node, std::int64_t amount);

  KeyedSums sums_;
  std::vector<OwnTerm> own_;
  ShapeTerms existing_;  // feeds sums_
};

}  // namespace tutti::plugins
