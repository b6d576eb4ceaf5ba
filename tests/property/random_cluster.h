// Small random clusters: few nodes, few pods, and constraints dense enough that they meet.
#pragma once

#include <string>
#include <vector>

#include "base/random.h"
#include "support/build.h"
#include "support/reference.h"

namespace tutti::test {

struct Scene {
  std::vector<NodePtr> nodes;
  std::vector<std::shared_ptr<const model::PodGroup>> groups;
  std::vector<PodPtr> bound;    // have a node already
  std::vector<PodPtr> waiting;  // to be placed
};

class SceneMaker {
 public:
  explicit SceneMaker(std::uint64_t seed) : random_(seed) {}

  // Lone pods, gangs and basic groups, mixed.
  Scene mixed() {
    Scene scene = empty(2 + pick(5));
    add_bound(scene, pick(3));
    const std::size_t groups = pick(3);
    for (std::size_t g = 0; g < groups; ++g) {
      auto group = pod_group("g" + std::to_string(g));
      if (chance(70)) group.gang(static_cast<std::int32_t>(1 + pick(4)));
      scene.groups.push_back(group);
    }
    const std::size_t pods = 1 + pick(8 - scene.bound.size());
    for (std::size_t p = 0; p < pods; ++p) {
      auto made = random_pod("p" + std::to_string(p));
      if (groups > 0 && chance(70)) made.group("g" + std::to_string(pick(groups)));
      scene.waiting.push_back(made);
    }
    return scene;
  }

  // One gang of identical pods.
  Scene homogeneous() {
    Scene scene = empty(2 + pick(5));
    add_bound(scene, pick(3));
    const std::size_t pods = 2 + pick(7 - scene.bound.size());
    scene.groups.push_back(pod_group("g0").gang(static_cast<std::int32_t>(2 + pick(pods - 1))));
    const auto first = random_pod("p0").group("g0").build();
    for (std::size_t p = 0; p < pods; ++p) scene.waiting.push_back(copy(*first, p));
    return scene;
  }

  // One gang of at most three kinds of pods.
  Scene heterogeneous() {
    Scene scene = empty(2 + pick(5));
    add_bound(scene, pick(2));
    const std::size_t pods = 2 + pick(7 - scene.bound.size());
    scene.groups.push_back(pod_group("g0").gang(static_cast<std::int32_t>(2 + pick(pods - 1))));
    std::vector<PodPtr> kinds;
    for (int i = 0; i < 3; ++i) kinds.push_back(random_pod("p0").group("g0"));
    for (std::size_t p = 0; p < pods; ++p) {
      scene.waiting.push_back(copy(*kinds[pick(kinds.size())], p));
    }
    return scene;
  }

