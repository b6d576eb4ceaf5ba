// Members that require each other nearby, on small random clusters, against trying everything
// (support/reference.h): one gang, or two of a composite. A placement is found exactly when one
// exists in which everyone is accepted, in some order or as if the last to come; otherwise the
// search says that there is none.
#include <gtest/gtest.h>

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

using test::Placeable;
using test::PodPtr;
using test::Reference;
using test::Scene;

constexpr const char* kHost = "kubernetes.io/hostname";
constexpr const char* kZone = "topology.kubernetes.io/zone";

// Few roles, so that members mean each other, in circles too.
class CompanyMaker {
 public:
  explicit CompanyMaker(std::uint64_t seed) : random_(seed) {}

  Scene make(std::size_t groups) {
    Scene scene;
    for (std::size_t n = 0, nodes = 2 + pick(3); n < nodes; ++n) {
      auto made = test::node("n" + std::to_string(n)).cpu(std::to_string(2 + pick(6)));
      if (chance(90)) made.label(kZone, "z" + std::to_string(pick(2)));
      scene.nodes.push_back(made);
    }
    for (std::size_t b = 0, bound = pick(3); b < bound; ++b) {
      auto made = random_pod("b" + std::to_string(b), 30);
      scene.bound.push_back(made.on("n" + std::to_string(pick(scene.nodes.size()))));
    }
    const std::size_t pods = 2 * groups + pick(4 - groups);
    std::vector<std::size_t> sizes(groups, 0);
    for (std::size_t p = 0; p < pods; ++p) {
      const std::size_t group = p < groups ? p : pick(groups);
      ++sizes[group];
      scene.waiting.push_back(
          random_pod("p" + std::to_string(p), 75).group("g" + std::to_string(group)));
    }
    for (std::size_t g = 0; g < groups; ++g) {
      auto group = test::pod_group("g" + std::to_string(g));
      group.gang(static_cast<std::int32_t>(1 + pick(sizes[g])));
      if (groups > 1) group.parent("root");
      scene.groups.push_back(group.build());
    }
    return scene;
  }

 private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_.below(below)); }
  bool chance(std::size_t percent) { return pick(100) < percent; }
  std::string role() { return std::string(1, static_cast<char>('a' + pick(3))); }
  const char* key() { return chance(60) ? kHost : kZone; }

  test::PodBuilder random_pod(const std::string& name, std::size_t near_percent) {
    auto made = test::pod(name).cpu(std::to_string(1 + pick(3)));
    if (chance(95)) made.label("role", role());
    if (chance(near_percent)) made.affinity(key(), "role", role());
    if (chance(8)) made.affinity(kZone, "role", role());
    if (chance(15)) made.anti_affinity(key(), "role", role());
    if (chance(20)) made.with([&](model::PodSpec& spec) { spread(spec); });
    return made;
  }
  void spread(model::PodSpec& spec) {
    model::TopologySpreadConstraint made;
    made.topology_key = key();
    made.max_skew = static_cast<std::int32_t>(1 + pick(2));
    made.selector = model::LabelSelector{{{"role", role()}}, {}};
    if (chance(15)) made.min_domains = static_cast<std::int32_t>(1 + pick(3));
    spec.spread.push_back(made);
  }

  Random random_;
};

core::SchedulerOptions options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

// A scheduler that has come to rest before a scene.
class Rest {
 public:
  explicit Rest(const Scene& scene)
      : scene_(scene), scheduler_(options(), test::default_profiles(), port_) {
    port_.serve(scheduler_);
    for (const auto& node : scene.nodes) port_.apply(node);
    if (scene.groups.size() > 1) {
      auto root = std::make_shared<model::CompositePodGroup>();
      root->meta.name = root->meta.uid = "root";
      root->meta.ns = "t";
      root->spec.policy = {true, static_cast<std::int32_t>(scene.groups.size())};
      port_.apply(std::shared_ptr<const model::CompositePodGroup>(root));
    }
    for (const auto& group : scene.groups) port_.apply(group);
    for (const auto& pod : scene.bound) port_.apply(pod);
    for (const auto& pod : scene.waiting) port_.apply(pod);
    if (!port_.settle()) problem_ = "the scheduler does not come to rest";
    if (problem_.empty()) problem_ = scheduler_.check_consistency();
  }

