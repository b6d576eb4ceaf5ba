// Evaluation: the answer of all filters and scores for one class of identical pods over all nodes,
// kept up to date by reading the cluster's journal.
//
// The first pod of a class pays for a pass over the columns; every further identical pod pays for
// the nodes that changed since, usually one. Rolling back is a change like any other, so an
// evaluation survives tentative decisions. Whatever the journal cannot express raises the cluster's
// structure version and makes the evaluation start over.
#pragma once

#include <tuple>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/cluster/label_kinds.h"
#include "core/evaluation/class_capacity.h"
#include "core/evaluation/domain_reasons.h"
#include "core/evaluation/tournament.h"
#include "core/framework/attempt.h"
#include "core/framework/plugin.h"
#include "core/framework/profile.h"
#include "core/topology/topology_cache.h"

namespace tutti::core {

class Evaluation {
 public:
  explicit Evaluation(const Cluster& cluster) : cluster_(cluster) {}

  // Starts over for a class. Keeps buffers.
  void reset(const Profile& profile, const PodClass& pods);
  // Catches up with the cluster, or starts over. Must be called before any question below, with the
  // class as it is known now: ids may have been given out anew.
  void refresh(const PodClass& pods);

  // Nodes that accept one more pod of the class. Empty if a plugin refused the class as such.
  const Bitset& feasible() const { return feasible_; }
  bool accepts(NodeId node) const { return feasible_.test(node.index); }
  // The feasible node with the highest total score; ties go to the smaller name. `within` limits
  // the choice; null: all nodes.
  std::optional<NodeId> best(const Bitset* within);
  // A plugin's verdict on the class as a whole: refusal or error. success when there is none.
  const PluginStatus& refusal() const { return refusal_; }
  // At most how many more pods of the class the node takes, as far as filters can count.
  std::int64_t room(NodeId node) const;
  // Nodes that accept the class, or may once other pods are placed.
  Bitset may_accept() const;
  // Whether some filter may open nodes later for another reason than the company it wants.
  bool may_open_without_company() const;
  // Whether the class needs company to be accepted somewhere, and pods with these labels are it.
  bool wants_company_of(LabelClassId labels) const;
  // The nodes where company must still come before the node accepts the class; nothing when it is
  // there.
  std::optional<Bitset> company_wanted(NodeId node) const;
  // Nodes that refuse the class for want of company, and may accept it when that comes.
  Bitset may_accept_with_company() const;
  // Whether the filters that other pods may open accept the class there.
  bool company_agrees(NodeId node) const;
  // At most how many of the crowd's pods of the class can be placed, as far as filters can count.
  std::int64_t room_for(const JointDemand& crowd) const;
  // Counted reasons over the nodes (of `within`) that do not accept the class. What a node says is
  // asked once and kept until the node changes.
  const Diagnosis& diagnose(const Bitset* within);
  // The number of what a node that does not accept the class says; nodes that say the same share
  // one. Good until started_over() rises.
  std::uint32_t objection_of(NodeId node);
  // The reasons when `saying[n]` nodes have objection n: most nodes first, then by text.
  std::vector<ReasonCount> reasons_of(std::span<const std::size_t> saying) const;
  // The status of a node that is out of a resource, as the filter says it that looks at resources.
  PluginStatus shortage(std::string reason) const;
  // Rises when the answers for all nodes were worked out anew; between two rises only nodes of the
  // journal changed.
  std::uint64_t started_over() const { return started_over_; }
  // The plugins whose rejections stand between the class and some node.
  const std::vector<const Plugin*>& rejecting_plugins();

 private:
  struct Filter {
    const Plugin* plugin;
    std::unique_ptr<FilterEvaluator> evaluator;
    // One change may turn its answers for all nodes, as of spread or affinity to pods: it did once.
    bool sweeps = false;
  };
  struct Score {
    const Plugin* plugin;
    std::unique_ptr<ScoreEvaluator> evaluator;
    std::int64_t weight;
    bool yields;
    bool normalizes;
    // Normalizing plugins only: raw scores, and the extremes over feasible nodes with their counts.
    std::vector<std::int64_t> raw;
    std::int64_t min = 0;
    std::int64_t max = 0;
    std::size_t at_min = 0;
    std::size_t at_max = 0;
  };

