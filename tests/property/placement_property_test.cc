// What the scheduler decides on small random clusters, against the rules written out by hand
// (support/reference.h): nothing it places is unacceptable, no gang is placed in part, a placement
// that exists is found, its figures stay right, and the order of observation does not show.
//
// TUTTI_SEED=n runs that one seed.
#include <gtest/gtest.h>

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/scheduler/scheduler.h"
#include "property/random_cluster.h"
#include "property/seeds.h"
#include "support/default_profile.h"
#include "support/fake_port.h"

namespace tutti {
namespace {

using test::NodePtr;
using test::PodPtr;
using test::Reference;
using test::Scene;

core::SchedulerOptions options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

// A scheduler with a scene, and every decision judged when it is made.
class Stage : public core::DecisionListener {
 public:
  Stage() : scheduler_(options(), test::default_profiles(), port_, this) {
    port_.serve(scheduler_);
    port_.on_step = [this] {
      if (problem_.empty()) problem_ = scheduler_.check_consistency();
    };
  }

  void show(const Scene& scene) {
    for (const auto& node : scene.nodes) port_.apply(node);
    for (const auto& group : scene.groups) port_.apply(group);
    for (const auto& pod : scene.bound) port_.apply(pod);
    for (const auto& pod : scene.waiting) port_.apply(pod);
  }
  void show_in_another_order(const Scene& scene, std::uint64_t seed) {
    std::vector<std::function<void()>> steps;
    for (const auto& node : scene.nodes) steps.emplace_back([&] { port_.apply(node); });
    for (const auto& group : scene.groups) steps.emplace_back([&] { port_.apply(group); });
    for (const auto& pod : scene.bound) steps.emplace_back([&] { port_.apply(pod); });
    for (const auto& pod : scene.waiting) steps.emplace_back([&] { port_.apply(pod); });
    Random random(seed);
    for (std::size_t i = steps.size(); i > 1; --i) std::swap(steps[i - 1], steps[random.below(i)]);
    for (const auto& step : steps) step();
  }

  void remove(const model::ObjectKey& pod) {
    decided_.erase(pod.ns + "/" + pod.name);
    port_.remove(pod.kind, pod.ns, pod.name);
  }

  void settle() {
    if (!port_.settle() && problem_.empty()) problem_ = "the scheduler does not come to rest";
  }

  void decided(const core::Decision& decision) override {
    if (decision.kind != core::Decision::Kind::placed || !problem_.empty()) return;
    Reference reference = world();
    std::vector<Reference::Placed> chosen;
    for (const auto& [pod, node] : decision.bindings) {
      chosen.push_back({pod_named(pod), node_named(node)});
      decided_[pod] = node;
    }
    if (!acceptable_in_some_order(reference, chosen)) {
      problem_ = decision.entity + " was placed against the rules:";
      for (const auto& [pod, node] : decision.bindings) problem_ += " " + pod + "->" + node;
    }
  }

  // Nodes and placed pods as they are, those decided and not yet bound included.
  Reference world() const {
    std::vector<NodePtr> nodes;
    for (const auto& [key, object] : port_.objects()) {
      if (key.kind == model::Kind::node) nodes.push_back(node_named(key.name));
    }
    Reference reference(nodes);
    for (const auto& [key, object] : port_.objects()) {
      if (key.kind != model::Kind::pod) continue;
      const auto pod = std::static_pointer_cast<const model::Pod>(object);
      const auto chosen = decided_.find(key.ns + "/" + key.name);
      const std::string node = !pod->node_name.empty()    ? pod->node_name
                               : chosen == decided_.end() ? std::string()
                                                          : chosen->second;
      if (!node.empty()) reference.place(pod, node_named(node));
    }
    return reference;
  }

  // What the scheduler says of a pod that waits.
  std::string word_on(const PodPtr& pod) const {
    const auto id = scheduler_.cluster().pods().find(pod->meta.uid);
    const core::Attempt* attempt = id ? scheduler_.last_attempt(*id) : nullptr;
    return attempt != nullptr ? "the scheduler says: " + attempt->message : "never tried";
  }
  std::size_t bound_members(const std::string& group) const {
    std::size_t bound = 0;
    for (const auto& [key, object] : port_.objects()) {
      if (key.kind != model::Kind::pod) continue;
      const auto& pod = model::as<model::Pod>(*object);
      bound += pod.spec->scheduling_group == group && !pod.node_name.empty();
    }
    return bound;
  }
  std::string placement() const {
    std::string text;
    for (const auto& [key, object] : port_.objects()) {
      if (key.kind == model::Kind::pod) {
        text += key.name + "->" + model::as<model::Pod>(*object).node_name + " ";
      }
    }
    return text;
  }

  test::FakePort& port() { return port_; }
  core::Scheduler& scheduler() { return scheduler_; }
  const std::string& problem() const { return problem_; }

 private:
  NodePtr node_named(const std::string& name) const {
    return std::static_pointer_cast<const model::Node>(
        port_.objects().at({model::Kind::node, {}, name, {}}));
  }
  PodPtr pod_named(const std::string& name) const {
    const auto slash = name.find('/');
    return std::static_pointer_cast<const model::Pod>(
        port_.objects().at({model::Kind::pod, name.substr(0, slash), name.substr(slash + 1), {}}));
  }

