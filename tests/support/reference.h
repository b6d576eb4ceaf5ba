// Reference: may this pod go to that node? The rules of the API, written out one after another over
// plain lists, with no index, no cache and no code of core or plugins. Slow and meant to be
// obviously right.
#pragma once

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "model/node.h"
#include "model/pod.h"

namespace tutti::test {

using NodePtr = std::shared_ptr<const model::Node>;
using PodPtr = std::shared_ptr<const model::Pod>;

class Reference {
 public:
  struct Placed {
    PodPtr pod;
    NodePtr node;
  };

  explicit Reference(std::vector<NodePtr> nodes) : nodes_(std::move(nodes)) {}
  const std::vector<NodePtr>& nodes() const { return nodes_; }
  void place(PodPtr pod, NodePtr node) { placed_.push_back({std::move(pod), std::move(node)}); }
  void undo() { placed_.pop_back(); }

  bool accepts(const model::Pod& pod, const model::Node& node) const {
    return holds(pod, node) && spreads(pod, node) && befriends(pod, node);
  }
  // The rules that no further pod can fulfil.
  bool holds(const model::Pod& pod, const model::Node& node) const {
    return schedulable(pod, node) && tolerates(pod, node) && wants(pod, node) &&
           ports_free(pod, node) && fits(pod, node) && avoids(pod, node);
  }
  // As if it were the last that was placed.
  bool accepts_as_last(const model::Pod& pod, const model::Node& node) {
    const auto at = std::ranges::find_if(
        placed_, [&](const Placed& each) { return each.pod->meta.uid == pod.meta.uid; });
    const Placed own = *at;
    const auto index = at - placed_.begin();
    placed_.erase(at);
    const bool accepted = accepts(pod, node);
    placed_.insert(placed_.begin() + index, own);
    return accepted;
  }
  bool lacks_company(const model::Pod& pod, const model::Node& node) const {
    return !befriends(pod, node);
  }
  // Whether the pod requires others nearby, of another kind than its own.
  static bool wants_others(const model::Pod& pod) {
    return !pod.spec->affinity.required.empty() && !matches_all(pod, pod);
  }
  static bool wants_near(const model::Pod& pod, const model::Pod& other) {
    return wants_others(pod) && matches_all(pod, other);
  }

 private:
  using Operator = model::Requirement::Operator;

  // --- the node itself ---------------------------------------------------------------------------
  static bool tolerated(const model::Pod& pod, const model::Taint& taint) {
    return std::ranges::any_of(pod.spec->tolerations, [&](const model::Toleration& each) {
      if (!each.effect.empty() && each.effect != taint.effect) return false;
      const bool exists = each.op == model::Toleration::Operator::exists;
      if (each.key.empty()) return exists;
      return each.key == taint.key && (exists || each.value == taint.value);
    });
  }
  static bool schedulable(const model::Pod& pod, const model::Node& node) {
    return !node.unschedulable ||
           tolerated(pod, {"node.kubernetes.io/unschedulable", "", "NoSchedule"});
  }
  static bool tolerates(const model::Pod& pod, const model::Node& node) {
    return std::ranges::all_of(node.taints, [&](const model::Taint& taint) {
      return taint.effect == "PreferNoSchedule" || tolerated(pod, taint);
    });
  }
  static bool holds(const model::Requirement& requirement, const model::Labels& labels) {
    const std::string* value = model::find(labels, requirement.key);
    const bool listed = value != nullptr && std::ranges::count(requirement.values, *value) > 0;
    switch (requirement.op) {
      case Operator::in:
        return listed;
      case Operator::not_in:
        return !listed;
      case Operator::exists:
        return value != nullptr;
      case Operator::does_not_exist:
        return value == nullptr;
      case Operator::gt:
        return value != nullptr && std::stoll(*value) > std::stoll(requirement.values[0]);
      case Operator::lt:
        return value != nullptr && std::stoll(*value) < std::stoll(requirement.values[0]);
    }
    return false;
  }
  static bool wants(const model::Pod& pod, const model::Node& node) {
    for (const auto& [key, value] : pod.spec->node_selector) {
      const std::string* found = model::find(node.meta.labels, key);
      if (found == nullptr || *found != value) return false;
    }
    const auto& required = pod.spec->node_affinity.required;
    if (!required) return true;
    return std::ranges::any_of(*required, [&](const model::NodeSelectorTerm& term) {
      if (term.match_expressions.empty()) return false;
      return std::ranges::all_of(term.match_expressions, [&](const model::Requirement& each) {
        return holds(each, node.meta.labels);
      });
    });
  }

