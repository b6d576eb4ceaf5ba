// TreeSearch: places a tree of tasks whose parts compete for the same domains, or proves that it
// cannot be done.
//
// Which children take part and which domain each task gets is decided depth first, in the order of
// the tree, tightest domain first; once all is decided, ExactSearch places the pods of all leaves
// together, each on the nodes of its domain. What keeps it small:
//   - every area (a domain inside a domain) knows how many pods of each kind it holds and what is
//     free in it; a choice that asks more of an area, or of one around it, is not followed;
//   - of equal siblings the later ones do not try what the earlier ones would have;
//   - children beyond the minimum, and those that stand already, stay out unless pods may depend on
//     them. Of a root that stands, any child that can grow will do.
#pragma once

#include <map>
#include <tuple>
#include <unordered_map>

#include "base/bitset.h"
#include "base/std.h"
#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/profile.h"
#include "core/framework/transaction.h"
#include "core/packing/search_budget.h"
#include "core/placement/exact_search.h"
#include "core/placement/task.h"
#include "devices/inventory/ids.h"

namespace tutti::core {

class TreeSearch {
 public:
  TreeSearch(Cluster& cluster, const GroupTable& groups, EvaluationCache& evaluations,
             const Profile& profile, SearchBudget& budget);
  ~TreeSearch();

  // Places what every part of the tree needs inside `within` (found), or leaves the transaction as
  // it was. Of a root that stands at least one more member is placed.
  Search run(Transaction& transaction, const Task& root, const Bitset& within);
  // After impossible: members that compete for too few nodes, if that is why some placing failed.
  const Competition& competition() const { return competition_; }
  // After found: where the task was placed; null when it was left out or stands without.
  const Bitset* area_of(const Task& task) const;
  // What keeps pods of that task there; invalid where area_of() is null.
  devices::ConfinementId confinement_of(const Task& task) const;

 private:
  struct Kind;
  struct Area;
  struct Weight;
  struct Goals;

  void weigh(const Task& task);
  std::size_t kind_of(PodId pod);
  Weight weight_of_leaf(const Task& task);
  std::size_t area_for(std::size_t parent, const std::string& name, Bitset nodes,
                       devices::ConfinementId confinement = {});
  const std::vector<std::size_t>& candidates(const Task& task, std::size_t area);
  std::vector<std::size_t> make_candidates(const Task& task, std::size_t area);
  std::vector<std::size_t> make_domains(const Task& task, std::size_t area);
  std::vector<std::size_t> split_by_claim(const Task& task, std::vector<std::size_t> areas);
  // Whether the area is inside a place where the group's claim could be.
  bool is_within_reach_of(GroupId group, std::size_t area) const;
  // Whether some node refused pods although not all of its devices were looked at.
  bool refused_without_proof(const Bitset& within);
  std::size_t room(std::size_t area, std::size_t kind);
  std::size_t room(std::size_t area, const Weight& weight, bool capped);
  bool alike(const Task& a, const Task& b) const;
  bool may_take_part(const Task& parent, const Task& child) const;

  bool prove(const Goals* goals);
  bool prove_task(const Goals& goals);
  bool prove_children(const Goals& goals);
  bool prove_leaf(const Task& task, std::size_t area, const Goals* rest);
  bool claim(const Task& task, std::size_t area, std::int64_t sign);
  bool place();

  Cluster& cluster_;
  const GroupTable& groups_;
  EvaluationCache& evaluations_;
  const Profile& profile_;
  SearchBudget& budget_;
  Transaction* transaction_ = nullptr;
  bool dependent_ = false;    // some pod may need another one to be placed first
  LabelSorter label_sorter_;  // by what pods of the tree, and others, select
  bool gave_up_ = false;      // some placing ended with its part of the budget
  Competition competition_;
  std::vector<ResourceId> resources_;
  std::vector<Kind> kinds_;
  std::map<EvaluationCache::Key, std::size_t> kind_ids_;
  std::unordered_map<const Task*, Weight> weights_;
  std::vector<std::unique_ptr<Area>> areas_;
  std::map<std::pair<std::size_t, std::string>, std::size_t> area_ids_;
  std::map<std::pair<const Task*, std::size_t>, std::vector<std::size_t>> candidates_;
  std::unordered_map<const Task*, std::size_t> chosen_;  // index among its candidates
  std::unordered_map<const Task*, std::size_t> placed_in_;
  std::vector<const Task*> leaves_;  // taking part, in order
};

}  // namespace tutti::core
