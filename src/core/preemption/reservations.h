// Holds: room that was made, or is being made, for preemptors, kept until they take it.
//
// A preemptor that evicts others is expected on certain nodes. From then on its members count there
// as if they were placed, so that nobody else gets the room: neither what the victims leave nor
// what was free before. Only what matters more may look past a hold. A hold ends when its preemptor
// is placed, when all victims are gone and it does not fit after all, or when its time is over.
//
// Preemptors that wait for victims are few, tens at most where thousands of pods wait: questions
// here walk all holds. Who makes them many has to index them by pod and by victim.
#pragma once

#include <map>
#include <unordered_set>

#include "base/std.h"
#include "base/time.h"
#include "core/cluster/cluster.h"
#include "core/framework/extension_points.h"
#include "core/queue/queue.h"
#include "core/victims/preemption_report.h"

namespace tutti::core {

// An entity of the queue, by what it is made of.
struct EntityKey {
  GroupId root;  // invalid: the lone pod
  PodId pod;
  auto operator<=>(const EntityKey&) const = default;
};
EntityKey key_of(const Entity& entity);

struct Reservation {
  std::int32_t priority = 0;
  std::map<PodId, NodeId> places;     // of members that are still expected
  std::unordered_set<PodId> victims;  // that are still there
  // Namespaces and names of the claims of all victims.
  std::vector<std::pair<std::string, std::string>> claims;
  Instant until;
  std::shared_ptr<const PreemptionReport> report;  // why the victims
};

class Reservations {
 public:
  explicit Reservations(Cluster& cluster) : cluster_(cluster) {}

  // Replaces what was held for the entity.
  void set(const EntityKey& key, Reservation hold);
  // The hold ends; the room it kept is free. What was held, if anything.
  std::optional<Reservation> drop(const EntityKey& key);
  const Reservation* find(const EntityKey& key) const;
  bool empty() const { return reservations_.empty(); }

  // Evicted for someone and still there.
  const std::unordered_set<PodId>& condemned() const { return condemned_; }
  // Where the pod is expected; invalid: nowhere.
  NodeId expected_on(PodId pod) const;

  // A pod is gone, or has a node: it is nobody's victim, or nobody's to keep room for. Returns the
  // entity whose last victim it was.
  std::optional<EntityKey> forget_pod(PodId pod);
  // Entities whose victims are all gone and that wait for the devices of this claim of theirs.
  std::vector<EntityKey> awaiting(const std::string& ns, const std::string& claim) const;
  // Entities that are held room for on the node.
  std::vector<EntityKey> on_node(NodeId node) const;
  std::vector<EntityKey> due(Instant now) const;
  std::optional<Instant> next_deadline() const;

  // Looks past some holds until it ends: the entity's own, and with past_lower() all of a lower
  // priority than its.
  class Blind {
   public:
    enum class Past : std::uint8_t { own, lower };
    Blind(Reservations& holds, const EntityKey& key, std::int32_t priority, Past past = Past::own);
    Blind(const Blind&) = delete;
    Blind& operator=(const Blind&) = delete;
    ~Blind();
    // False when there is none.
    bool past_lower();

   private:
    Reservations& reservations_;
    EntityKey key_;
    std::int32_t priority_;
    std::vector<EntityKey> lifted_;
  };

 private:
  void lift(const Reservation& hold);
  void lay_down(const Reservation& hold);

  Cluster& cluster_;
  std::map<EntityKey, Reservation> reservations_;
  std::unordered_set<PodId> condemned_;
};

}  // namespace tutti::core
