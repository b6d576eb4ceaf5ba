// Random small clusters: evaluators that followed a random history answer like fresh ones, and like
// a reference written from the API's rules that looks at every pod.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "plugins/spread/pod_topology_spread.h"
#include "support/ask.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

const std::vector<std::string> kKeys = {"zone", "rack", "kubernetes.io/hostname"};

struct World {
  core::Cluster cluster;
  std::vector<core::PodId> pods;
};

std::string pick(Random& random, const std::vector<std::string>& from) {
  return from[random.below(from.size())];
}

void add_node(World& world, Random& random, std::size_t index) {
  auto made = test::node("n" + std::to_string(index));
  for (const auto* key : {"zone", "rack"}) {
    if (random.below(5) != 0) made.label(key, pick(random, {"a", "b", "c"}));
  }
  if (random.below(4) == 0) made.label("disk", "ssd");
  if (random.below(4) == 0) made.taint("k", "v", pick(random, {"NoSchedule", "PreferNoSchedule"}));
  world.cluster.set_node(made);
}

void add_pod(World& world, Random& random, std::size_t index) {
  auto made = test::pod("p" + std::to_string(index));
  if (random.below(5) == 0) made.in_namespace("other");
  made.label("app", pick(random, {"web", "db"})).label("index", std::to_string(index));
  auto object = std::make_shared<model::Pod>(*made.build());
  if (random.below(6) == 0) object->meta.deletion = Instant{};
  world.pods.push_back(world.cluster.set_pod(object));
}

std::shared_ptr<const model::Pod> random_incoming(Random& random, bool hard) {
  auto made = test::pod("incoming").label("app", pick(random, {"web", "db"}));
  if (random.below(3) == 0) made.node_selector("disk", "ssd");
  if (random.below(3) == 0) {
    made.toleration({.key = "k",
                     .op = model::Toleration::Operator::exists,
                     .value = {},
                     .effect = {},
                     .toleration_seconds = {}});
  }
  made.with([&](model::PodSpec& spec) {
    for (std::uint64_t i = 0; i <= random.below(2); ++i) {
      model::TopologySpreadConstraint rule;
      rule.topology_key = pick(random, kKeys);
      rule.max_skew = static_cast<std::int32_t>(1 + random.below(2));
      rule.hard = hard;
      rule.honor_node_affinity = random.below(2) == 0;
      rule.honor_node_taints = random.below(2) == 0;
      if (hard && random.below(2) == 0) {
        rule.min_domains = static_cast<std::int32_t>(1 + random.below(3));
      }
      if (random.below(6) != 0) rule.selector.emplace();
      if (rule.selector && random.below(6) != 0) rule.selector->match_labels = {{"app", "web"}};
      spec.spread.push_back(rule);
    }
  });
  return made;
}

void step(World& world, Random& random) {
  const auto nodes = test::live_nodes(world.cluster);
  const core::PodId id = world.pods[random.below(world.pods.size())];
  if (world.cluster.pod(id).node.valid()) {
    world.cluster.take_off(id);
  } else {
    world.cluster.place(id, nodes[random.below(nodes.size())]);
  }
}

// --- the reference -------------------------------------------------------------------------------

class Reference {
 public:
  Reference(const World& world, const model::Pod& pod) : world_(world), pod_(pod) {}

  bool accepts(const model::Node& candidate) const {
    return std::ranges::all_of(pod_.spec->spread, [&](const auto& rule) {
      const std::string* value = model::find(candidate.meta.labels, rule.topology_key);
      if (value == nullptr) return false;
      const auto counts = by_value(rule);
      const auto own = counts.find(*value);
      std::int64_t least = 1 << 20;
      for (const auto& [domain, count] : counts) least = std::min(least, count);
      if (static_cast<std::int32_t>(counts.size()) < rule.min_domains.value_or(1)) least = 0;
      const std::int64_t itself = rule.selector && selects(*rule.selector, pod_) ? 1 : 0;
      return (own == counts.end() ? 0 : own->second) + itself - least <= rule.max_skew;
    });
  }