  test::FakePort port_;
  core::Scheduler scheduler_;
  std::map<std::string, std::string> decided_;
  std::string problem_;
};

template <typename Check>
void for_seeds(std::uint64_t count, const Check& check) {
  test::for_seeds("tutti_property_test", count, check);
}

std::string half_gangs(const Scene& scene, const Stage& stage) {
  for (const auto& group : scene.groups) {
    const std::size_t bound = stage.bound_members(group->meta.name);
    const auto& policy = group->spec.policy;
    if (policy.gang && bound > 0 && bound < static_cast<std::size_t>(policy.minimum)) {
      return group->meta.name + " is placed in part: " + std::to_string(bound);
    }
  }
  return {};
}

TEST(Placement, obeysTheRulesAndIsAllOrNothing) {
  for_seeds(1500, [](std::uint64_t seed) -> std::string {
    const Scene scene = test::SceneMaker(seed).mixed();
    Stage stage;
    stage.show(scene);
    stage.settle();
    std::string problem = stage.problem();
    if (problem.empty()) problem = half_gangs(scene, stage);
    return problem.empty() ? problem : problem + describe(scene);
  });
}

TEST(Placement, leavesNoLonePodWaitingThatFits) {
  for_seeds(800, [](std::uint64_t seed) -> std::string {
    const Scene scene = test::SceneMaker(seed).mixed();
    Stage stage;
    stage.show(scene);
    stage.settle();
    if (!stage.problem().empty()) return stage.problem() + describe(scene);
    Reference reference = stage.world();
    for (const auto& pod : scene.waiting) {
      if (!pod->spec->scheduling_group.empty() || !stage.port().node_of(pod->meta.name).empty()) {
        continue;
      }
      for (const auto& node : reference.nodes()) {
        if (!reference.accepts(*pod, *node)) continue;
        return pod->meta.name + " waits, but " + node->meta.name + " would take it; " +
               stage.word_on(pod) + "; " + stage.placement() + describe(scene);
      }
    }
    return {};
  });
}

// The scheduler places the one gang of the scene exactly when trying everything does.
std::string completeness(const Scene& scene) {
  Stage stage;
  stage.show(scene);
  const auto need = static_cast<std::size_t>(scene.groups[0]->spec.policy.minimum);
  Reference reference = stage.world();
  const bool possible = placeable(reference, scene.waiting, need);
  stage.settle();
  if (!stage.problem().empty()) return stage.problem() + describe(scene);
  const std::size_t bound = stage.bound_members("g0");
  if (possible == (bound >= need)) return {};
  return (possible ? "a placement exists and was not found; " + stage.word_on(scene.waiting[0])
                   : "placed what cannot be placed: " + stage.placement()) +
         describe(scene);
}

TEST(Placement, isFoundForGangsOfIdenticalPodsWheneverOneExists) {
  for_seeds(2500,
            [](std::uint64_t seed) { return completeness(test::SceneMaker(seed).homogeneous()); });
}

TEST(Placement, isFoundForGangsOfDifferentPodsWheneverOneExists) {
  for_seeds(1500, [](std::uint64_t seed) {
    return completeness(test::SceneMaker(seed).heterogeneous());
  });
}

TEST(Placement, isTheSameForTheSameInputAndForAnyOrderOfObservation) {
  for_seeds(500, [](std::uint64_t seed) -> std::string {
    const Scene scene = test::SceneMaker(seed).mixed();
    Stage first;
    first.show(scene);
    first.settle();
    Stage second;
    second.show(scene);
    second.settle();
    if (first.scheduler().digest() != second.scheduler().digest()) {
      return "two equal runs have different digests" + describe(scene);
    }
    Stage third;
    third.show_in_another_order(scene, seed);
    third.settle();
    if (first.placement() == third.placement()) return {};
    return "the order of observation shows: " + first.placement() + "or " + third.placement() +
           describe(scene);
  });
}

// Pods and nodes come, change and go while the scheduler works.
TEST(Placement, obeysTheRulesWhileTheClusterChanges) {
  for_seeds(500, [](std::uint64_t seed) -> std::string {
    const Scene scene = test::SceneMaker(seed).mixed();
    const Scene later = test::SceneMaker(seed + 1'000'000).mixed();
    Random random(seed);
    Stage stage;
    stage.show(scene);
    stage.settle();
    for (int step = 0; step < 12 && stage.problem().empty(); ++step) {
      stage.port().advance(std::chrono::seconds(random.below(15)));
      std::vector<model::ObjectKey> pods;
      for (const auto& [key, object] : stage.port().objects()) {
        if (key.kind == model::Kind::pod) pods.push_back(key);
      }
      switch (random.below(4)) {
        case 0:
          stage.port().apply(later.nodes[random.below(later.nodes.size())]);
          break;
        case 1: {
          const auto& extra = later.waiting[random.below(later.waiting.size())];
          if (!stage.port().find<model::Pod>("t", extra->meta.name)) stage.port().apply(extra);
          break;
        }
        default:
          if (pods.empty()) break;
          stage.remove(pods[random.below(pods.size())]);
      }
      stage.settle();
    }
    return stage.problem().empty() ? "" : stage.problem() + describe(scene) + describe(later);
  });
}

}  // namespace
}  // namespace tutti
