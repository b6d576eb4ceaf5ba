// FilterSurvey: every filter's opinion of every node for one class of pods, each asked alone, in
// the cluster as it is now. An attempt's diagnosis counts a node only against the first filter that
// rejects it; the survey tells which nodes a single objection keeps away.
#pragma once

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/plugin.h"
#include "core/framework/profile.h"
#include "explain/findings/blocker.h"

namespace tutti::explain {

struct FilterSurvey {
  // What may become of the nodes that a filter rejects.
  struct Prospects {
    Bitset curable;  // those that room or time may turn around
    Bitset lacking;  // of the others, those that lack what no repair brings back
    bool operator==(const Prospects&) const = default;
  };
  class Filter {
   public:
    // A filter that refuses the class as such, on all these nodes.
    Filter(const core::Plugin& asked, const core::PluginStatus& verdict, const Bitset& nodes);
    Filter(const core::Plugin& asked, std::shared_ptr<const core::FilterEvaluator> evaluator,
           Bitset rejects)
        : plugin(asked.name()),
          concern(asked.concern()),
          rejected(std::move(rejects)),
          evaluator_(std::move(evaluator)) {}

    std::string plugin;
    core::Concern concern;
    Bitset rejected;      // live nodes it rejects
    std::string refusal;  // its reason when it refuses the class as such

    // Most verdicts do without: it takes a question for every rejected node. To be asked for while
    // the cluster is as it was surveyed; the answer is kept.
    const Prospects& prospects() const;
    Blocker blocker() const { return blocker_of(concern); }
    bool operator==(const Filter& other) const;

   private:
    std::shared_ptr<const core::FilterEvaluator> evaluator_;  // null: it refuses the class as such
    mutable std::shared_ptr<const Prospects> prospects_;
  };
  Bitset live;
  std::vector<Filter> filters;  // those that reject some node, in the order they are asked

  bool operator==(const FilterSurvey&) const = default;

  // Nodes that no filter rejects.
  Bitset accepted() const { return accepted_but_for(Blocker::none); }
  // Nodes that no filter rejects except those of this blocker.
  Bitset accepted_but_for(Blocker blocker) const;
  bool rejects_for(Blocker blocker) const;
  // The nodes nearest to taking the pod, counted against the filters that keep them: rule 1 of
  // blocker.h. To be asked for while the cluster is as it was surveyed.
  std::vector<Rejection> nearest() const;
};

FilterSurvey survey(const core::Cluster& cluster, const core::Profile& profile,
                    const core::PodClass& pods);
// Without a profile nothing is known to reject any node.
FilterSurvey blank_survey(const core::Cluster& cluster);

// The survey of one class, kept up to date by reading the cluster's journal: only nodes to which
// something happened are asked again. Cluster and profile must outlive it.
class KeptFilterSurvey {
 public:
  KeptFilterSurvey(const core::Cluster& cluster, const core::Profile& profile)
      : cluster_(cluster), profile_(profile) {}

  // As survey() would find it now. `pods` is the class as it is known now. Surveys handed out
  // before stay as they are.
  const std::shared_ptr<const FilterSurvey>& refresh(const core::PodClass& pods);

 private:
  struct Opinion {
    const core::Plugin* plugin;
    FilterSurvey::Filter filter;
    std::shared_ptr<core::FilterEvaluator> evaluator;  // null: it refuses the class as such
  };

  void start_over(const core::PodClass& pods);
  // Whether the opinion may be another than before.
  bool hear(Opinion& opinion, std::span<const core::Change> changes);

  const core::Cluster& cluster_;
  const core::Profile& profile_;
  std::shared_ptr<const model::Pod> sample_;  // evaluators may read it for as long as they live
  std::vector<Opinion> opinions_;
  std::shared_ptr<const FilterSurvey> survey_;
  std::uint64_t seen_structure_ = 0;
  std::uint64_t seen_journal_ = 0;
};

}  // namespace tutti::explain