  // --- room --------------------------------------------------------------------------------------
  template <typename Visit>
  void each_on(const model::Node& node, const Visit& visit) const {
    for (const auto& placed : placed_) {
      if (placed.node->meta.name == node.meta.name) visit(*placed.pod);
    }
  }
  // One container each in these tests; cpu in milli, the rest in units.
  static std::int64_t amount(const model::ResourceList& list, const std::string& name) {
    const Quantity* found = model::find(list, name);
    if (found == nullptr) return 0;
    return name == "cpu" ? found->milli() : found->units();
  }
  bool fits(const model::Pod& pod, const model::Node& node) const {
    std::int64_t pods = 1;
    each_on(node, [&](const model::Pod&) { ++pods; });
    if (pods > amount(node.allocatable, "pods")) return false;
    return std::ranges::all_of(pod.spec->containers[0].requests, [&](const auto& request) {
      const std::int64_t asked = amount(pod.spec->containers[0].requests, request.first);
      std::int64_t used = 0;
      each_on(node, [&](const model::Pod& other) {
        used += amount(other.spec->containers[0].requests, request.first);
      });
      return asked == 0 || used + asked <= amount(node.allocatable, request.first);
    });
  }
  static bool clash(const model::ContainerPort& a, const model::ContainerPort& b) {
    const auto any = [](const std::string& ip) { return ip.empty() || ip == "0.0.0.0"; };
    return a.host_port == b.host_port && a.protocol == b.protocol &&
           (any(a.host_ip) || any(b.host_ip) || a.host_ip == b.host_ip);
  }
  bool ports_free(const model::Pod& pod, const model::Node& node) const {
    bool free = true;
    each_on(node, [&](const model::Pod& other) {
      for (const auto& mine : pod.spec->containers[0].ports) {
        for (const auto& theirs : other.spec->containers[0].ports) {
          if (mine.host_port > 0 && theirs.host_port > 0 && clash(mine, theirs)) free = false;
        }
      }
    });
    return free;
  }

  // --- other pods --------------------------------------------------------------------------------
  static bool selects(const model::LabelSelector& selector, const model::Pod& pod) {
    for (const auto& [key, value] : selector.match_labels) {
      const std::string* found = model::find(pod.meta.labels, key);
      if (found == nullptr || *found != value) return false;
    }
    return std::ranges::all_of(selector.match_expressions, [&](const model::Requirement& each) {
      return holds(each, pod.meta.labels);
    });
  }
  static const std::string* domain(const model::Node& node, const std::string& key) {
    return model::find(node.meta.labels, key);
  }

  bool spreads(const model::Pod& pod, const model::Node& node) const {
    std::vector<const model::TopologySpreadConstraint*> hard;
    for (const auto& each : pod.spec->spread) {
      if (each.hard) hard.push_back(&each);
    }
    const auto has_all_keys = [&](const model::Node& each) {
      return std::ranges::all_of(
          hard, [&](const auto* constraint) { return domain(each, constraint->topology_key); });
    };
    if (!has_all_keys(node)) return hard.empty();
    return std::ranges::all_of(hard, [&](const auto* constraint) {
      const auto eligible = [&](const model::Node& each) {
        return has_all_keys(each) && (!constraint->honor_node_affinity || wants(pod, each)) &&
               (!constraint->honor_node_taints || tolerates(pod, each));
      };
      std::map<std::string, std::int64_t> counts;
      for (const auto& each : nodes_) {
        if (eligible(*each)) counts[*domain(*each, constraint->topology_key)];
      }
      const auto counted = [&](const model::Pod& other) {
        return constraint->selector && other.meta.ns == pod.meta.ns && !other.meta.deletion &&
               selects(*constraint->selector, other);
      };
      for (const auto& placed : placed_) {
        if (eligible(*placed.node) && counted(*placed.pod)) {
          ++counts[*domain(*placed.node, constraint->topology_key)];
        }
      }
      std::int64_t least = std::numeric_limits<std::int64_t>::max();
      for (const auto& [name, count] : counts) least = std::min(least, count);
      if (std::ssize(counts) < constraint->min_domains.value_or(1)) least = 0;
      const auto here = counts.find(*domain(node, constraint->topology_key));
      const std::int64_t count = here == counts.end() ? 0 : here->second;
      return count + (counted(pod) ? 1 : 0) - least <= constraint->max_skew;
    });
  }

