// Queue: what waits to be tried. Entities are lone pods or root groups with all their waiting
// members; members are never tried apart.
//
//                    group or ancestor missing
//     add_pod ─────────────────────────────────> incomplete ──group appears──┐
//        │                                                                   │
//        └──> entity ──PreEnqueue refuses──> gated ──it passes──> active <───┘
//                                                     ▲  ▲          │ pop
//                       backoff over ─────────────────┘  │          ▼
//     backing_off <──group rejected, or error──────── (attempt) ── placed: leaves
//     parked      <──lone pod rejected──┘                │
//        └── an event its rejecting plugins care about ──┘  (through backing_off if that is not
//        over)
//
// An attempt runs to its end inside one call, so nothing can arrive while an entity is being tried:
// the buffers for that in kube-scheduler have no counterpart here.
//
// Identical parked pods wake one at a time: if the first does not fit, neither do the others.
//
// A backoff ends early when something happened that those who rejected the entity wait for: room
// must not lie idle because a gang was refused often. The more and the larger entities wait, the
// less often each is hurried along.
#pragma once

#include <functional>
#include <map>
#include <set>
#include <unordered_map>
#include <unordered_set>

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/cluster/groups.h"
#include "core/cluster/label_kinds.h"
#include "core/framework/attempt.h"
#include "core/framework/plugin.h"
#include "core/framework/profile.h"

namespace tutti::core {

struct GroupCache;

// What changed about a group, as far as the queue cares.
enum class GroupNews : std::uint8_t {
  other,
  lower_minimum  // worth an attempt before its backoff is over
};

struct Member {
  PodId pod;
  std::uint64_t joined = 0;  // how many attempts its entity had had by then
  Instant added;
  // PodScheduled as last written for it; the cluster's own word may not have come back yet.
  std::shared_ptr<const model::Condition> written = nullptr;
};

// Pods that plugins cannot tell apart, rejected by plugins that wait for the same kinds of events.
// The kinds come first, so that classes an event cannot help lie together and are passed over.
// Kinds of labels are numbered anew when selectors change, so their version counts too.
struct ClassKey {
  EventKind awaited = EventKind::none;
  const Profile* profile = nullptr;
  ShapeId shape;
  std::uint64_t selectors = 0;
  std::uint32_t labels = 0;
  std::uint32_t claims = 0;
  std::uint32_t apart = 0;
  auto operator<=>(const ClassKey&) const = default;
};

struct Entity {
  enum class Area : std::uint8_t { gated, active, backing_off, parked, in_attempt };

  GroupId root;            // of a group; invalid for a lone pod
  PodId pod;               // the lone pod
  std::string name;        // "ns/name", unique among entities of its kind
  bool composite = false;  // the root is one: it may have the name of a PodGroup
  const Profile* profile = nullptr;
  std::map<PodId, Member> members;
  std::int32_t priority = 0;
  Instant queued_at;
  Area area = Area::active;
  Instant tried_at;        // the last attempt
  Instant ready_at;        // end of the backoff
  bool may_hurry = false;  // the backoff is for a rejection, not for an error
  bool repairing = false;  // completes a gang some of whose members are bound: goes first
  std::uint32_t rejections = 0;
  std::uint32_t errors = 0;
  std::uint64_t attempts = 0;
  std::uint64_t tried_version = 0;      // Versions::observed of the cluster at the last attempt
  bool needs_company = false;           // pods placed later can make a member fit
  std::unique_ptr<const Attempt> last;  // null before the first
  // The cache of a single PodGroup; null before the first attempt and when members came or went. To
  // be read through current_roster().
  std::shared_ptr<GroupCache> group_cache = nullptr;
  // For a parked pod: who rejected it, since when, and its class.
  std::vector<const Plugin*> rejected_by;
  Instant parked_at;
  ClassKey parked_class;
  bool probing = false;                        // woken on behalf of parked_class
  PodId gated_pod;                             // of a gated entity: who, and
  const PreEnqueuePlugin* gated_by = nullptr;  // by whom
  bool awaits_claims = false;                  // and that is for want of a claim

  bool lone() const { return !root.valid(); }
};

// "Pod ns/name", "PodGroup ns/name", "CompositePodGroup ns/name".
std::string entity_text(const GroupTable& groups, const Entity& entity);

class Queue {
 public:
  using ProfileOf = std::function<const Profile*(const model::Pod&)>;
  Queue(const Cluster& cluster, const GroupTable& groups, Millis initial_backoff,
        Millis max_backoff, ProfileOf profile_of);
  ~Queue();
  Queue(const Queue&) = delete;
  Queue& operator=(const Queue&) = delete;

  // A pod waits. `group` is invalid for a lone pod. Requires one of our profiles.
  void add_pod(PodId pod, GroupId group, Instant now);
  void remove_pod(PodId pod, Instant now);
  // Labels, gates or priority of a waiting pod changed.
  void update_pod(PodId pod, Instant now);
  // A group object appeared, changed or vanished, or its membership grew: entities and incomplete
  // pods of its tree are looked at again.
  void group_changed(GroupId group, GroupNews news, Instant now);
  void wake(const ClusterEvent& event, Instant now);

