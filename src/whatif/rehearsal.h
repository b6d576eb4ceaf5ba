// Rehearsal: one pod or group that waits, and as many what-ifs about it as wanted. Each is taken
// back before the next.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "base/time.h"
#include "core/scheduler.h"
#include "core/what_if.h"
#include "explain/way.h"
#include "model/object.h"

namespace tutti::whatif {

// Objects that the scheduler does not keep: owners of pods, priority classes. Either may be empty.
struct Neighbours {
  std::function<model::ObjectPtr(const model::ObjectKey&)> find = {};
  std::function<std::vector<model::ObjectPtr>(model::Kind)> all = {};
};

struct Asker {
  core::PodId pod = {};      // it, or any waiting member of the group
  core::GroupId group = {};  // invalid: the pod asks for itself
};

class Rehearsal {
 public:
  using Outcome = core::WhatIf::Outcome;
  using Change = std::function<void(core::WhatIf&)>;

  // The scheduler must not change while it lives.
  Rehearsal(core::Scheduler& scheduler, Instant now, const Asker& asker, Neighbours neighbours);

  // With a change to the asker's own objects only.
  Outcome own(const Change& change);
  // With a change that others, ahead of it in the queue, may take advantage of.
  Outcome around(const Change& change);
  // See WhatIf.
  std::optional<std::vector<std::uint32_t>> fewest_to_end(
      std::span<const core::WhatIf::PodSet> sets);
  // A pod on a node.
  struct Occupant {
    core::PodId pod;
    core::GroupId leaf;  // its PodGroup; invalid: none
    std::int32_t priority = 0;
    bool leaving = false;  // on its way out, or to be
    bool owned = false;    // a controller made it
  };
  // Everyone's, in an order that depends on names only. Looked up once: to be asked for while
  // nothing is changed.
  std::span<const Occupant> occupants();
  bool someone_is_below(std::int32_t priority) const { return what_if_.has_below(priority); }

  // The priority with which the asker is tried.
  std::int32_t priority() const;
  // Its own or its group's, whatever is lower.
  std::int32_t least_priority(const Occupant& occupant) const;

  const core::Cluster& cluster() const { return scheduler_.cluster(); }
  const core::GroupTable& groups() const { return scheduler_.groups(); }
  const core::Scheduler& scheduler() const { return scheduler_; }
  const Asker& asker() const { return asker_; }
  const Neighbours& neighbours() const { return neighbours_; }
  // Of the asker's whole tree of groups, or the pod alone. Invalid root: a lone pod.
  core::GroupId root() const { return root_; }
  const std::vector<core::PodId>& waiting() const { return waiting_; }
  const std::vector<core::PodId>& running() const { return running_; }
  // Groups of the tree, the root first.
  const std::vector<core::GroupId>& tree() const { return tree_; }

 private:
  Outcome attempt(const Change& change, bool others_first);
  void list(core::GroupId group);

  core::Scheduler& scheduler_;
  Asker asker_;
  Neighbours neighbours_;
  bool settled_;  // of the scheduler before anything was changed
  core::WhatIf what_if_;
  core::GroupId root_;
  std::vector<core::GroupId> tree_;
  std::vector<core::PodId> waiting_;
  std::vector<core::PodId> running_;
  std::vector<Occupant> occupants_;
};

// The way with whom the outcome evicts, in its sentence too.
explain::Way with_evictions(explain::Way way, const Rehearsal::Outcome& outcome);

}  // namespace tutti::whatif
