// Required pod affinity and anti-affinity, in both directions:
//
//   affinity        every term's domain of the node holds a pod that matches all terms
//   anti-affinity   no term's domain of the node holds a pod that matches the term
//   existing pods   no pod in a domain of the node has an anti-affinity term about this class
//
// The first pod of a set that wants to be together would wait for ever: if no pod matches the
// affinity terms and the pod matches them itself, any node with the keys will do.
#pragma once

#include "base/std.h"
#include "core/framework/plugin.h"
#include "core/matching/domain_sums.h"
#include "core/matching/pod_counts.h"
#include "plugins/affinity/pod_terms.h"

namespace tutti::plugins {

class InterPodAffinityFilter final : public core::FilterEvaluator, public core::CompanyWish {
 public:
  InterPodAffinityFilter(const core::Cluster& cluster, const core::PodClass& pods,
                         core::PodCountsCache& cache);

  // The class has no required terms and no placed pod has one about it.
  bool says_nothing() const;

  void filter(Bitset& nodes) const override;
  bool accepts(core::NodeId node) const override;
  bool may_open() const override { return !affinity_.empty(); }
  void rule_out(Bitset& nodes) const override;
  const core::CompanyWish* company_wish() const override {
    return affinity_.empty() ? nullptr : this;
  }
  std::vector<core::PluginStatus> explain(core::NodeId node) const override;
  core::Effect changed(const core::Change& change) override;

  bool counts(core::LabelClassId labels) const override;
  bool is_met(core::NodeId node) const override { return affinity_holds(node.index); }
  void keep_near(core::NodeId node, Bitset& nodes) const override;

 private:
  struct AntiTerm {
    core::DomainSums sums;
    std::shared_ptr<const core::PodCounts> counts;
  };
  bool has_all_keys(std::size_t node) const;
  bool affinity_holds(std::size_t node) const;
  bool anti_affinity_holds(std::size_t node) const;
  bool existing_agree(std::size_t node) const { return !existing_.any_positive(node); }
  core::Effect count_affinity(const core::Change& change);
  core::Effect count_anti_affinity(const core::Change& change);
  core::Effect count_existing(const core::Change& change);

  std::vector<core::DomainSums> affinity_;  // by term: pods that match all terms
  std::shared_ptr<const core::PodCounts> affinity_counts_;
  std::int64_t affinity_total_ = 0;  // over all terms and domains; 0: no such pod anywhere
  bool matches_itself_ = false;
  std::vector<AntiTerm> anti_;
  KeyedSums existing_;
  ShapeTerms existing_terms_;  // feeds existing_
};

}  // namespace tutti::plugins
