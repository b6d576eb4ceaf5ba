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
    return schedulable(pod, node) && tolerates(pod, node) && wants(pod, node) &&
           ports_free(pod, node) && fits(pod, node) && spreads(pod, node) && befriends(pod, node) &&
           avoids(pod, node);
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

// Whether some order of `pods` (each with the node chosen for it) makes every step acceptable.
inline bool acceptable_in_some_order(Reference& reference,
                                     const std::vector<Reference::Placed>& chosen) {
  std::set<std::size_t> failed;
  const std::size_t all = (std::size_t{1} << chosen.size()) - 1;
  const auto from = [&](const auto& self, std::size_t done) -> bool {
    if (done == all) return true;
    if (failed.contains(done)) return false;
    for (std::size_t i = 0; i < chosen.size(); ++i) {
      const std::size_t bit = std::size_t{1} << i;
      if ((done & bit) != 0 || !reference.accepts(*chosen[i].pod, *chosen[i].node)) continue;
      reference.place(chosen[i].pod, chosen[i].node);
      const bool found = self(self, done | bit);
      reference.undo();
      if (found) return true;
    }
    failed.insert(done);
    return false;
  };
  return from(from, 0);
}

// Whether `need` of the pods can be placed, one after another in any order, on any nodes: every
// possibility is tried.
inline bool placeable(Reference& reference, const std::vector<PodPtr>& pods, std::size_t need) {
  std::set<std::vector<std::size_t>> failed;  // node of each pod, 0 for none
  std::vector<std::size_t> chosen(pods.size(), 0);
  const auto from = [&](const auto& self, std::size_t missing) -> bool {
    if (missing == 0) return true;
    if (failed.contains(chosen)) return false;
    for (std::size_t p = 0; p < pods.size(); ++p) {
      if (chosen[p] != 0) continue;
      // Of pods that share a spec and labels only the first waiting one needs a try.
      bool repeated = false;
      for (std::size_t q = 0; q < p; ++q) {
        repeated = repeated || (chosen[q] == 0 && pods[q]->spec == pods[p]->spec &&
                                pods[q]->meta.labels == pods[p]->meta.labels);
      }
      if (repeated) continue;
      for (std::size_t n = 0; n < reference.nodes().size(); ++n) {
        const NodePtr node = reference.nodes()[n];
        if (!reference.accepts(*pods[p], *node)) continue;
        reference.place(pods[p], node);
        chosen[p] = n + 1;
        const bool found = self(self, missing - 1);
        chosen[p] = 0;
        reference.undo();
        if (found) return true;
      }
    }
    failed.insert(chosen);
    return false;
  };
  return from(from, need);
}

}  // namespace tutti::test