  void prepare();
  void give_packing_its_way();
  void recompute();
  void sweep();
  // The nodes that are scored: where no score looks at who else is feasible, those that a sweep may
  // turn stay scored while they are not.
  const Bitset& contenders() const { return absolute_ ? settled_ : feasible_; }
  void enter(NodeId node, bool contends);
  void recompute_scores();
  void add_final_scores(const Score& score);
  void add_normalized_scores(Score& score);
  bool apply(std::span<const Change> changes);
  void update_node(NodeId node);
  bool settle(NodeId node);
  bool extremes_hold(Score& score, NodeId node, bool was, bool is);
  std::int64_t total(NodeId node) const;
  bool better(std::uint32_t a, std::uint32_t b) const;
  std::optional<NodeId> scan(const Bitset& within) const;
  // Like scan(), with scores normalized over the nodes of `within` only.
  std::optional<NodeId> scan_normalized(const Bitset& within);
  void add_normalized(const Score& score, const Bitset& nodes,
                      std::span<std::int64_t> totals) const;
  void count_reasons(const Bitset* within);
  void forget_reasons() { diagnosis_valid_ = rejecting_valid_ = false; }

  const Cluster& cluster_;
  const Profile* profile_ = nullptr;
  PodClass pods_;
  std::shared_ptr<const model::Pod> sample_;
  PluginStatus refusal_;
  const Plugin* refusing_ = nullptr;
  std::vector<Filter> filters_;
  std::vector<Score> scores_;
  Bitset settled_;        // nodes that all filters accept but for those that sweep
  Bitset feasible_;       // of them, those that these accept too
  bool absolute_ = true;  // no score is normalized
  // Worked out when the best node is asked for: many questions are only about feasible ones.
  bool scores_stale_ = true;
  std::vector<std::int64_t> totals_;
  std::vector<std::int64_t> scratch_;
  std::vector<NodeId> touched_;
  Tournament tournament_;
  bool tournament_built_ = false;
  bool asked_before_ = false;
  std::span<const std::uint32_t> ranks_;
  // Worked out when asked, forgotten with the answers they explain.
  Diagnosis diagnosis_;
  bool diagnosis_valid_ = false;
  static constexpr std::uint32_t kNotAsked = kNoIndex;
  std::vector<std::uint32_t> objection_;  // by node: index of the list below
  std::vector<std::vector<ReasonCount>>
      objections_;  // what one node said; nodes say the same often
  std::vector<const Plugin*> rejecting_;
  bool rejecting_valid_ = false;
  std::uint64_t seen_structure_ = 0;
  std::uint64_t seen_journal_ = 0;
  std::uint64_t started_over_ = 0;
};

// The evaluations of the classes asked for most recently.
class EvaluationCache {
 public:
  explicit EvaluationCache(const Cluster& cluster) : cluster_(cluster), label_kinds_(cluster) {}
  // Refreshed and ready. Valid until kCapacity other classes were asked for.
  Evaluation& get(const Profile& profile, const PodClass& pods);
  // How many pods of the class the nodes hold, up to date. Valid as long as the evaluation.
  ClassCapacity& room(const Profile& profile, const PodClass& pods);
  // Why the nodes of the domain take no more pods of the class once they hold all they can. Valid
  // until the next call.
  const std::vector<ReasonCount>& reasons(const Profile& profile, const PodClass& pods,
                                          const std::string& key, std::uint32_t domain);
  // What is known of the levels of the topology.
  TopologyCache& topology() { return topology_; }
  // Pods with equal keys are of one class: shape, kind of labels (0: none matters), claims, and
  // what else plugins look at.
  using Key = std::tuple<ShapeId, std::uint32_t, std::uint32_t, std::uint32_t>;
  Key key(const Profile& profile, const PodClass& pods);
  // Returns the key of pods that are to be placed together and may select each other.
  Key key(const Profile& profile, const PodClass& pods, LabelSorter& among) const;
  // Which labels pods of these shapes, all of one namespace, tell apart when placed together.
  LabelSorter label_sorter(std::span<const ShapeId> shapes) { return label_kinds_.among(shapes); }

 private:
  // Bounds memory: an evaluation costs about 40 bytes per node.
  static constexpr std::size_t kCapacity = 64;

  struct Entry {
    const Profile* profile = nullptr;
    Key key;
    WorkClass work = WorkClass::none;  // decides where pods go, not whether they fit
    std::uint64_t last_used = 0;
    std::unique_ptr<Evaluation> evaluation;
    ClassCapacity room;
    DomainReasons reasons;
  };
  Entry& entry(const Profile& profile, const PodClass& pods);

  const Cluster& cluster_;
  std::vector<Entry> entries_;
  std::uint64_t clock_ = 0;
  TopologyCache topology_;
  LabelKinds label_kinds_;
};

}  // namespace tutti::core
