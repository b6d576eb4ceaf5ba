// Quota and places written out the slow way, over plain values: no tree that is kept up, no index,
// no code of src/quota or src/core. Amounts are milli of cpu, the only resource of these worlds.
#pragma once

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "model/node.h"
#include "model/quota.h"
#include "support/fake_port.h"

namespace tutti::test {

// What one request has, or wants to have.
struct PlainClaim {
  std::string queue;
  std::map<std::string, std::int64_t> charge{};                // by flavor
  std::vector<std::pair<std::string, std::int64_t>> places{};  // node and cpu of each pod
};

// The quota of all objects of a cluster, and who is charged.
class PlainQuota {
 public:
  explicit PlainQuota(const FakePort& port) {
    for (const auto& [key, object] : port.objects()) {
      if (key.kind == model::Kind::cluster_queue) {
        const auto& queue = model::as<model::ClusterQueue>(*object);
        add("queue " + key.name, queue.spec.cohort, queue.spec.groups);
      } else if (key.kind == model::Kind::cohort) {
        const auto& cohort = model::as<model::Cohort>(*object);
        add("cohort " + key.name, cohort.spec.parent, cohort.spec.groups);
      }
    }
    // Cohorts need not exist to be named.
    const auto known = nodes_;
    for (const auto& [name, node] : known) {
      if (!node.parent.empty()) nodes_[node.parent];
    }
  }

  void charge(const PlainClaim& claim) {
    for (const auto& [flavor, amount] : claim.charge) {
      nodes_["queue " + claim.queue].usage[flavor] += amount;
    }
  }
  std::int64_t available(const std::string& queue, const std::string& flavor) const {
    return available_of("queue " + queue, flavor);
  }
  bool lists(const std::string& queue, const std::string& flavor) const {
    return quota_of("queue " + queue, flavor) != nullptr;
  }
  bool borrows(const std::string& queue, const std::string& flavor) const {
    const std::string name = "queue " + queue;
    return usage(name, flavor) > subtree(name, flavor);
  }
  bool fits(const PlainClaim& claim) const {
    return std::ranges::all_of(claim.charge, [&](const auto& each) {
      return each.second == 0 ||
             (lists(claim.queue, each.first) && each.second <= available(claim.queue, each.first));
    });
  }

 private:
  static constexpr std::int64_t kUnlimited = std::numeric_limits<std::int64_t>::max() / 4;

  struct Quota {
    std::int64_t nominal = 0;
    std::optional<std::int64_t> borrow, lend;
  };
  struct Node {
    std::string parent{};
    std::map<std::string, Quota> quota{};  // by flavor
    std::map<std::string, std::int64_t> usage{};
  };

  void add(const std::string& name, const std::string& parent,
           const std::vector<model::ResourceGroup>& groups) {
    Node& node = nodes_[name];
    if (!parent.empty()) node.parent = "cohort " + parent;
    for (const auto& group : groups) {
      for (const auto& flavor : group.flavors) {
        const auto& amount = flavor.amounts.front();
        Quota& quota = node.quota[flavor.flavor];
        quota.nominal = amount.nominal.milli();
        if (amount.borrowing_limit) quota.borrow = amount.borrowing_limit->milli();
        if (amount.lending_limit) quota.lend = amount.lending_limit->milli();
      }
    }
  }

  const Quota* quota_of(const std::string& name, const std::string& flavor) const {
    const auto node = nodes_.find(name);
    if (node == nodes_.end()) return nullptr;
    const auto at = node->second.quota.find(flavor);
    return at != node->second.quota.end() ? &at->second : nullptr;
  }
  template <typename Visit>
  void each_child(const std::string& name, const Visit& visit) const {
    for (const auto& [child, node] : nodes_) {
      if (node.parent == name) visit(child);
    }
  }
  std::int64_t subtree(const std::string& name, const std::string& flavor) const {
    const Quota* quota = quota_of(name, flavor);
    std::int64_t sum = quota != nullptr ? quota->nominal : 0;
    each_child(name, [&](const std::string& child) {
      sum += subtree(child, flavor) - local(child, flavor);
    });
    return sum;
  }
  std::int64_t local(const std::string& name, const std::string& flavor) const {
    const Quota* quota = quota_of(name, flavor);
    if (quota == nullptr || !quota->lend) return 0;
    return std::max<std::int64_t>(0, subtree(name, flavor) - *quota->lend);
  }
  std::int64_t usage(const std::string& name, const std::string& flavor) const {
    const auto& own = nodes_.at(name).usage;
    std::int64_t sum = own.contains(flavor) ? own.at(flavor) : 0;
    each_child(name, [&](const std::string& child) { sum += shown(child, flavor); });
    return sum;
  }
  // What the parent sees of the node's usage.
  std::int64_t shown(const std::string& name, const std::string& flavor) const {
    return std::max<std::int64_t>(0, usage(name, flavor) - local(name, flavor));
  }
  std::int64_t available_of(const std::string& name, const std::string& flavor) const {
    const std::string& parent = nodes_.at(name).parent;
    if (parent.empty()) return subtree(name, flavor) - usage(name, flavor);
    const Quota* quota = quota_of(name, flavor);
    std::int64_t above = available_of(parent, flavor);
    if (quota != nullptr && quota->borrow) {
      above = std::min(above, subtree(name, flavor) - local(name, flavor) - shown(name, flavor) +
                                  *quota->borrow);
    } else {
      above = std::min(above, kUnlimited);
    }
    const std::int64_t own = local(name, flavor) - usage(name, flavor);
    return std::max<std::int64_t>(0, own) + above;
  }

  std::map<std::string, Node> nodes_;  // "queue a", "cohort b"
};

// Free cpu of the nodes of each flavor.
class PlainRoom {
 public:
  explicit PlainRoom(const FakePort& port) {
    for (const auto& [key, object] : port.objects()) {
      if (key.kind != model::Kind::node) continue;
      const auto& node = model::as<model::Node>(*object);
      const std::string* flavor = model::find(node.meta.labels, "flavor");
      const Quantity* cpu = model::find(node.allocatable, "cpu");
      if (flavor == nullptr || cpu == nullptr) continue;
      free_[key.name] = {*flavor, cpu->milli(), !node.unschedulable};
    }
  }

  void take(const std::string& node, std::int64_t cpu) {
    const auto at = free_.find(node);
    if (at != free_.end()) at->second.cpu -= cpu;
  }
  void take(const PlainClaim& claim) {
    for (const auto& [node, cpu] : claim.places) take(node, cpu);
  }

  struct Pods {
    std::string flavor;
    std::int64_t cpu = 0;
    std::int64_t count = 0;
  };
  // Whether there is a place for all of them, by trying every one.
  bool has_places(std::vector<Pods> pods) {
    while (!pods.empty() && pods.back().count == 0) pods.pop_back();
    if (pods.empty()) return true;
    --pods.back().count;
    for (auto& [name, node] : free_) {
      if (!node.open || node.flavor != pods.back().flavor || node.cpu < pods.back().cpu) continue;
      node.cpu -= pods.back().cpu;
      const bool fits = has_places(pods);
      node.cpu += pods.back().cpu;
      if (fits) return true;
    }
    return false;
  }

 private:
  struct Node {
    std::string flavor;
    std::int64_t cpu = 0;
    bool open = true;
  };
  std::map<std::string, Node> free_;
};

}  // namespace tutti::test