  // The entity that pop() would take out; null when there is none.
  const Entity* first(Instant now);
  // How often something happened that may help whoever waits.
  std::uint64_t news() const { return news_count_; }
  // The first active entity, taken out for an attempt; null when there is none. The caller ends it
  // with exactly one of the calls below.
  Entity* pop(Instant now);
  // Members that got a node leave; the rest is tried again at once.
  void placed(Entity& entity, const std::vector<PodId>& placed, Instant now);
  void rejected(Entity& entity, std::vector<const Plugin*> by, Instant now);
  void failed(Entity& entity, Instant now);
  // A decision put pods on nodes: what waits for the company of other pods may fit now.
  void others_placed();
  struct FailedBinding {
    std::string why;
    std::uint32_t failures = 0;  // of this pod in a row; the backoff grows with them
    bool repair = false;         // its gang is incomplete: the entity goes first
    bool hopeless = false;       // trying again changes nothing worth waiting for
  };
  // A pod comes back after its binding failed.
  void return_pod(PodId pod, GroupId group, const FailedBinding& failed, Instant now);
  // The entity of this root (or this lone pod) need not wait any longer. Nothing happens when there
  // is none, or PreEnqueue holds it.
  void activate(GroupId root, PodId lone, Instant now);
  // The group has members on nodes but not enough: the rest is tried before anyone else. False when
  // nobody of it waits, or PreEnqueue holds those who do.
  bool repair(GroupId root, Instant now);

  // What was tried against one version of the cluster counts as tried against another: a rehearsal
  // made it and left nothing changed.
  void tried_against(std::uint64_t version, std::uint64_t later);

  // How many pods wait where.
  struct Census {
    std::size_t active = 0;
    std::size_t backing_off = 0;
    std::size_t parked = 0;
    std::size_t gated = 0;
    std::size_t incomplete = 0;
  };
  Census census() const;

  std::optional<Instant> next_wakeup() const;
  // Whether every waiting entity was tried against the cluster as it is.
  bool settled() const;

  // What waits to be tried, sooner or later, in the order in which it would be if all went at once.
  std::vector<const Entity*> in_order() const;
  static bool goes_before(const Entity& a, const Entity& b) { return Before{}(&a, &b); }

  const Entity* entity_of(PodId pod) const;
  // Null unless the pod waits in an entity.
  Member* member(PodId pod);
  const Entity* entity_of_root(GroupId root) const;
  bool incomplete(PodId pod) const { return incomplete_.contains(pod); }

 private:
  struct Before {
    bool operator()(const Entity* a, const Entity* b) const;
  };
  using Ordered = std::set<Entity*, Before>;
  struct ParkedClass {
    Ordered entities;
    bool probing = false;  // one of them is out to see whether the class fits now
    std::uint64_t tried_version = 0;
  };
  Entity& entity_for(PodId pod, GroupId root, Instant now);
  void enter(Entity& entity, PodId newcomer, Instant now);
  // Runs PreEnqueue for one member, or all; true when nobody refuses.
  bool passes(Entity& entity, PodId pod);
  bool all_pass(Entity& entity);
  bool still_gated(const Entity& entity) const;
  void move(Entity& entity, Entity::Area area, Instant now);
  void take_out(Entity& entity);
  void destroy(Entity& entity);
  void refresh_priority(Entity& entity);
  void flush(Instant now);
  void hasten(Instant now);
  Millis pause_at_least(const Entity& entity) const;
  Millis backoff(const Entity& entity, std::uint32_t failures) const;
  ClassKey class_key(const Entity& entity);
  bool may_wait_for_company(const Entity& entity) const;
  void look_at_gated(Instant now);
  bool worth_waking(const ParkedClass& parked, const ClusterEvent& event) const;
  void wake_class(ParkedClass& parked, Instant now);
  void end_probe(Entity& entity, bool fitted, Instant now);
  void rehome(PodId pod, GroupId group, std::set<Entity*>& touched, Instant now);
  void look_again(Entity& entity, GroupNews news, Instant now);
  bool stale(const ParkedClass& parked) const {
    return !parked.probing && !is_current(parked.tried_version);
  }
  // Whether nothing has changed since it was tried against this version.
  bool is_current(std::uint64_t tried) const;

  const Cluster& cluster_;
  const GroupTable& groups_;
  Millis initial_backoff_;
  Millis max_backoff_;
  ProfileOf profile_of_;
  LabelKinds label_kinds_;
  std::unordered_map<GroupId, std::unique_ptr<Entity>> by_root_;
  std::unordered_map<PodId, std::unique_ptr<Entity>> lone_;
  std::unordered_map<PodId, Entity*> entity_of_;
  std::map<PodId, Instant> incomplete_;  // waiting for their tree of groups, since
  Ordered active_;
  std::set<std::pair<Instant, Entity*>>
      backing_off_;  // order among equals never reaches a decision
  std::map<ClassKey, ParkedClass> parked_;
  std::set<std::pair<Instant, Entity*>> parked_since_;
  // Whoever was tried against a version between these two was tried against them all.
  std::uint64_t quiet_since_ = 0;
  std::uint64_t quiet_until_ = 0;
  std::uint64_t news_count_ = 1;
  EventKind news_ = EventKind::none;             // since backoffs were last looked through
  std::unordered_set<Entity*> awaiting_claims_;  // gated; which comes first decides nothing
};

}  // namespace tutti::core