  double score(const model::Node& candidate) const {
    double total = 0;
    for (const auto& rule : pod_.spec->spread) {
      const std::string& value = *model::find(candidate.meta.labels, rule.topology_key);
      std::set<std::string> domains;
      std::size_t nodes = 0;
      for_each_node([&](core::NodeId, const model::Node& node) {
        if (!has_all_keys(node) || !selected(node) || !tolerated(node)) return;
        domains.insert(*model::find(node.meta.labels, rule.topology_key));
        ++nodes;
      });
      const bool host = rule.topology_key == "kubernetes.io/hostname";
      const auto counts = by_value(rule);
      std::int64_t count = counts.contains(value) ? counts.at(value) : 0;
      if (host) count = matching_on(*world_.cluster.nodes().find(candidate.meta.name), rule);
      const double size = static_cast<double>(host ? nodes : domains.size());
      total += static_cast<double>(count) * std::log(size + 2) + rule.max_skew - 1;
    }
    return total;
  }

  bool has_all_keys(const model::Node& node) const {
    return std::ranges::all_of(pod_.spec->spread, [&](const auto& rule) {
      return model::find(node.meta.labels, rule.topology_key) != nullptr;
    });
  }

 private:
  template <typename Fn>
  void for_each_node(const Fn& fn) const {
    for (const auto id : test::live_nodes(world_.cluster)) fn(id, world_.cluster.node(id));
  }
  static bool selects(const model::LabelSelector& selector, const model::Pod& pod) {
    return std::ranges::all_of(selector.match_labels, [&](const auto& pair) {
      const std::string* value = model::find(pod.meta.labels, pair.first);
      return value != nullptr && *value == pair.second;
    });
  }
  bool selected(const model::Node& node) const {
    return pod_.spec->node_selector.empty() || model::find(node.meta.labels, "disk") != nullptr;
  }
  bool tolerated(const model::Node& node) const {
    return !pod_.spec->tolerations.empty() ||
           std::ranges::none_of(node.taints,
                                [](const auto& taint) { return taint.effect == "NoSchedule"; });
  }
  std::int64_t matching_on(core::NodeId node, const model::TopologySpreadConstraint& rule) const {
    if (!rule.selector || rule.selector->match_labels.empty()) return 0;
    return std::ranges::count_if(world_.pods, [&](core::PodId id) {
      const auto& entry = world_.cluster.pod(id);
      return entry.node == node && !entry.object->meta.deletion &&
             entry.object->meta.ns == pod_.meta.ns && selects(*rule.selector, *entry.object);
    });
  }
  std::map<std::string, std::int64_t> by_value(const model::TopologySpreadConstraint& rule) const {
    std::map<std::string, std::int64_t> counts;
    for_each_node([&](core::NodeId id, const model::Node& node) {
      if (!has_all_keys(node)) return;
      if (rule.honor_node_affinity && !selected(node)) return;
      if (rule.honor_node_taints && !tolerated(node)) return;
      counts[*model::find(node.meta.labels, rule.topology_key)] += matching_on(id, rule);
    });
    return counts;
  }

  const World& world_;
  const model::Pod& pod_;
};

void build(World& world, Random& random) {
  for (std::size_t i = 0; i <= random.below(6); ++i) add_node(world, random, i);
  for (std::size_t i = 0; i <= random.below(10); ++i) add_pod(world, random, i);
  for (std::uint64_t i = random.below(10); i > 0; --i) step(world, random);
}

TEST(SpreadProperty, aFilterThatFollowedHistoryAgreesWithAFreshOneAndTheRules) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    World world;
    build(world, random);
    const auto incoming = random_incoming(random, true);
    const auto pods = world.cluster.class_of(world.cluster.set_pod(incoming));
    const PodTopologySpread plugin;
    const auto kept = plugin.prepare_filter(world.cluster, pods);
    ASSERT_NE(kept.evaluator, nullptr);
    std::uint64_t sequence = world.cluster.journal().end();
    for (int round = 0; round < 12; ++round) {
      const auto fresh = plugin.prepare_filter(world.cluster, pods);
      const Reference rules(world, *incoming);
      for (const auto node : test::live_nodes(world.cluster)) {
        const bool expected = rules.accepts(world.cluster.node(node));
        ASSERT_EQ(kept.evaluator->accepts(node), expected);
        ASSERT_EQ(fresh.evaluator->accepts(node), expected);
        ASSERT_EQ(fresh.evaluator->explain(node).empty(), expected);
      }
      step(world, random);
      test::follow(world.cluster, *kept.evaluator, sequence,
                   [&](core::NodeId node) { return kept.evaluator->accepts(node); });
    }
  }
}

