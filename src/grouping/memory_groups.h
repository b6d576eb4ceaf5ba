// MemoryGroups: stands between what is observed of a cluster and the scheduler, and shows pods that
// belong together as members of PodGroups that no API server has.
//
//   pods, Jobs, JobSets … ──> MemoryGroups ──> the same, pods with a schedulingGroup,
//                                              PodGroups and CompositePodGroups
//
// A group comes with its first pod and goes with its last. Its minimum is what its owner says now,
// less the work that is done; it follows the owner's changes. A pod whose owner was not seen yet is
// a member of a group that is not there yet, and so is held. Everything is derived from what is
// visible: nothing is kept that a restart would lose.
//
// The one thing that must be written about such a group, that its members are being bound
// (core/binding/intent.h), is carried by one of its pods as a condition; what pods carry is shown
// as a
// condition of their group.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_map>

#include "base/std.h"
#include "core/framework/ports.h"
#include "grouping/owner_kinds.h"
#include "grouping/owner_plan.h"
#include "grouping/pod_owner.h"
#include "model/group.h"
#include "model/pod.h"

namespace tutti::grouping {

class MemoryGroups {
 public:
  struct Options {
    // Whether the pod is ours to place: those of others are left as they are.
    std::function<bool(const model::Pod&)> ours;
    // The kinds that are watched; owners of others say nothing.
    std::set<const OwnerKind*> watched;
    // Kinds that are watched for what is above or below them, while the cluster's own controllers
    // group their pods.
    std::set<const OwnerKind*> left_alone{};
  };
  using Show = std::function<void(const core::Observation&)>;

  MemoryGroups(Options options, Show show);

  // Shows it, changed or not, and what follows from it.
  void observe(const core::Observation& observation);

  // The member that says for its group what must be written; empty: there is no such group. The
  // same one every time, as long as it is there.
  std::optional<core::PodReference> carrier(const model::ObjectKey& group);

  using PodPtr = std::shared_ptr<const model::Pod>;
  // What a group is made of.
  struct Source {
    std::optional<OwnerKey> owner{};  // empty: its pods say its size themselves
    model::ObjectPtr object{};        // the owner, if it was seen
    std::vector<PodPtr> pods{};       // as observed, by name
  };
  // Empty: there is no such group. One of groups has no source of its own.
  std::optional<Source> source_of(const model::ObjectKey& group) const;
  // Null: not watched, or not seen.
  model::ObjectPtr find_owner(const OwnerKey& key) const;

  std::size_t size() const { return groups_.size(); }

 private:
  using GroupKey = std::pair<std::string, std::string>;  // namespace, name

  // Where a pod belongs, and who was asked.
  struct Place {
    GroupKey group{};  // without a name: it stands alone
    std::optional<OwnerKey> source{};
    std::vector<OwnerKey> asked{};
  };
  struct Member {
    PodPtr pod;  // as observed
    Place place;
    std::int32_t own_minimum = 0;
  };
  struct Owner {
    model::ObjectPtr object{};  // null: not seen, or gone
    OwnerPlan ruling{};
    std::set<std::string> pods{};              // by uid, of those that asked
    std::map<GroupKey, std::size_t> groups{};  // of these pods
  };
  struct Group {
    std::optional<OwnerKey> source{};  // empty: its pods say its size themselves
    std::set<std::string> pods{};      // by uid
    std::multiset<std::int32_t> priorities{};
    std::multiset<std::int32_t> own_minimums{};
    std::size_t bound = 0;  // have a node
    std::size_t never_preempting = 0;
    std::optional<Instant> created{};
    std::map<std::string, model::Condition> carried{};  // by uid: who says that it is being bound
    std::string carrier{};                              // uid
    std::shared_ptr<const model::PodGroup> shown{};
    // Specs of its pods as observed, and with the group.
    std::vector<
        std::pair<std::shared_ptr<const model::PodSpec>, std::shared_ptr<const model::PodSpec>>>
        specs{};
  };
  struct Root {
    std::set<GroupKey> groups{};
    OwnerKey source{};
    std::shared_ptr<const model::CompositePodGroup> shown{};
  };

  void observe_pod(const core::Observation& observation);
  void observe_owner(const OwnerKind& kind, const core::Observation& observation);
  void forget_pod(const core::Observation& observation);

  Place place_of(const model::Pod& pod, const PodOwnerClues& clues) const;
  const Owner* find(const OwnerKey& key) const;
  bool is_watched(const OwnerKey& key) const { return options_.watched.contains(key.kind); }

  // The member moves to its place, and is shown there; then groups are shown as they are.
  void put(Member member, const core::Observation& observation);
  void enter(const std::string& uid, const Member& member);
  void leave(const std::string& uid, const Member& member);
  void note_facts(Group& group, const Member& member, bool enters);
  core::Observation shown_as(const Member& member, core::Observation::Type type);
  void place_again(const OwnerKey& key);
  void refresh_around(const OwnerKey& key, const OwnerPlan& before);

  void refresh(const GroupKey& key);
  void refresh_root(const GroupKey& key);
  std::shared_ptr<model::PodGroup> form(const GroupKey& key, const Group& group) const;
  std::shared_ptr<model::CompositePodGroup> form_root(const GroupKey& key, const Root& root) const;
  const PlannedGroup* ruled(const GroupKey& key, const Group& group) const;
  std::optional<std::int32_t> minimum_of(const GroupKey& key, const Group& group) const;
  bool has_ended(const PlannedGroup& group, const std::string& ns) const;
  void join_root(const GroupKey& key, const Group& group, const std::string& root);
  void leave_root(const GroupKey& key, const std::string& root);

  Options options_;
  Show show_;
  std::unordered_map<std::string, Member> members_;  // by uid; pods that may belong somewhere
  std::map<OwnerKey, Owner> owners_;
  std::map<GroupKey, Group> groups_;
  std::map<GroupKey, Root> roots_;
};

}  // namespace tutti::grouping
