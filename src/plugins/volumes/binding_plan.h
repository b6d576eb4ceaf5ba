// Which volume each claim of a pod would get on a node.
//
//   claim                              on a node it needs
//   bound                              the volume's node affinity to match
//   waits for its first consumer       the volume reserved for it, or the smallest free volume that
//                                      matches and is reachable; or a class that can make one there
//   the same, with a node selected     to be that node, and the class able to make a volume there
#pragma once

#include <map>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/plugin_status.h"
#include "model/storage.h"

namespace tutti::plugins {

// Decisions the objects do not show yet: volumes promised to claims, nodes selected for claims. A
// promise made for several pods of one claim holds until the last of them gives it up.
class AssumedBindings {
 public:
  void promise(const std::string& volume, const std::string& claim);
  void give_up(const std::string& volume);
  void select(const std::string& claim, const std::string& node);
  void unselect(const std::string& claim);

  // "ns/name" of the claim the volume is promised to, or null.
  const std::string* claim_of(const std::string& volume) const;
  const std::string* node_of(const std::string& claim) const;

 private:
  struct Held {
    std::string by;
    int count = 0;
  };
  static void hold(std::map<std::string, Held>& held, const std::string& key,
                   const std::string& by);
  static void drop(std::map<std::string, Held>& held, const std::string& key);

  std::map<std::string, Held> volumes_;
  std::map<std::string, Held> claims_;
};

struct PodClaims {
  core::PluginStatus verdict;  // unresolvable when the pod cannot run anywhere as things are
  bool any = false;
  std::vector<const model::PersistentVolumeClaim*> bound;
  std::vector<const model::PersistentVolumeClaim*> waiting;  // for their first consumer
};
PodClaims claims_of(const core::Cluster& cluster, const model::Pod& pod);

// Borrows the cluster's objects: lives no longer than the structure version it was made under.
class BindingPlan {
 public:
  // Made for `nodes` only; other nodes must not be asked about.
  BindingPlan(const core::Cluster& cluster, const AssumedBindings& assumed, const PodClaims& claims,
              const Bitset& nodes);

  struct Choice {
    std::vector<std::string_view> problems;  // empty: the node will do
    std::vector<std::pair<const model::PersistentVolumeClaim*, const model::PersistentVolume*>>
        pairs;
    std::vector<const model::PersistentVolumeClaim*> provisions;
  };
  Choice choose(core::NodeId node) const;

 private:
  using Claim = model::PersistentVolumeClaim;
  using Volume = model::PersistentVolume;
  struct Waiting {
    const Claim* claim = nullptr;
    std::optional<std::string> selected_node;
    // By node: volumes to take, best first, no more than the pod has claims.
    std::vector<std::vector<const Volume*>> candidates;
    Bitset provisionable;  // the class makes volumes reachable from there
    Bitset roomy;          // and the driver has the space
  };

  Waiting plan(const Claim& claim, const AssumedBindings& assumed, const Bitset& nodes) const;
  std::vector<const Volume*> matching_volumes(const Claim& claim,
                                              const AssumedBindings& assumed) const;
  void find_candidates(Waiting& waiting, const std::vector<const Volume*>& volumes,
                       const Bitset& nodes) const;
  void find_provisioning(Waiting& waiting, const Bitset& nodes) const;
  void check_bound(std::size_t node, Choice& choice) const;
  void check_waiting(std::size_t node, Choice& choice) const;
  void provision(const Waiting& waiting, std::size_t node, Choice& choice) const;

  const core::Cluster& cluster_;
  std::vector<std::optional<Bitset>> bound_;  // where each bound volume reaches; absent: it is gone
  std::vector<Waiting> waiting_;              // smallest request first
  std::size_t claim_count_ = 0;
};

// Nodes the volume can be used on.
Bitset reach_of(const core::Cluster& cluster, const model::PersistentVolume& volume);

}  // namespace tutti::plugins
