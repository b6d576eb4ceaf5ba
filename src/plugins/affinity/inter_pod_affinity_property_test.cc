// Random small clusters: evaluators that followed a random history answer like fresh ones, and like
// a reference written from the API's rules that looks at every pod.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/random.h"
#include "plugins/affinity/inter_pod_affinity.h"
#include "support/ask.h"
#include "support/build.h"

namespace tutti::plugins {
namespace {

using model::PodAffinityTerm;

struct World {
  core::Cluster cluster;
  std::vector<core::PodId> pods;
};

std::string pick(Random& random, const std::vector<std::string>& from) {
  return from[random.below(from.size())];
}

PodAffinityTerm random_term(Random& random) {
  PodAffinityTerm made;
  made.topology_key = pick(random, {"zone", "rack", "kubernetes.io/hostname"});
  if (random.below(8) != 0) made.selector.emplace();
  if (made.selector && random.below(6) != 0) {
    made.selector->match_labels = {{"app", pick(random, {"web", "db"})}};
  }
  if (random.below(4) == 0) made.namespaces = {"other"};
  if (random.below(4) == 0) made.namespace_selector.emplace();
  if (made.namespace_selector && random.below(2) == 0) {
    made.namespace_selector->match_labels = {{"kubernetes.io/metadata.name", "other"}};
  }
  return made;
}

void add_terms(test::PodBuilder& pod, Random& random) {
  pod.with([&](model::PodSpec& spec) {
    for (auto* affinity : {&spec.affinity, &spec.anti_affinity}) {
      for (auto i = random.below(3); i > 1; --i) affinity->required.push_back(random_term(random));
      for (auto i = random.below(3); i > 1; --i) {
        affinity->preferred.push_back(
            {static_cast<std::int32_t>(1 + random.below(9)), random_term(random)});
      }
    }
    if (random.below(6) == 0) spec.affinity.required.push_back(random_term(random));
  });
}

std::shared_ptr<const model::Pod> random_pod(Random& random, std::string name) {
  auto made = test::pod(std::move(name));
  if (random.below(4) == 0) made.in_namespace("other");
  made.label("app", pick(random, {"web", "db", "cache"}));
  if (random.below(2) == 0) add_terms(made, random);
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

void build(World& world, Random& random) {
  for (std::size_t i = 0; i <= random.below(6); ++i) {
    auto made = test::node("n" + std::to_string(i));
    for (const auto* key : {"zone", "rack"}) {
      if (random.below(4) != 0) made.label(key, pick(random, {"a", "b", "c"}));
    }
    world.cluster.set_node(made);
  }
  for (std::size_t i = 0; i <= random.below(10); ++i) {
    world.pods.push_back(world.cluster.set_pod(random_pod(random, "p" + std::to_string(i))));
  }
  for (auto i = random.below(10); i > 0; --i) step(world, random);
}

// --- the reference -------------------------------------------------------------------------------

class Reference {
 public:
  Reference(const World& world, const model::Pod& pod) : world_(world), pod_(pod) {}

  bool accepts(core::NodeId node) const {
    return affinity_holds(node) && !any_placed([&](const core::PodEntry& other) {
             return hates(pod_, *other.object, other.node, node) ||
                    hates(*other.object, pod_, other.node, node);
           });
  }

  std::int64_t score(core::NodeId node) const {
    std::int64_t total = 0;
    any_placed([&](const core::PodEntry& other) {
      const auto likes = [&](const model::Pod& owner, const model::Pod& about) {
        for (const auto& [weight, term] : owner.spec->affinity.preferred) {
          if (is_about(term, owner, about) && together(term, other.node, node)) total += weight;
        }
        for (const auto& [weight, term] : owner.spec->anti_affinity.preferred) {
          if (is_about(term, owner, about) && together(term, other.node, node)) total -= weight;
        }
      };
      likes(pod_, *other.object);
      likes(*other.object, pod_);
      for (const auto& term : other.object->spec->affinity.required) {
        if (is_about(term, *other.object, pod_) && together(term, other.node, node)) total += 1;
      }
      return false;
    });
    return total;
  }

 private:
  const std::string* label(core::NodeId node, const std::string& key) const {
    return model::find(world_.cluster.node(node).meta.labels, key);
  }
  bool together(const PodAffinityTerm& term, core::NodeId a, core::NodeId b) const {
    const auto* left = label(a, term.topology_key);
    const auto* right = label(b, term.topology_key);
    return left != nullptr && right != nullptr && *left == *right;
  }
  static bool is_about(const PodAffinityTerm& term, const model::Pod& owner,
                       const model::Pod& about) {
    bool in_scope = std::ranges::count(term.namespaces, about.meta.ns) > 0;
    if (term.namespaces.empty() && !term.namespace_selector)
      in_scope = about.meta.ns == owner.meta.ns;
    if (term.namespace_selector) {
      const bool every = term.namespace_selector->match_labels.empty();
      in_scope = in_scope || every || about.meta.ns == "other";
    }
    return in_scope && term.selector &&
           (term.selector->match_labels.empty() ||
            term.selector->match_labels[0].second == *model::find(about.meta.labels, "app"));
  }
  bool hates(const model::Pod& owner, const model::Pod& about, core::NodeId where,
             core::NodeId node) const {
    return std::ranges::any_of(owner.spec->anti_affinity.required, [&](const auto& term) {
      return is_about(term, owner, about) && together(term, where, node);
    });
  }
  bool matches_all(const model::Pod& other) const {
    return std::ranges::all_of(pod_.spec->affinity.required,
                               [&](const auto& term) { return is_about(term, pod_, other); });
  }
  template <typename Fn>
  bool any_placed(const Fn& fn) const {
    bool any = false;
    for (const auto id : world_.pods) {
      const auto& entry = world_.cluster.pod(id);
      if (entry.node.valid() && fn(entry)) any = true;
    }
    return any;
  }
  bool affinity_holds(core::NodeId node) const {
    const auto& terms = pod_.spec->affinity.required;
    const bool keys = std::ranges::all_of(
        terms, [&](const auto& term) { return label(node, term.topology_key) != nullptr; });
    if (!keys) return false;
    const bool all = std::ranges::all_of(terms, [&](const auto& term) {
      return any_placed([&](const core::PodEntry& other) {
        return matches_all(*other.object) && together(term, other.node, node);
      });
    });
    if (all) return true;
    const bool exists = any_placed([&](const core::PodEntry& other) {
      return matches_all(*other.object) && std::ranges::any_of(terms, [&](const auto& term) {
               return label(other.node, term.topology_key) != nullptr;
             });
    });
    return !exists && matches_all(pod_);
  }

  const World& world_;
  const model::Pod& pod_;
};

TEST(InterPodProperty, aFilterThatFollowedHistoryAgreesWithAFreshOneAndTheRules) {
  int asked = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    World world;
    build(world, random);
    const auto incoming = random_pod(random, "incoming");
    const auto pods = world.cluster.class_of(world.cluster.set_pod(incoming));
    const InterPodAffinity plugin;
    auto kept = plugin.prepare_filter(world.cluster, pods);
    std::uint64_t sequence = world.cluster.journal().end();
    std::uint64_t version = world.cluster.versions().structure;
    for (int round = 0; round < 12; ++round) {
      const auto fresh = plugin.prepare_filter(world.cluster, pods);
      const Reference rules(world, *incoming);
      for (const auto node : test::live_nodes(world.cluster)) {
        const bool expected = rules.accepts(node);
        ASSERT_EQ(!kept.evaluator || kept.evaluator->accepts(node), expected);
        ASSERT_EQ(!fresh.evaluator || fresh.evaluator->accepts(node), expected);
        asked += expected ? 0 : 1;
      }
      step(world, random);
      if (world.cluster.versions().structure != version) {
        version = world.cluster.versions().structure;
        sequence = world.cluster.journal().end();
        kept = plugin.prepare_filter(world.cluster, pods);
      } else if (kept.evaluator) {
        test::follow(world.cluster, *kept.evaluator, sequence,
                     [&](core::NodeId node) { return kept.evaluator->accepts(node); });
      }
    }
  }
  EXPECT_GT(asked, 1000);  // rejections were seen in numbers
}

TEST(InterPodProperty, aScoreThatFollowedHistoryAgreesWithAFreshOneAndTheRules) {
  int asked = 0;
  for (std::uint64_t seed = 0; seed < 500; ++seed) {
    SCOPED_TRACE(seed);
    Random random(seed);
    World world;
    build(world, random);
    const auto incoming = random_pod(random, "incoming");
    const auto pods = world.cluster.class_of(world.cluster.set_pod(incoming));
    const InterPodAffinity plugin;
    auto kept = plugin.prepare_score(world.cluster, pods);
    std::uint64_t sequence = world.cluster.journal().end();
    std::uint64_t version = world.cluster.versions().structure;
    for (int round = 0; round < 12; ++round) {
      const auto fresh = plugin.prepare_score(world.cluster, pods);
      const Reference rules(world, *incoming);
      for (const auto node : test::live_nodes(world.cluster)) {
        const auto expected = rules.score(node);
        ASSERT_EQ(kept.evaluator ? kept.evaluator->score(node) : 0, expected);
        ASSERT_EQ(fresh.evaluator ? fresh.evaluator->score(node) : 0, expected);
        asked += expected != 0 ? 1 : 0;
      }
      step(world, random);
      if (world.cluster.versions().structure != version) {
        version = world.cluster.versions().structure;
        sequence = world.cluster.journal().end();
        kept = plugin.prepare_score(world.cluster, pods);
      } else if (kept.evaluator) {
        test::follow(world.cluster, *kept.evaluator, sequence,
                     [&](core::NodeId node) { return kept.evaluator->score(node); });
      }
    }
  }
  EXPECT_GT(asked, 1000);
}

}  // namespace
}  // namespace tutti::plugins