  static bool matches(const model::PodAffinityTerm& term, const model::Pod& owner,
                      const model::Pod& other) {
    const bool in_namespace = term.namespaces.empty()
                                  ? other.meta.ns == owner.meta.ns
                                  : std::ranges::count(term.namespaces, other.meta.ns) > 0;
    return in_namespace && term.selector && selects(*term.selector, other);
  }
  static bool matches_all(const model::Pod& owner, const model::Pod& other) {
    return std::ranges::all_of(owner.spec->affinity.required,
                               [&](const auto& term) { return matches(term, owner, other); });
  }
  static bool together(const std::string& key, const model::Node& a, const model::Node& b) {
    const std::string* left = domain(a, key);
    const std::string* right = domain(b, key);
    return left != nullptr && right != nullptr && *left == *right;
  }
  bool befriends(const model::Pod& pod, const model::Node& node) const {
    const auto& terms = pod.spec->affinity.required;
    if (!std::ranges::all_of(terms,
                             [&](const auto& term) { return domain(node, term.topology_key); })) {
      return false;
    }
    const bool satisfied = std::ranges::all_of(terms, [&](const auto& term) {
      return std::ranges::any_of(placed_, [&](const Placed& other) {
        return matches_all(pod, *other.pod) && together(term.topology_key, node, *other.node);
      });
    });
    if (satisfied) return true;
    // The first of its kind may start a domain.
    const bool first = std::ranges::none_of(placed_, [&](const Placed& other) {
      return matches_all(pod, *other.pod) && std::ranges::any_of(terms, [&](const auto& term) {
               return domain(*other.node, term.topology_key);
             });
    });
    return first && matches_all(pod, pod);
  }
  bool avoids(const model::Pod& pod, const model::Node& node) const {
    const auto repels = [&](const model::Pod& owner, const model::Pod& other,
                            const model::Node& there) {
      return std::ranges::any_of(owner.spec->anti_affinity.required, [&](const auto& term) {
        return matches(term, owner, other) && together(term.topology_key, node, there);
      });
    };
    return std::ranges::none_of(placed_, [&](const Placed& other) {
      return repels(pod, *other.pod, *other.node) || repels(*other.pod, pod, *other.node);
    });
  }

  std::vector<NodePtr> nodes_;
  std::vector<Placed> placed_;
};

// Whether some order of pods that start together, each with the node chosen for it, makes every
// step acceptable. One that requires others nearby may take its place before they come, if it would
// be accepted there once they did.
inline bool acceptable_in_some_order(Reference& reference,
                                     const std::vector<Reference::Placed>& chosen) {
  std::set<std::pair<std::size_t, std::size_t>> failed;
  const std::size_t all = (std::size_t{1} << chosen.size()) - 1;
  // `done` have a place, `early` of them were not accepted there yet.
  const auto from = [&](const auto& self, std::size_t done, std::size_t early) -> bool {
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::size_t bit = std::size_t{1} << i;
      if ((early & bit) == 0) continue;
      if (reference.accepts_as_last(*chosen[i].pod, *chosen[i].node)) early -= bit;
    }
    if (done == all) return early == 0;
    if (!failed.insert({done, early}).second) return false;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::size_t bit = std::size_t{1} << i;
      if ((done & bit) != 0) continue;
      const auto& [pod, node] = chosen[i];
      const bool accepted = reference.accepts(*pod, *node);
      const bool may_be_early = Reference::wants_others(*pod) && reference.holds(*pod, *node) &&
                                reference.lacks_company(*pod, *node);
      if (!accepted && !may_be_early) continue;
      reference.place(pod, node);
      const bool found = self(self, done | bit, accepted ? early : early | bit);
      reference.undo();
      if (found) return true;
    }
    return false;
  };
  return from(from, 0, 0);
}

