// DoNotSchedule: no domain may run ahead of the emptiest by more than maxSkew.
#pragma once

#include "base/std.h"
#include "core/framework/plugin.h"
#include "core/matching/domain_sums.h"
#include "core/matching/pod_counts.h"
#include "plugins/spread/constraints.h"
#include "plugins/spread/node_inclusion.h"

namespace tutti::plugins {

// The matching pods of one constraint by domain, and the fewest of any domain that counts.
class SpreadTally {
 public:
  // `counts` is null when no pod counts.
  SpreadTally(const core::Cluster& cluster, const SpreadConstraint& constraint, Bitset counted,
              std::shared_ptr<const core::PodCounts> counts);

  bool has_key(std::size_t node) const { return sums_.has_key(node); }
  bool accepts(std::size_t node) const { return open_.test(node); }
  // Nodes that it accepts.
  const Bitset& open() const { return open_; }
  std::int64_t room_for(const core::JointDemand& crowd) const;
  core::Effect changed(const core::Change& change);

 private:
  // How many of the crowd's pods a domain has room for: on nodes whose pods count, and on others.
  struct Room {
    std::int64_t counted = 0;
    std::int64_t uncounted = 0;
  };

  void find_minimum();
  // What a domain may hold and still take the pod when the fewest of any domain are `minimum`.
  std::int64_t most_with(std::int64_t minimum) const;
  void list_nodes();
  // Turns the nodes of the domain if what it may hold calls for it.
  void judge(std::uint32_t domain);

  std::int64_t max_skew_;
  std::int64_t min_domains_;
  std::int64_t itself_;  // 1 if the pod counts in its own domain
  Bitset counted_;       // nodes whose pods count
  std::shared_ptr<const core::PodCounts> counts_;
  core::DomainSums sums_;
  std::vector<bool> eligible_;  // by domain: it has a counted node
  std::int64_t eligible_count_ = 0;
  std::int64_t minimum_ = 0;
  std::int64_t at_minimum_ = 0;  // eligible domains with exactly the minimum
  std::int64_t most_ = 0;        // what a domain may hold and still take the pod
  // The nodes one domain after another: those of domain d begin at begins_[d].
  std::vector<std::uint32_t> nodes_;
  std::vector<std::uint32_t> begins_;
  std::vector<bool> accepted_;  // by domain
  Bitset open_;                 // nodes of accepted domains
};

class SpreadFilter final : public core::FilterEvaluator {
 public:
  SpreadFilter(const core::Cluster& cluster, const core::PodClass& pods, const SpreadRules& rules,
               core::PodCountsCache& cache);

  void filter(Bitset& nodes) const override;
  bool accepts(core::NodeId node) const override;
  bool may_open() const override { return true; }
  void rule_out(Bitset& nodes) const override;
  std::int64_t room_for(const core::JointDemand& crowd) const override;
  std::vector<core::PluginStatus> explain(core::NodeId node) const override;
  core::Effect changed(const core::Change& change) override;

 private:
  std::vector<SpreadTally> tallies_;
};

}  // namespace tutti::plugins
