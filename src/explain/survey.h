// Survey: every filter's opinion of every node for one class of pods, each asked alone, in the
// cluster as it is now. An attempt's diagnosis counts a node only against the first filter that
// rejects it; the survey tells which nodes a single objection keeps away.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/bitset.h"
#include "core/cluster.h"
#include "core/profile.h"
#include "explain/blocker.h"

namespace tutti::explain {

struct Survey {
  struct Filter {
    std::string plugin;
    Bitset rejected;      // live nodes it rejects
    Bitset curable;       // of them, those that room or time may turn around
    std::string refusal;  // its reason when it refuses the class as such, on every node
  };
  Bitset live;
  std::vector<Filter> filters;  // those that reject some node, in the order they are asked

  // Nodes that no filter rejects.
  Bitset accepted() const { return accepted_but_for(Blocker::none); }
  // Nodes that no filter rejects except those of this blocker.
  Bitset accepted_but_for(Blocker blocker) const;
  bool rejects_for(Blocker blocker) const;
  // The nodes nearest to taking the pod, counted against the filters that keep them: rule 1 of
  // blocker.h.
  std::vector<Rejection> nearest() const;
};

Survey survey(const core::Cluster& cluster, const core::Profile& profile,
              const core::PodClass& pods);
// Without a profile nothing is known to reject any node.
Survey blank_survey(const core::Cluster& cluster);

}  // namespace tutti::explain
