#include "core/placement/tree_search.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <set>
#include <span>

#include "base/check.h"
#include "core/cluster/confinement_scope.h"
#include "core/evaluation/counting.h"
#include "core/placement/device_search_limit.h"
#include "core/topology/claim_places.h"
#include "core/topology/domains.h"
#include "devices/device_state.h"

namespace tutti::core {
namespace {

constexpr std::size_t kUnknown = static_cast<std::size_t>(-1);
// Considering one domain for one task costs about as much as this many comparisons.
constexpr std::size_t kDomainSteps = 50;
// Placing the pods of one set of choices must leave budget for others.
constexpr std::size_t kPlacingParts = 4;

// Whether the child's taking part brings its parent nearer to what it needs.
bool counts(const Task& parent, const Task& child) { return parent.stands || !child.stands; }

// What the children from this one on could bring.
std::size_t within_reach(const Task& parent, std::size_t first) {
  std::size_t sum = 0;
  for (const Task& child : std::span(parent.children).subspan(first)) {
    if (counts(parent, child) && child.waits()) sum += child.worth;
  }
  return sum;
}

void collect_members(const Task& task, std::vector<PodId>& members) {
  members.insert(members.end(), task.members.begin(), task.members.end());
  for (const Task& child : task.children) collect_members(child, members);
}

}  // namespace

// Pods no node can tell apart.
struct TreeSearch::Kind {
  PodId sample;
  const PodShape* shape;
  Bitset accepted;
  bool bounded;  // no node opens for it later: counting bounds it
};

struct TreeSearch::Area {
  Bitset nodes;
  std::size_t parent;                  // the area around it; itself for the outermost
  GroupId reach_of;                    // the nodes have devices in common for this group's claim
  devices::ConfinementId confinement;  // what keeps pods in it and in those around it
  std::vector<std::size_t> room;       // by kind, when known
  std::vector<std::int64_t> free;      // by resource
  std::vector<std::int64_t> pods;      // claimed by tasks inside, by kind
  std::vector<std::int64_t> asked;     // by tasks inside, by resource
};

// What a task asks for at least, and all it could use.
struct TreeSearch::Weight {
  std::vector<std::pair<std::size_t, std::size_t>> kinds;  // kind, members of it
  std::vector<std::pair<std::size_t, std::int64_t>> pods;  // kind, members it cannot do without
  std::vector<std::int64_t> asked;                         // by resource
};

// What is still to be decided, the next first.
struct TreeSearch::Goals {
  const Task* task;
  std::size_t area;  // around the task, or the task's own once it is about its children
  const Goals* next;
  bool children = false;  // decide about children, from `child` on
  std::size_t child = 0;
  std::size_t missing = 0;  // what children still have to bring
};

TreeSearch::TreeSearch(Cluster& cluster, const GroupTable& groups, EvaluationCache& evaluations,
                       const Profile& profile, SearchBudget& budget)
    : cluster_(cluster),
      groups_(groups),
      evaluations_(evaluations),
      profile_(profile),
      budget_(budget) {}

TreeSearch::~TreeSearch() = default;

Search TreeSearch::run(Transaction& transaction, const Task& root, const Bitset& within) {
  TUTTI_CHECK(areas_.empty(), "a search runs once");
  transaction_ = &transaction;
  const auto unproven = cluster_.devices().search().effort().unproven;
  weigh(root);
  const std::size_t outermost = area_for(kUnknown, {}, within);
  const Goals whole{&root, outermost, nullptr};
  if (prove(&whole)) return Search::found;
  const bool ended_early = gave_up_ || budget_.spent() ||
                           cluster_.devices().search().effort().unproven != unproven ||
                           refused_without_proof(within);
  return ended_early ? Search::exhausted : Search::impossible;
}

bool TreeSearch::refused_without_proof(const Bitset& within) {
  return std::ranges::any_of(kinds_, [&](const Kind& kind) {
    if (!cluster_.wants_devices(*kind.shape)) return false;
    Evaluation& evaluation = evaluations_.get(profile_, cluster_.class_of(kind.sample));
    return rests_on_unproven(evaluation.diagnose(&within));
  });
}

const Bitset* TreeSearch::area_of(const Task& task) const {
  const auto at = placed_in_.find(&task);
  return at == placed_in_.end() ? nullptr : &areas_[at->second]->nodes;
}

devices::ConfinementId TreeSearch::confinement_of(const Task& task) const {
  const auto at = placed_in_.find(&task);
  return at == placed_in_.end() ? devices::ConfinementId{} : areas_[at->second]->confinement;
}

// --- what tasks weigh ----------------------------------------------------------------------------

std::size_t TreeSearch::kind_of(PodId pod) {
  const PodClass pods = cluster_.class_of(pod);
  const auto key = evaluations_.key(profile_, pods, label_sorter_);
  const auto [at, fresh] = kind_ids_.try_emplace(key, kinds_.size());
  if (fresh) {
    const PodShape& shape = cluster_.shape(pods.shape);
    const bool opens = may_open_later(shape);
    dependent_ = dependent_ || opens;
    const bool bounded = !opens && profile_.counts_resources;
    kinds_.push_back({pod, &shape, evaluations_.get(profile_, pods).feasible(), bounded});
  }
  return at->second;
}

// Kinds and resources are known before any area is made: areas have a figure for each.
void TreeSearch::weigh(const Task& root) {
  const auto each_pod = [&](const auto& self, const Task& task, const auto& see) -> void {
    for (const PodId pod : task.members) see(pod);
    for (const Task& child : task.children) self(self, child, see);
  };
  std::vector<ShapeId> shapes;
  each_pod(each_pod, root, [&](PodId pod) { shapes.push_back(cluster_.pod(pod).shape); });
  label_sorter_ = evaluations_.label_sorter(shapes);
  std::set<ResourceId> resources;
  each_pod(each_pod, root, [&](PodId pod) {
    for (const auto& request : kinds_[kind_of(pod)].shape->requests) {
      resources.insert(request.resource);
    }
  });
  resources_.assign(resources.begin(), resources.end());
  const auto add = [&](const auto& self, const Task& task) -> void {
    Weight weight = weight_of_leaf(task);
    for (const Task& child : task.children) {
      self(self, child);
      const auto& below = weights_.at(&child).kinds;
      weight.kinds.insert(weight.kinds.end(), below.begin(), below.end());
    }
    weights_.emplace(&task, std::move(weight));
  };
  add(add, root);
}

TreeSearch::Weight TreeSearch::weight_of_leaf(const Task& task) {
  std::map<std::size_t, std::size_t> counts;
  for (const PodId pod : task.members) ++counts[kind_of(pod)];
  Weight weight{{counts.begin(), counts.end()}, {}, std::vector<std::int64_t>(resources_.size())};
  if (task.inner) return weight;
  for (const auto& [kind, count] : counts) {
    const std::size_t others = task.members.size() - count;
    if (task.minimum > others) {
      weight.pods.emplace_back(kind, static_cast<std::int64_t>(task.minimum - others));
    }
  }
  for (std::size_t r = 0; r < resources_.size(); ++r) {
    std::vector<std::int64_t> asked;
    for (const auto& [kind, count] : counts) {
      asked.insert(asked.end(), count, kinds_[kind].shape->request(resources_[r]));
    }
    std::ranges::sort(asked);
    asked.resize(std::min(asked.size(), task.minimum));
    for (const std::int64_t amount : asked) weight.asked[r] += amount;
  }
  return weight;
}

bool TreeSearch::alike(const Task& a, const Task& b) const {
  if (a.inner || b.inner || !a.scheduled.empty() || !b.scheduled.empty()) return false;
  return a.key == b.key && a.minimum == b.minimum && weights_.at(&a).kinds == weights_.at(&b).kinds;
}

// --- areas ---------------------------------------------------------------------------------------

std::size_t TreeSearch::area_for(std::size_t parent, const std::string& name, Bitset nodes,
                                 devices::ConfinementId confinement) {
  TUTTI_CHECK(parent == kUnknown || parent < areas_.size(), "an area inside none");
  const auto [at, fresh] = area_ids_.try_emplace({parent, name}, areas_.size());
  if (!fresh) return at->second;
  auto area = std::make_unique<Area>();
  area->parent = parent == kUnknown ? areas_.size() : parent;
  area->confinement = confinement;
  if (parent != kUnknown) {
    area->confinement =
        cluster_.devices().confinements().both(areas_[parent]->confinement, confinement);
  }
  area->room.assign(kinds_.size(), kUnknown);
  area->pods.assign(kinds_.size(), 0);
  area->asked.assign(resources_.size(), 0);
  for (const ResourceId resource : resources_) {
    const auto all = cluster_.resources().allocatable(resource);
    const auto used = cluster_.resources().used(resource);
    std::int64_t free = 0;
    nodes.for_each_set([&](std::size_t i) { free += std::max<std::int64_t>(0, all[i] - used[i]); });
    area->free.push_back(free);
  }
  area->nodes = std::move(nodes);
  areas_.push_back(std::move(area));
  return at->second;
}

std::size_t TreeSearch::room(std::size_t area, std::size_t kind) {
  std::size_t& known = areas_[area]->room[kind];
  if (known == kUnknown) {
    known = room_for(cluster_, *kinds_[kind].shape, kinds_[kind].accepted, &areas_[area]->nodes);
  }
  return known;
}

// How many of the task's members the area holds, each kind taken alone.
std::size_t TreeSearch::room(std::size_t area, const Weight& weight, bool capped) {
  std::size_t total = 0;
  for (const auto& [kind, count] : weight.kinds) {
    const std::size_t here = kinds_[kind].bounded ? room(area, kind) : count;
    total += capped ? std::min(here, count) : here;
  }
  return total;
}

const std::vector<std::size_t>& TreeSearch::candidates(const Task& task, std::size_t area) {
  const auto [at, fresh] = candidates_.try_emplace({&task, area});
  if (fresh) at->second = make_candidates(task, area);
  return at->second;
}

// The areas the task may get inside this one, tightest first.
std::vector<std::size_t> TreeSearch::make_candidates(const Task& task, std::size_t area) {
  return split_by_claim(task, make_domains(task, area));
}

bool TreeSearch::is_within_reach_of(GroupId group, std::size_t area) const {
  for (std::size_t at = area;; at = areas_[at]->parent) {
    if (areas_[at]->reach_of == group) return true;
    if (areas_[at]->parent == at) return false;
  }
}

// A claim that all members of a PodGroup share ties them to one of the places where its devices can
// be used: each is an area of its own.
std::vector<std::size_t> TreeSearch::split_by_claim(const Task& task,
                                                    std::vector<std::size_t> areas) {
  if (groups_[task.group].composite) return areas;
  std::vector<PodId> members;
  collect_members(task, members);
  std::vector<std::size_t> split;
  for (const std::size_t area : areas) {
    if (is_within_reach_of(task.group, area)) return areas;
    auto places = places_of_shared_claim(cluster_, members, &areas_[area]->nodes);
    if (!places) return areas;
    for (std::size_t i = 0; i < places->size(); ++i) {
      const std::string name = fmt::format("claim of {}, {}", task.group.index, i);
      const std::size_t made = area_for(area, name, std::move((*places)[i]), {});
      areas_[made]->reach_of = task.group;
      if (!task.inner && room(made, weights_.at(&task), true) < task.minimum) continue;
      split.push_back(made);
    }
  }
  return split;
}

// One for every domain of the task's key.
std::vector<std::size_t> TreeSearch::make_domains(const Task& task, std::size_t area) {
  if (task.key.empty() || profile_.placement_generate.empty()) return {area};
  std::vector<Placement> domains;
  const Bitset& within = areas_[area]->nodes;
  if (task.of_group) {
    domains = profile_.placement_generate.front()
                  ->generate(cluster_, groups_, task.group, within)
                  .placements;
  } else if (const auto pinned = common_domains(cluster_, task.scheduled, task.key); pinned.ok()) {
    domains = domains_within(cluster_, task.key, within, *pinned);
  }
  const Weight& weight = weights_.at(&task);
  std::vector<std::pair<std::size_t, std::size_t>> ranked;  // stable: domains come by name
  for (auto& domain : domains) {
    const std::size_t made = area_for(area, domain.key + "=" + domain.value,
                                      std::move(domain.nodes), domain.confinement);
    if (!task.inner && room(made, weight, true) < task.minimum) continue;
    ranked.emplace_back(room(made, weight, false), made);
  }
  std::ranges::stable_sort(ranked, {}, [](const auto& entry) { return entry.first; });
  std::vector<std::size_t> areas;
  for (const auto& [room_there, made] : ranked) areas.push_back(made);
  return areas;
}

// Adds what the task asks for to its area and those around it, or takes it off; false when one of
// them cannot hold what was claimed of it.
bool TreeSearch::claim(const Task& task, std::size_t area, std::int64_t sign) {
  const Weight& weight = weights_.at(&task);
  bool holds = true;
  for (std::size_t at = area;; at = areas_[at]->parent) {
    Area& here = *areas_[at];
    for (const auto& [kind, count] : weight.pods) {
      here.pods[kind] += sign * count;
      TUTTI_CHECK(here.pods[kind] >= 0, "more pods are taken off than were claimed");
      holds = holds && (!kinds_[kind].bounded ||
                        here.pods[kind] <= static_cast<std::int64_t>(room(at, kind)));
    }
    for (std::size_t r = 0; r < resources_.size(); ++r) {
      here.asked[r] += sign * weight.asked[r];
      TUTTI_CHECK(here.asked[r] >= 0, "more is taken off than was claimed");
      holds = holds && (here.asked[r] <= here.free[r] || !profile_.counts_resources);
    }
    if (here.parent == at) return holds;
  }
}

// --- choices -------------------------------------------------------------------------------------

bool TreeSearch::prove(const Goals* goals) {
  if (goals == nullptr) return place();
  if (budget_.spent()) return false;
  return goals->children ? prove_children(*goals) : prove_task(*goals);
}

bool TreeSearch::prove_task(const Goals& goals) {
  const Task& task = *goals.task;
  const auto& areas = candidates(task, goals.area);
  // An equal sibling before this one has tried the domains before its own.
  std::size_t first = 0;
  if (const auto at = chosen_.find(&task); at != chosen_.end()) first = at->second;
  for (std::size_t i = first; i < areas.size(); ++i) {
    budget_.take(kDomainSteps);
    if (budget_.spent()) return false;
    chosen_[&task] = i;
    placed_in_[&task] = areas[i];
    if (!task.inner) {
      if (prove_leaf(task, areas[i], goals.next)) return true;
    } else {
      const Goals below{&task, areas[i], goals.next, true, 0, task.minimum};
      if (prove(&below)) return true;
    }
  }
  placed_in_.erase(&task);
  chosen_.erase(&task);
  return false;
}

bool TreeSearch::prove_leaf(const Task& task, std::size_t area, const Goals* rest) {
  bool found = claim(task, area, 1);
  leaves_.push_back(&task);
  found = found && prove(rest);
  if (found) return true;
  TUTTI_CHECK(leaves_.back() == &task, "leaves go in the reverse order of their coming");
  leaves_.pop_back();
  claim(task, area, -1);
  return false;
}

bool TreeSearch::may_take_part(const Task& parent, const Task& child) const {
  return (dependent_ || counts(parent, child)) && child.waits();
}

// Takes the next child in, or leaves it out while enough others remain.
bool TreeSearch::prove_children(const Goals& goals) {
  const Task& parent = *goals.task;
  const auto& children = parent.children;
  std::size_t at = goals.child;
  while (at < children.size() && !may_take_part(parent, children[at])) ++at;
  if (goals.missing == 0 && (!dependent_ || at == children.size())) return prove(goals.next);
  if (within_reach(parent, at) < goals.missing) return false;
  TUTTI_CHECK(at < children.size(), "nobody is left to bring what is missing");
  const std::size_t worth = counts(parent, children[at]) ? children[at].worth : 0;
  const std::size_t missing = goals.missing - std::min(goals.missing, worth);
  const Goals rest{goals.task, goals.area, goals.next, true, at + 1, missing};
  const Goals child{&children[at], goals.area, &rest};
  // Equal siblings take their domains in order, and the first of them go first.
  const Task* before = at > 0 ? &children[at - 1] : nullptr;
  const bool same = before != nullptr && alike(*before, children[at]);
  const bool before_in = before != nullptr && placed_in_.contains(before);
  if (!same || before_in) {
    if (same && before_in) chosen_[&children[at]] = chosen_.at(before);
    if (prove(&child)) return true;
    chosen_.erase(&children[at]);
  }
  const Goals without{goals.task, goals.area, goals.next, true, at + 1, goals.missing};
  return prove(&without);
}

// All is decided: the pods of all leaves at once.
bool TreeSearch::place() {
  std::vector<Lot> lots;
  std::deque<ConfinementScope> scopes;
  for (const Task* leaf : leaves_) {
    const Area& area = *areas_[placed_in_.at(leaf)];
    lots.push_back({leaf->members, leaf->minimum, &area.nodes});
    scopes.emplace_back(cluster_, leaf->members, area.confinement);
  }
  const SearchBudget granted = budget_.part(kPlacingParts);
  SearchBudget part = granted;
  ExactSearch search(cluster_, evaluations_, profile_, part);
  const auto before = transaction_->checkpoint();
  const Search answer = search.run(*transaction_, lots);
  TUTTI_CHECK(answer == Search::found || transaction_->checkpoint() == before);
  budget_.settle(granted, part);
  gave_up_ = gave_up_ || answer == Search::exhausted;
  if (search.competition().members > 0) competition_ = search.competition();
  return answer == Search::found;
}

}  // namespace tutti::core