  const std::string& problem() const { return problem_; }
  std::vector<Reference::Placed> placed() const {
    std::vector<Reference::Placed> chosen;
    for (const auto& pod : scene_.waiting) {
      for (const auto& node : scene_.nodes) {
        if (port_.node_of(pod->meta.name) == node->meta.name) chosen.push_back({pod, node});
      }
    }
    return chosen;
  }
  std::vector<PodPtr> waiting() const {
    std::vector<PodPtr> pods;
    for (const auto& pod : scene_.waiting) {
      if (port_.node_of(pod->meta.name).empty()) pods.push_back(pod);
    }
    return pods;
  }
  const core::Attempt* attempt_of(const PodPtr& pod) const {
    const auto id = scheduler_.cluster().pods().find(pod->meta.uid);
    return id ? scheduler_.last_attempt(*id) : nullptr;
  }
  std::string report() const {
    std::string text;
    for (const auto& [pod, node] : placed()) text += pod->meta.name + "->" + node->meta.name + " ";
    for (const auto& pod : waiting()) {
      const core::Attempt* attempt = attempt_of(pod);
      text += "; " + pod->meta.name + ": " + (attempt != nullptr ? attempt->message : "not tried");
    }
    return text + describe(scene_);
  }

 private:
  const Scene& scene_;
  test::FakePort port_;
  core::Scheduler scheduler_;
  std::string problem_;
};

Reference world(const Scene& scene, const std::vector<Reference::Placed>& placed) {
  Reference reference(scene.nodes);
  for (const auto& pod : scene.bound) {
    for (const auto& node : scene.nodes) {
      if (node->meta.name == pod->node_name) reference.place(pod, node);
    }
  }
  for (const auto& [pod, node] : placed) reference.place(pod, node);
  return reference;
}

bool some_may_be_early(const std::vector<PodPtr>& pods) {
  for (const auto& pod : pods) {
    for (const auto& other : pods) {
      if (Reference::wants_near(*pod, *other)) return true;
    }
  }
  return false;
}

// The number in the name of its group.
std::size_t lot_of_pod(const model::Pod& pod) {
  return static_cast<std::size_t>(pod.spec->scheduling_group.back() - '0');
}

std::string decided_right(const Scene& scene) {
  std::vector<std::size_t> lot_of;
  std::vector<std::size_t> need;
  for (const auto& group : scene.groups) {
    need.push_back(static_cast<std::size_t>(group->spec.policy.minimum));
  }
  for (const auto& pod : scene.waiting) {
    lot_of.push_back(lot_of_pod(*pod));
  }
  Reference before = world(scene, {});
  const bool possible = Placeable(before, scene.waiting).run(lot_of, need);
  const Rest rest(scene);
  if (!rest.problem().empty()) return rest.problem() + describe(scene);
  const auto placed = rest.placed();
  if (!possible && !placed.empty()) return "placed what cannot be placed: " + rest.report();
  if (!possible) {
    const core::Attempt* attempt = rest.attempt_of(scene.waiting.front());
    const bool said = attempt != nullptr && attempt->search == core::Search::impossible;
    const bool searched = some_may_be_early(scene.waiting) && scene.groups.size() == 1;
    return said || !searched ? ""
                             : "the search does not say that it is impossible: " + rest.report();
  }
  std::vector<std::size_t> have(need.size(), 0);
  for (const auto& each : placed) ++have[lot_of_pod(*each.pod)];
  for (std::size_t lot = 0; lot < need.size(); ++lot) {
    if (have[lot] < need[lot]) return "a placement exists and was not found: " + rest.report();
  }
  Reference unplaced = world(scene, {});
  if (!acceptable_in_some_order(unplaced, placed)) return "against the rules: " + rest.report();
  if (scene.groups.size() > 1) return {};
  const auto left = rest.waiting();
  Reference after = world(scene, placed);
  if (Placeable(after, left).run(std::vector<std::size_t>(left.size(), 0), {1})) {
    return "more of the gang fits: " + rest.report();
  }
  return {};
}

TEST(Company, isFoundForAGangExactlyWhenItExists) {
  test::for_seeds("tutti_property_test", 3000,
                  [](std::uint64_t seed) { return decided_right(CompanyMaker(seed).make(1)); });
}

TEST(Company, isFoundAcrossTheGroupsOfACompositeExactlyWhenItExists) {
  test::for_seeds("tutti_property_test", 1500,
                  [](std::uint64_t seed) { return decided_right(CompanyMaker(seed).make(2)); });
}

}  // namespace
}  // namespace tutti
