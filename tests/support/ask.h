// Asking one Filter or Score plugin about a pod, and following its evaluators through changes.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/cluster/cluster.h"
#include "core/framework/plugin.h"

namespace tutti::test {

inline std::vector<core::NodeId> live_nodes(const core::Cluster& cluster) {
  std::vector<core::NodeId> nodes;
  cluster.nodes().live().for_each_set(
      [&](std::size_t index) { nodes.push_back({static_cast<std::uint32_t>(index)}); });
  return nodes;
}

// One line per node in order of names: "n1 ok" or "n2 unschedulable: reason". A verdict about all
// nodes is the only line; a plugin that skips accepts every node.
inline std::vector<std::string> answers(core::Cluster& cluster, const core::FilterPlugin& plugin,
                                        const std::shared_ptr<const model::Pod>& pod) {
  const auto word = [](core::Code code) {
    return code == core::Code::unresolvable    ? "unresolvable: "
           : code == core::Code::unschedulable ? "unschedulable: "
                                               : "error: ";
  };
  const auto prepared = plugin.prepare_filter(cluster, cluster.class_of(cluster.set_pod(pod)));
  const bool skip = prepared.verdict.code == core::Code::skip;
  if (!skip && !prepared.evaluator) {
    return {word(prepared.verdict.code) + prepared.verdict.reason};
  }
  std::vector<std::string> lines;
  Bitset mask = cluster.nodes().live();
  if (!skip) prepared.evaluator->filter(mask);
  for (const auto node : live_nodes(cluster)) {
    if (skip || prepared.evaluator->accepts(node)) {
      EXPECT_TRUE(mask.test(node.index));
      lines.push_back(cluster.node_name(node) + " ok");
      continue;
    }
    EXPECT_FALSE(mask.test(node.index));
    std::string line = cluster.node_name(node);
    for (const auto& verdict : prepared.evaluator->explain(node)) {
      line.append(" ").append(word(verdict.code)).append(verdict.reason);
    }
    lines.push_back(line);
  }
  std::ranges::sort(lines);
  return lines;
}

// Normalized scores by node, as if every live node were feasible. Empty when the plugin skips.
inline std::map<std::string, std::int64_t> scores(core::Cluster& cluster,
                                                  const core::ScorePlugin& plugin,
                                                  const std::shared_ptr<const model::Pod>& pod) {
  const auto prepared = plugin.prepare_score(cluster, cluster.class_of(cluster.set_pod(pod)));
  std::map<std::string, std::int64_t> made;
  if (!prepared.evaluator) return made;
  std::vector<std::int64_t> raw(cluster.nodes().slots());
  prepared.evaluator->score(cluster.nodes().live(), raw);
  const Bitset* outside = prepared.evaluator->outside_normalization();
  auto min = std::numeric_limits<std::int64_t>::max();
  auto max = std::numeric_limits<std::int64_t>::min();
  for (const auto node : live_nodes(cluster)) {
    EXPECT_EQ(prepared.evaluator->score(node), raw[node.index]);
    if (outside != nullptr && outside->test(node.index)) continue;
    min = std::min(min, raw[node.index]);
    max = std::max(max, raw[node.index]);
  }
  for (const auto node : live_nodes(cluster)) {
    const auto score = raw[node.index];
    made[cluster.node_name(node)] = prepared.evaluator->normalizes()
                                        ? prepared.evaluator->normalize(node, score, min, max)
                                        : score;
  }
  return made;
}

// Tells the evaluator what happened since `sequence` and holds it to the Effect it claims.
// `answer(node)` is what must not change unnoticed.
template <typename Evaluator, typename Answer>
void follow(const core::Cluster& cluster, Evaluator& evaluator, std::uint64_t& sequence,
            const Answer& answer) {
  const auto changes = cluster.journal().since(sequence);
  ASSERT_TRUE(changes.has_value());
  sequence = cluster.journal().end();
  for (const auto& change : *changes) {
    std::map<core::NodeId, std::int64_t> before;
    for (const auto node : live_nodes(cluster)) before[node] = answer(node);
    const auto effect = evaluator.changed(change);
    for (const auto node : live_nodes(cluster)) {
      const bool may_differ = effect == core::Effect::everything ||
                              (effect == core::Effect::node && node == change.node);
      if (may_differ) continue;
      EXPECT_EQ(before[node], answer(node)) << cluster.node_name(node);
    }
  }
}

}  // namespace tutti::test
