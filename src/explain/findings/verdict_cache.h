// VerdictCache: what verdicts of one scheduler have in common, kept from one to the next, so that
// keeping the verdicts of all that waits up to date costs little beside deciding about it.
//
//   class of pods ────────> survey        brought up to date by the cluster's journal
//   set of nodes ─────────> stock         good for as long as nothing happens in the cluster
//   demand and attempt ───> conclusion    likewise
//
// Groups of identical members that were refused alike come to one conclusion, however many they
// are, and groups that differ in what they ask for count the same nodes once. Nothing here changes
// an answer: a verdict made with a memory equals one made without.
#pragma once

#include <map>
#include <tuple>

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/attempt.h"
#include "core/framework/profile.h"
#include "explain/findings/demand.h"
#include "explain/findings/filter_survey.h"
#include "explain/findings/node_stock.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

class VerdictCache {
 public:
  // The cluster, and every profile asked about, must outlive it.
  explicit VerdictCache(const core::Cluster& cluster);

  // Pods with equal keys have one survey.
  core::EvaluationCache& keys() { return keys_; }
  // As things are now. Requires a class of a pod that the cluster knows.
  std::shared_ptr<const FilterSurvey> survey(const core::Profile& profile,
                                             const core::PodClass& pods);

  // Returns the stock of the nodes as they are now.
  const std::shared_ptr<NodeStock>& stock();

  // What was concluded of an equal demand and an equal attempt since anything last happened; null
  // when nothing was. The conclusion has no name, and says nothing of evictions.
  const Verdict* conclusion(const core::Attempt& attempt, const Demand& demand);
  // To be found for equal ones. Demands whose verdict may name their pods are passed over.
  void keep(const core::Attempt& attempt, const Demand& demand, const Verdict& conclusion);

 private:
  struct Surveyed {
    std::unique_ptr<KeptFilterSurvey> survey;
    std::uint64_t last_used = 0;
  };
  struct Conclusion {
    core::Attempt attempt;
    Demand demand;
    bool nominated = false;
    Verdict verdict;
  };
  // Everything whose change may change a conclusion.
  using Versions = std::tuple<std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t>;

  Versions versions() const;
  // Forgets what is good for a moment only, if that has passed.
  void come_to_the_present();
  // Whether the demand's members are told apart by nothing that a verdict says.
  bool is_nameless(const Demand& demand) const;
  bool is_nominated(const Demand& demand) const;
  bool same_demand(const Demand& a, const Demand& b) const;
  bool same_attempt(const core::Attempt& a, const core::Attempt& b) const;
  void forget_the_oldest();

  const core::Cluster& cluster_;
  core::EvaluationCache keys_;  // asked for keys only
  std::map<std::pair<const core::Profile*, core::EvaluationCache::Key>, Surveyed> surveys_;
  std::uint64_t clock_ = 0;
  Versions seen_;
  std::shared_ptr<NodeStock> stock_;     // of that moment
  std::vector<Conclusion> conclusions_;  // likewise
};

}  // namespace tutti::explain