 private:
  static constexpr const char* kHost = "kubernetes.io/hostname";
  static constexpr const char* kZone = "topology.kubernetes.io/zone";

  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_.below(below)); }
  bool chance(std::size_t percent) { return pick(100) < percent; }
  std::string key() { return chance(60) ? kHost : kZone; }
  std::string value() { return chance(50) ? "x" : "y"; }

  Scene empty(std::size_t nodes) {
    Scene scene;
    for (std::size_t n = 0; n < nodes; ++n) {
      auto made = node("n" + std::to_string(n));
      made.cpu(std::to_string(1 + pick(6))).memory(std::to_string(1 + pick(6)));
      if (chance(30)) made.pods(std::to_string(1 + pick(3)));
      if (chance(85)) made.label(kZone, "z" + std::to_string(pick(3)));
      if (chance(40)) made.label("disk", chance(50) ? "ssd" : "hdd");
      if (chance(15)) made.taint("team", value(), chance(70) ? "NoSchedule" : "PreferNoSchedule");
      if (chance(7)) made.unschedulable();
      scene.nodes.push_back(made);
    }
    return scene;
  }

  void add_bound(Scene& scene, std::size_t count) {
    for (std::size_t b = 0; b < count; ++b) {
      auto made = random_pod("b" + std::to_string(b));
      scene.bound.push_back(made.on("n" + std::to_string(pick(scene.nodes.size()))));
    }
  }

  PodBuilder random_pod(const std::string& name) {
    PodBuilder made = pod(name);
    if (chance(80)) made.cpu(std::to_string(1 + pick(4)));
    if (chance(40)) made.memory(std::to_string(1 + pick(4)));
    if (chance(70)) made.label("app", value());
    if (chance(10)) made.node_selector("disk", "ssd");
    if (chance(10)) made.with([&](model::PodSpec& spec) { want_disk(spec); });
    if (chance(25)) made.toleration(tolerate());
    if (chance(15)) made.host_port(static_cast<std::int32_t>(80 + pick(2)));
    if (chance(25)) made.anti_affinity(key(), "app", value());
    if (chance(15)) made.affinity(key(), "app", value());
    if (chance(25)) made.with([&](model::PodSpec& spec) { spread(spec); });
    return made;
  }

  void want_disk(model::PodSpec& spec) {
    using Operator = model::Requirement::Operator;
    model::NodeSelectorTerm term;
    term.match_expressions.push_back(chance(50)
                                         ? model::Requirement{"disk", Operator::exists, {}}
                                         : model::Requirement{"disk", Operator::not_in, {"hdd"}});
    spec.node_affinity.required = {term};
  }
  model::Toleration tolerate() {
    model::Toleration made;
    made.key = "team";
    made.op = chance(50) ? model::Toleration::Operator::exists : model::Toleration::Operator::equal;
    if (made.op == model::Toleration::Operator::equal) made.value = value();
    return made;
  }
  void spread(model::PodSpec& spec) {
    model::TopologySpreadConstraint made;
    made.topology_key = key();
    made.max_skew = static_cast<std::int32_t>(1 + pick(2));
    made.selector = model::LabelSelector{{{"app", value()}}, {}};
    if (chance(20)) made.min_domains = static_cast<std::int32_t>(1 + pick(3));
    if (chance(20)) made.honor_node_taints = true;
    if (chance(20)) made.honor_node_affinity = false;
    spec.spread.push_back(made);
  }
  static PodPtr copy(const model::Pod& pod, std::size_t number) {
    auto made = std::make_shared<model::Pod>(pod);
    made->meta.name = "p" + std::to_string(number);
    made->meta.uid = "pod-" + made->meta.name;
    return made;
  }

  Random random_;
};

// Enough to see what a failing scene is about.
inline std::string describe(const Scene& scene) {
  std::string out;
  for (const auto& node : scene.nodes) {
    out += "\n  node " + node->meta.name + (node->unschedulable ? " unschedulable" : "");
    for (const auto& [name, amount] : node->allocatable) out += " " + name + "=" + amount.text();
    for (const auto& [name, text] : node->meta.labels) out += " " + name + ":" + text;
    for (const auto& taint : node->taints) out += " taint " + taint.value + ":" + taint.effect;
  }
  for (const auto& group : scene.groups) {
    out += "\n  group " + group->meta.name + (group->spec.policy.gang ? " gang " : " basic ") +
           std::to_string(group->spec.policy.minimum);
  }
  const auto add = [&](const model::Pod& pod) {
    out += "\n  pod " + pod.meta.name + " " + pod.spec->scheduling_group + " " + pod.node_name;
    for (const auto& [name, text] : pod.meta.labels) out += " " + name + ":" + text;
    for (const auto& [name, amount] : pod.spec->containers[0].requests) {
      out += " " + name + "=" + amount.text();
    }
    for (const auto& [name, text] : pod.spec->node_selector) out += " wants " + name + ":" + text;
    if (pod.spec->node_affinity.required) out += " wants disk";
    for (const auto& each : pod.spec->tolerations) out += " tolerates " + each.value;
    for (const auto& port : pod.spec->containers[0].ports) {
      out += " port " + std::to_string(port.host_port);
    }
    const auto term = [&](const char* word, const model::PodAffinityTerm& each) {
      out += std::string(" ") + word + " " + each.selector->match_labels[0].second + "@" +
             each.topology_key;
    };
    for (const auto& each : pod.spec->affinity.required) term("near", each);
    for (const auto& each : pod.spec->anti_affinity.required) term("away-from", each);
    for (const auto& each : pod.spec->spread) {
      out += " spread " + each.selector->match_labels[0].second + "@" + each.topology_key +
             " skew " + std::to_string(each.max_skew);
      if (each.min_domains) out += " min-domains " + std::to_string(*each.min_domains);
      if (each.honor_node_taints) out += " honors-taints";
      if (!each.honor_node_affinity) out += " ignores-affinity";
    }
  };
  for (const auto& pod : scene.bound) add(*pod);
  for (const auto& pod : scene.waiting) add(*pod);
  return out;
}

}  // namespace tutti::test
