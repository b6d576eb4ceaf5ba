// Random quota trees for property tests: cohorts and queues as plain rows, and the Tree made of
// them.
#pragma once

#include <rapidcheck.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "quota/tree.h"

namespace tutti::quota {

inline constexpr std::size_t kRandomFlavors = 2;

struct PlainQuota {
  std::int64_t nominal = 0;
  std::optional<std::int64_t> borrow{};
  std::optional<std::int64_t> lend{};
};

struct PlainNode {
  std::string name;
  int parent = -1;  // a row above this one; -1: none
  bool queue = false;
  PlainQuota quota[kRandomFlavors] = {};
  std::uint64_t weight = 1;
  std::int64_t used[kRandomFlavors] = {};
};

inline PlainQuota any_plain_quota(bool has_parent) {
  const auto limit = [&]() -> std::optional<std::int64_t> {
    if (!has_parent || *rc::gen::inRange(0, 3) > 0) return std::nullopt;
    return *rc::gen::inRange<std::int64_t>(0, 8);
  };
  return {.nominal = *rc::gen::inRange<std::int64_t>(0, 10), .borrow = limit(), .lend = limit()};
}

// Cohorts come before what is below them, so that a parent is always a row above.
inline std::vector<PlainNode> any_plain_nodes(int cohorts_max, int queues_max) {
  std::vector<PlainNode> nodes;
  const int cohorts = *rc::gen::inRange(1, cohorts_max + 1);
  const int queues = *rc::gen::inRange(1, queues_max + 1);
  for (int i = 0; i < cohorts + queues; ++i) {
    const bool queue = i >= cohorts;
    PlainNode node{.name = (queue ? "q" : "c") + std::to_string(i), .queue = queue};
    node.parent = *rc::gen::inRange(i == 0 ? -1 : (i % 4 == 1 ? -1 : 0), queue ? cohorts : i);
    node.weight = *rc::gen::inRange<std::uint64_t>(0, 4);
    for (PlainQuota& quota : node.quota) quota = any_plain_quota(node.parent >= 0);
    nodes.push_back(node);
  }
  return nodes;
}

struct RandomQuota {
  Tree tree{};
  std::vector<PlainNode> nodes;
  std::vector<QuotaNodeId> ids;
  FlavorResourceId of[kRandomFlavors];

  explicit RandomQuota(std::vector<PlainNode> rows) : nodes(std::move(rows)) {
    for (std::size_t f = 0; f < kRandomFlavors; ++f) {
      of[f] = tree.flavor_resources().intern("flavor" + std::to_string(f), "gpu");
    }
    for (std::size_t i = 0; i < nodes.size(); ++i) ids.push_back(put(i));
    tree.settle();
  }

  QuotaNodeId put(std::size_t row) {
    const PlainNode& node = nodes[row];
    NodeSpec spec{.weight = {node.weight * 1'000'000'000}};
    if (node.parent >= 0) spec.parent = nodes[static_cast<std::size_t>(node.parent)].name;
    for (std::size_t f = 0; f < kRandomFlavors; ++f) {
      spec.quotas.push_back({.of = of[f],
                             .nominal = node.quota[f].nominal,
                             .borrowing_limit = node.quota[f].borrow,
                             .lending_limit = node.quota[f].lend});
    }
    return tree.put(node.queue ? Tree::Kind::queue : Tree::Kind::cohort, node.name, spec);
  }

  std::vector<std::size_t> queues() const {
    std::vector<std::size_t> rows;
    for (std::size_t i = 0; i < nodes.size(); ++i) {
      if (nodes[i].queue) rows.push_back(i);
    }
    return rows;
  }
};

}  // namespace tutti::quota
