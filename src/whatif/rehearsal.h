// Rehearsal: one pod or group that waits, and as many what-ifs about it as wanted. Each is taken
// back before the next.
#pragma once

#include <functional>

#include "base/std.h"
#include "base/time.h"
#include "core/scheduler/scheduler.h"
#include "core/scheduler/what_if.h"
#include "explain/verdict/way.h"
#include "model/group.h"
#include "model/object.h"
#include "model/pod.h"
#include "whatif/group_origin.h"

namespace tutti::whatif {

// A template in the document of an object of another project.
struct Form {
  std::string path = {};  // a JSON pointer; empty: there is none
  // The spec of a pod as it was written; null: not known, or a Job's.
  std::shared_ptr<const model::PodSpec> spec = nullptr;
};

// Versions of scheduling.k8s.io in which groups are to be written; empty: not served.
struct GroupVersions {
  std::string pod_groups{model::kSchedulingV1Beta1};
  std::string composites{model::kSchedulingV1Alpha3};
};

// What the scheduler does not keep: owners of pods, priority classes, what groups are made of. Any
// may be empty.
struct Neighbours {
  std::function<model::ObjectPtr(const model::ObjectKey&)> find = {};
  std::function<std::vector<model::ObjectPtr>(model::Kind)> all = {};
  // Where not everything is known: what makes pods, as far as it is.
  std::function<model::ObjectPtr(const model::ObjectKey&)> maker = {};
  // What an owner of another project made the pod or Job from.
  std::function<Form(const model::OwnerReference& owner, const model::ObjectMeta& made)> form = {};
  std::function<Origin(const core::Group&)> origin = {};
  // The spec of a pod as people wrote it, without what admission filled in; null: as it is.
  std::function<std::shared_ptr<const model::PodSpec>(const model::Pod&)> written = {};
  // Whether only this run has the object, because a controller made it here.
  std::function<bool(const model::Object&)> made_here = {};
  GroupVersions versions = {};
};

struct Asker {
  core::PodId pod = {};      // it, or any waiting member of the group
  core::GroupId group = {};  // invalid: the pod asks for itself
  // The pod has no group and asks for all that wait of its controller.
  bool whole = false;
};

class Rehearsal {
 public:
  using Outcome = core::WhatIf::Outcome;
  using Change = std::function<void(core::WhatIf&)>;

  // The scheduler must not change while it lives.
  Rehearsal(core::Scheduler& scheduler, Instant now, const Asker& asker, Neighbours neighbours);

  // With a change to the asker's own objects only.
  Outcome own(const Change& change);
  // With a change to the asker's pod only, and nobody beside it has to run: what fails here fails
  // with all pods of its controller, and is cheap to ask.
  Outcome alone(const Change& change);
  // With a change that others, ahead of it in the queue, may take advantage of.
  Outcome around(const Change& change);
  // See WhatIf.
  std::optional<std::vector<std::uint32_t>> fewest_to_end(
      std::span<const core::WhatIf::PodSet> sets);
  // A pod on a node.
  struct Occupant {
    core::PodId pod;
    core::NodeId node;
    core::GroupId leaf;  // its PodGroup; invalid: none
    std::int32_t priority = 0;
    std::uint32_t maker = core::kNoIndex;  // of its controller, as in VictimCache::Facts
    bool leaving = false;                  // on its way out, or to be
    bool of_node = false;                  // it belongs to the node
  };
  // Everyone's, in an order that depends on names only. Looked up once: to be asked for while
  // nothing is changed.
  std::span<const Occupant> occupants();
  // See WhatIf.
  const core::VictimCache::Facts& facts(core::PodId pod) { return what_if_.facts(pod); }
  std::vector<std::int32_t> priorities_with_room_kept() const {
    return what_if_.priorities_with_room_kept();
  }
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
  // Return the asker's whole tree of groups, or, for a pod without a group, all of its controller:
  // what is written for the pod is written for all of them. Invalid root: a lone pod.
  core::GroupId root() const { return root_; }
  const std::vector<core::PodId>& waiting() const { return waiting_; }
  const std::vector<core::PodId>& running() const { return running_; }
  // More pods of one controller wait than others are asked to make room for, one after another.
  bool too_many_for_others() const { return !root_.valid() && waiting_.size() > kRoomMax; }
  // More than are changed in one rehearsal.
  bool too_many() const { return !root_.valid() && waiting_.size() > kTogetherMax; }
  // How many pods without a group have to run.
  std::size_t together() const { return asker_.whole ? waiting_.size() : 1; }
  // Groups of the tree, the root first.
  const std::vector<core::GroupId>& tree() const { return tree_; }

 private:
  static constexpr std::size_t kRoomMax = 500;
  static constexpr std::size_t kTogetherMax = 5'000;

  Outcome attempt(const Change& change, core::WhatIf::Question asked);
  core::WhatIf::Question question() const;
  void list(core::GroupId group);
  void list_siblings();

  core::Scheduler& scheduler_;
  Asker asker_;
  Neighbours neighbours_;
  bool settled_;  // of the scheduler before anything was changed
  core::WhatIf what_if_;
  core::GroupId root_;
  std::vector<core::GroupId> tree_;
  std::vector<core::PodId> waiting_;  // of a controller: the asker first
  std::vector<core::PodId> running_;
  std::vector<Occupant> occupants_;
};

// The way with whom the outcome evicts, in its sentence too.
explain::Way with_evictions(explain::Way way, const Rehearsal::Outcome& outcome);

}  // namespace tutti::whatif