// However pods of the class and others that count are placed, no more than foreseen find a node.
TEST(SpreadProperty, noMorePodsFindANodeThanForeseen) {
  std::size_t limited = 0;
  for (std::uint64_t seed = 0; seed < 1'000; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    World world;
    build(world, random);
    const auto incoming = random_incoming(random, true);
    const auto pods = world.cluster.class_of(world.cluster.set_pod(incoming));
    std::vector<core::PodId> copies;
    for (std::size_t i = 0; i < 10; ++i) {
      auto copy = std::make_shared<model::Pod>(*incoming);
      copy->meta.name = copy->meta.uid = "copy-" + std::to_string(i);
      copies.push_back(world.cluster.set_pod(copy));
    }
    const PodTopologySpread plugin;
    const auto filter = plugin.prepare_filter(world.cluster, pods);
    std::vector<std::int64_t> room(world.cluster.nodes().slots());
    for (auto& here : room) here = static_cast<std::int64_t>(random.below(4));
    const std::int64_t company = random.below(3) == 0 ? 2 : 0;
    const std::int64_t foreseen = filter.evaluator->room_for({room, 8, company});
    limited += foreseen < 8;

    std::uint64_t sequence = world.cluster.journal().end();
    std::int64_t placed = 0;
    std::int64_t others = 0;
    for (std::size_t tries = 0; tries < 60 && placed < 8; ++tries) {
      const auto nodes = test::live_nodes(world.cluster);
      const core::NodeId node = nodes[random.below(nodes.size())];
      const bool other = others < company && random.below(4) == 0;
      if (!other && (room[node.index] == 0 || !filter.evaluator->accepts(node))) continue;
      world.cluster.place(copies.back(), node);
      copies.pop_back();
      test::follow(world.cluster, *filter.evaluator, sequence,
                   [&](core::NodeId at) { return filter.evaluator->accepts(at); });
      ++(other ? others : placed);
      if (!other) --room[node.index];
    }
    ASSERT_LE(placed, foreseen);
  }
  EXPECT_GT(limited, 200U);
}

TEST(SpreadProperty, aScoreThatFollowedHistoryAgreesWithAFreshOneAndTheFormula) {
  for (std::uint64_t seed = 0; seed < 400; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    World world;
    build(world, random);
    const auto incoming = random_incoming(random, false);
    const auto pods = world.cluster.class_of(world.cluster.set_pod(incoming));
    const PodTopologySpread plugin;
    const auto kept = plugin.prepare_score(world.cluster, pods);
    ASSERT_NE(kept.evaluator, nullptr);
    std::uint64_t sequence = world.cluster.journal().end();
    for (int round = 0; round < 12; ++round) {
      const auto fresh = plugin.prepare_score(world.cluster, pods);
      const Reference rules(world, *incoming);
      for (const auto node : test::live_nodes(world.cluster)) {
        const auto& object = world.cluster.node(node);
        ASSERT_EQ(kept.evaluator->score(node), fresh.evaluator->score(node));
        ASSERT_EQ(kept.evaluator->outside_normalization()->test(node.index),
                  !rules.has_all_keys(object));
        if (rules.has_all_keys(object)) {
          ASSERT_EQ(kept.evaluator->score(node), std::llround(rules.score(object)));
        }
      }
      step(world, random);
      test::follow(world.cluster, *kept.evaluator, sequence,
                   [&](core::NodeId node) { return kept.evaluator->score(node); });
    }
  }
}

}  // namespace
}  // namespace tutti::plugins