// Whether `need[g]` of the pods of every lot g can be placed, one after another in any order, on
// any nodes: every possibility is tried. A pod that requires another of them nearby may take its
// place before that one comes, if it would be accepted there once it did.
class Placeable {
 public:
  Placeable(Reference& reference, const std::vector<PodPtr>& pods)
      : reference_(reference), pods_(pods), at_(pods.size()) {
    for (const PodPtr& pod : pods) {
      const bool early = std::ranges::any_of(
          pods, [&](const PodPtr& other) { return Reference::wants_near(*pod, *other); });
      may_be_early_.push_back(early);
    }
  }
  // `lot_of`: by pod.
  bool run(const std::vector<std::size_t>& lot_of, std::vector<std::size_t> need) {
    lot_of_ = lot_of;
    need_ = std::move(need);
    return from();
  }

 private:
  struct Place {
    std::size_t node = 0;  // 0: none
    bool early = false;
    auto operator<=>(const Place&) const = default;
  };

  bool enough() const {
    return std::ranges::all_of(need_, [](std::size_t missing) { return missing == 0; });
  }
  // Members that are accepted by now are early no more.
  void settle() {
    for (std::size_t p = 0; p < pods_.size(); ++p) {
      if (!at_[p].early) continue;
      const NodePtr node = reference_.nodes()[at_[p].node - 1];
      at_[p].early = !reference_.accepts_as_last(*pods_[p], *node);
    }
  }
  // Pods that share a spec and labels need one try: that of the first of them that waits.
  bool repeated(std::size_t p) const {
    for (std::size_t q = 0; q < p; ++q) {
      if (at_[q].node == 0 && lot_of_[q] == lot_of_[p] && pods_[q]->spec == pods_[p]->spec &&
          pods_[q]->meta.labels == pods_[p]->meta.labels) {
        return true;
      }
    }
    return false;
  }
  bool from() {
    settle();
    const bool early = std::ranges::any_of(at_, &Place::early);
    if (enough() && !early) return true;
    if (!failed_.insert(at_).second) return false;
    for (std::size_t p = 0; p < pods_.size(); ++p) {
      if (at_[p].node != 0 || repeated(p)) continue;
      for (std::size_t n = 0; n < reference_.nodes().size(); ++n) {
        if (placed(p, n)) return true;
      }
    }
    return false;
  }
  bool placed(std::size_t p, std::size_t n) {
    const NodePtr node = reference_.nodes()[n];
    const bool accepted = reference_.accepts(*pods_[p], *node);
    const bool early = !accepted && may_be_early_[p] && reference_.holds(*pods_[p], *node) &&
                       reference_.lacks_company(*pods_[p], *node);
    if (!accepted && !early) return false;
    std::size_t& missing = need_[lot_of_[p]];
    const std::size_t was = missing;
    missing -= missing > 0;
    reference_.place(pods_[p], node);
    const std::vector<Place> before = at_;
    at_[p] = {n + 1, early};
    const bool found = from();
    at_ = before;
    reference_.undo();
    missing = was;
    return found;
  }

  Reference& reference_;
  const std::vector<PodPtr>& pods_;
  std::vector<bool> may_be_early_;
  std::vector<std::size_t> lot_of_;
  std::vector<std::size_t> need_;
  std::vector<Place> at_;
  std::set<std::vector<Place>> failed_;
};

inline bool placeable(Reference& reference, const std::vector<PodPtr>& pods, std::size_t need) {
  return Placeable(reference, pods).run(std::vector<std::size_t>(pods.size(), 0), {need});
}

}  // namespace tutti::test
