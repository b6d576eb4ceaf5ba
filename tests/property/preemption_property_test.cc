// Whom the scheduler evicts on small random clusters, against every choice there is: someone is
// evicted exactly when that lets the whole gang run, no gang is left below its minimum in part
// unless it asks for that, and no other choice does less harm in the documented order. The rules of
// placing are support/reference.h's, those of harm are written out here.
//
// TUTTI_SEED=n runs that one seed.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "base/random.h"
#include "core/scheduler/scheduler.h"
#include "model/apps.h"
#include "support/build.h"
#include "support/default_profile.h"
#include "support/fake_port.h"
#include "support/reference.h"

namespace tutti {
namespace {

using test::NodePtr;
using test::PodPtr;
using test::Reference;

constexpr Instant kNow{Millis{1'000'000}};  // when the port's clock starts

struct Scene {
  std::vector<NodePtr> nodes;
  std::vector<std::shared_ptr<const model::PodGroup>> groups;
  std::shared_ptr<const model::CompositePodGroup> tree;  // above some of them; null: none
  std::vector<std::shared_ptr<const model::PodDisruptionBudget>> budgets;
  std::vector<PodPtr> running;
  std::vector<PodPtr> waiting;
  std::int32_t priority = 0;  // of those that wait
  std::string rack_key;       // that they must share; empty: none
};

// PDB violations, highest priority, cost, units, pods.
using Harm = std::tuple<std::int64_t, std::int64_t, std::int64_t, std::int64_t, std::int64_t>;

class SceneMaker {
 public:
  explicit SceneMaker(std::uint64_t seed) : random_(seed) {}

  Scene make() {
    Scene scene;
    const std::size_t nodes = 2 + pick(3);
    for (std::size_t n = 0; n < nodes; ++n) {
      auto made = test::node("n" + std::to_string(n)).cpu(std::to_string(2 + pick(4)));
      if (chance(90)) made.label("rack", "r" + std::to_string(pick(2)));
      if (chance(10)) made.taint("team", "x", "NoSchedule");
      scene.nodes.push_back(made);
    }
    add_victims(scene);
    add_budgets(scene);
    add_preemptor(scene);
    return scene;
  }

 private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_.below(below)); }
  bool chance(std::size_t percent) { return pick(100) < percent; }

  void add_victims(Scene& scene) {
    const std::size_t units = 1 + pick(6);
    for (std::size_t u = 0; u < units; ++u) {
      const auto priority = static_cast<std::int32_t>(pick(4));
      const std::string name = "v" + std::to_string(u);
      if (chance(70)) {
        run(scene, test::pod(name).priority(priority));
        continue;
      }
      add_group(scene, name, priority, "");
    }
    if (chance(25)) add_tree(scene);
  }

  void add_group(Scene& scene, const std::string& name, std::int32_t priority,
                 const std::string& parent) {
    auto group = std::make_shared<model::PodGroup>(
        *test::pod_group(name).priority(priority).parent(parent).build());
    const std::size_t pods = 1 + pick(3);
    group->spec.disruption = mode();
    if (chance(60)) group->spec.policy = {true, static_cast<std::int32_t>(1 + pick(pods))};
    scene.groups.push_back(group);
    for (std::size_t p = 0; p < pods; ++p) {
      run(scene, test::pod(name + "-" + std::to_string(p)).priority(priority).group(name));
    }
  }

  void add_tree(Scene& scene) {
    const auto priority = static_cast<std::int32_t>(pick(4));
    const std::size_t children = 1 + pick(3);
    auto tree = std::make_shared<model::CompositePodGroup>();
    tree->meta.ns = "t";
    tree->meta.name = "c";
    tree->meta.uid = "composite-c";
    tree->spec.policy = {true, static_cast<std::int32_t>(1 + pick(children))};
    tree->spec.priority = priority;
    tree->spec.disruption = mode();
    if (chance(20)) tree->spec.policy = {};
    scene.tree = tree;
    for (std::size_t c = 0; c < children; ++c) {
      add_group(scene, "c" + std::to_string(c), priority, "c");
    }
  }

  std::optional<model::DisruptionMode> mode() {
    if (chance(50)) return std::nullopt;
    return chance(60) ? model::DisruptionMode::all : model::DisruptionMode::single;
  }

  // On a random node, if there is room.
  void run(Scene& scene, test::PodBuilder made) {
    made.cpu(std::to_string(1 + pick(3)));
    if (chance(50)) made.label("app", chance(50) ? "x" : "y");
    if (chance(10)) made.anti_affinity("kubernetes.io/hostname", "app", "z");
    Reference reference(scene.nodes);
    for (const auto& pod : scene.running) reference.place(pod, node_of(scene, *pod));
    const NodePtr node = scene.nodes[pick(scene.nodes.size())];
    if (!reference.accepts(*made.build(), *node)) return;
    auto pod = std::make_shared<model::Pod>(*made.on(node->meta.name).build());
    pod->status.phase = model::PodPhase::running;
    pod->status.start_time = kNow - std::chrono::seconds(100 * pick(6));
    scene.running.push_back(pod);
  }

  void add_budgets(Scene& scene) {
    for (const char* app : {"x", "y"}) {
      if (!chance(40)) continue;
      auto budget = std::make_shared<model::PodDisruptionBudget>();
      budget->meta.ns = "t";
      budget->meta.name = app;
      budget->meta.uid = std::string("budget-") + app;
      budget->selector = model::LabelSelector{{{"app", app}}, {}};
      budget->disruptions_allowed = static_cast<std::int32_t>(pick(3));
      scene.budgets.push_back(budget);
    }
  }

  void add_preemptor(Scene& scene) {
    scene.priority = static_cast<std::int32_t>(1 + pick(4));
    const std::size_t pods = 1 + pick(3);
    const bool alike = chance(60);
    test::PodBuilder first = member(0);
    const bool lone = pods == 1 && chance(50);
    for (std::size_t p = 0; p < pods; ++p) {
      test::PodBuilder made = alike ? first : member(p);
      auto pod = std::make_shared<model::Pod>(*made.priority(scene.priority).build());
      pod->meta.name = "p" + std::to_string(p);
      pod->meta.uid = "pod-" + pod->meta.name;
      if (!lone) {
        auto spec = std::make_shared<model::PodSpec>(*pod->spec);
        spec->scheduling_group = "g";
        pod->spec = spec;
      }
      scene.waiting.push_back(pod);
    }
    if (lone) return;
    auto group =
        test::pod_group("g").gang(static_cast<std::int32_t>(pods)).priority(scene.priority);
    if (chance(40)) group.topology(scene.rack_key = "rack");
    scene.groups.push_back(group);
  }

  test::PodBuilder member(std::size_t number) {
    test::PodBuilder made = test::pod("p" + std::to_string(number));
    made.cpu(std::to_string(1 + pick(4)));
    if (chance(15)) made.label("app", "z");
    if (chance(15)) made.anti_affinity("kubernetes.io/hostname", "app", chance(50) ? "x" : "z");
    if (chance(8)) made.affinity("kubernetes.io/hostname", "app", chance(50) ? "x" : "y");
    if (chance(10)) made.node_selector("rack", "r0");
    return made;
  }

  static NodePtr node_of(const Scene& scene, const model::Pod& pod) {
    for (const auto& node : scene.nodes) {
      if (node->meta.name == pod.node_name) return node;
    }
    return nullptr;
  }

  Random random_;
};

// Every choice of units, and whether the gang fits without them.
class Oracle {
 public:
  using Names = std::set<std::string>;

  explicit Oracle(const Scene& scene) : scene_(scene) {
    std::set<Names> known;
    for (const auto& pod : scene.running) {
      if (pod->priority.value_or(0) >= scene.priority) continue;
      Names unit = with_fallen({pod->meta.name});
      if (known.insert(unit).second) units_.push_back(std::move(unit));
    }
  }

  bool fits_now() const { return fits({}); }

  // The least harm of any set of units that makes room; empty when none does.
  std::optional<Harm> least_harm() const {
    std::optional<Harm> least;
    for (std::size_t set = 0; set < (std::size_t{1} << units_.size()); ++set) {
      Names gone;
      for (std::size_t u = 0; u < units_.size(); ++u) {
        if ((set >> u & 1U) != 0) gone.insert(units_[u].begin(), units_[u].end());
      }
      if (!whole_units(gone)) continue;
      const Harm harm = harm_of(gone);
      if ((!least || harm < *least) && fits(gone)) least = harm;
    }
    return least;
  }

  bool whole_units(const Names& gone) const { return with_fallen(gone) == gone; }

  // A gang that is left below its minimum, in part, by this, and does not ask for it.
  std::string broken_gang(const Names& gone) const {
    for (const auto& group : scene_.groups) {
      const auto [before, left] = count(*group, gone);
      const bool asks = group->spec.disruption == model::DisruptionMode::single;
      if (!group->spec.policy.gang || asks || left == before || left == 0) continue;
      if (left < group->spec.policy.minimum) return group->meta.name;
    }
    return {};
  }
  bool fits(const Names& gone) const {
    Reference reference(scene_.nodes);
    for (const auto& pod : scene_.running) {
      if (!gone.contains(pod->meta.name)) reference.place(pod, node_named(pod->node_name));
    }
    std::vector<bool> placed(scene_.waiting.size(), false);
    return place_rest(reference, placed, nullptr);
  }

 private:
  // In any order: members may want each other's company.
  bool place_rest(Reference& reference, std::vector<bool>& placed, const std::string* rack) const {
    bool all = true;
    for (std::size_t i = 0; i < placed.size(); ++i) {
      if (placed[i]) continue;
      all = false;
      for (const auto& node : scene_.nodes) {
        const std::string* here =
            scene_.rack_key.empty() ? nullptr : model::find(node->meta.labels, scene_.rack_key);
        if (!scene_.rack_key.empty() && (here == nullptr || (rack != nullptr && *rack != *here))) {
          continue;
        }
        if (!reference.accepts(*scene_.waiting[i], *node)) continue;
        reference.place(scene_.waiting[i], node);
        placed[i] = true;
        if (place_rest(reference, placed, here)) return true;
        placed[i] = false;
        reference.undo();
      }
    }
    return all;
  }

  struct Count {
    std::int64_t before = 0;
    std::int64_t left = 0;
  };
  Count count(const model::PodGroup& group, const Names& gone) const {
    Count made;
    for (const auto& pod : scene_.running) {
      if (group_of(*pod) != &group) continue;
      ++made.before;
      made.left += !gone.contains(pod->meta.name);
    }
    return made;
  }
  bool in_tree(const model::PodGroup& group) const { return scene_.tree && group.parent == "c"; }
  // Children of the tree that have their minimum.
  Count count_children(const Names& gone) const {
    Count made;
    for (const auto& group : scene_.groups) {
      if (!in_tree(*group)) continue;
      const auto [before, left] = count(*group, gone);
      made.before += before >= group->spec.policy.minimum;
      made.left += left >= group->spec.policy.minimum;
    }
    return made;
  }

  void take(const model::PodGroup& group, Names& gone) const {
    for (const auto& pod : scene_.running) {
      if (group_of(*pod) == &group) gone.insert(pod->meta.name);
    }
  }

  // Everyone who goes when these do.
  Names with_fallen(Names gone) const {
    std::size_t before = 0;
    while (before != gone.size()) {
      before = gone.size();
      bool tree_lost = false;
      for (const auto& group : scene_.groups) {
        const auto [all, left] = count(*group, gone);
        if (left == all) continue;
        tree_lost = tree_lost || in_tree(*group);
        if (falls(group->spec, left)) take(*group, gone);
      }
      if (!tree_lost || !falls(scene_.tree->spec, count_children(gone).left)) continue;
      for (const auto& group : scene_.groups) {
        if (in_tree(*group)) take(*group, gone);
      }
    }
    return gone;
  }
  static bool falls(const model::GroupSpec& spec, std::int64_t left) {
    if (spec.disruption) return spec.disruption == model::DisruptionMode::all;
    return spec.policy.gang && left < spec.policy.minimum;
  }

  // Those left of gangs that ask to fall one by one and do not stand any more are lost, too.
  Names lost_with(const Names& gone) const {
    Names lost = gone;
    const auto stalls = [](const model::GroupSpec& spec, Count members) {
      return spec.policy.gang && spec.disruption == model::DisruptionMode::single &&
             members.before >= spec.policy.minimum && members.left < spec.policy.minimum;
    };
    for (const auto& group : scene_.groups) {
      if (stalls(group->spec, count(*group, gone))) take(*group, lost);
    }
    if (!scene_.tree || !stalls(scene_.tree->spec, count_children(gone))) return lost;
    for (const auto& group : scene_.groups) {
      if (in_tree(*group)) take(*group, lost);
    }
    return lost;
  }

 public:
  // Requires whole units.
  Harm harm_of(const Names& gone) const {
    std::int64_t violations = 0;
    for (const auto& budget : scene_.budgets) {
      std::int64_t used = 0;
      for (const auto& pod : scene_.running) {
        const std::string* app = model::find(pod->meta.labels, "app");
        used += gone.contains(pod->meta.name) && app != nullptr && *app == budget->meta.name;
      }
      violations += std::max<std::int64_t>(0, used - budget->disruptions_allowed);
    }
    const Names lost = lost_with(gone);
    std::int64_t priority = -1;
    std::int64_t cost = 0;
    for (const auto& pod : scene_.running) {
      if (lost.contains(pod->meta.name)) cost += cost_of(*pod);
      if (!gone.contains(pod->meta.name)) continue;
      priority = std::max<std::int64_t>(priority, pod->priority.value_or(0));
    }
    std::int64_t units = 0;
    for (const auto& unit : units_) units += gone.contains(*unit.begin());
    return {violations, priority, cost, units, std::ssize(gone)};
  }

 private:
  // 64 cores are a device; amounts in thousandths, time in milliseconds.
  static std::int64_t cost_of(const model::Pod& pod) {
    const Quantity* cpu = model::find(pod.spec->containers[0].requests, "cpu");
    return cpu->milli() / 64 * (kNow - *pod.status.start_time).count();
  }

  const model::PodGroup* group_of(const model::Pod& pod) const {
    for (const auto& group : scene_.groups) {
      if (group->meta.name == pod.spec->scheduling_group) return group.get();
    }
    return nullptr;
  }
  NodePtr node_named(const std::string& name) const {
    for (const auto& node : scene_.nodes) {
      if (node->meta.name == name) return node;
    }
    return nullptr;
  }

  const Scene& scene_;
  std::vector<Names> units_;
};

// A scheduler in front of the scene; who was evicted is in the port.
class Stage {
 public:
  explicit Stage(const Scene& scene) : scheduler_(options(), test::default_profiles(), port_) {
    port_.serve(scheduler_);
    port_.on_step = [this] {
      if (problem_.empty()) problem_ = scheduler_.check_consistency();
    };
    for (const auto& node : scene.nodes) port_.apply(node);
    for (const auto& budget : scene.budgets) port_.apply(budget);
    if (scene.tree) port_.apply(scene.tree);
    for (const auto& group : scene.groups) port_.apply(group);
    for (const auto& pod : scene.running) port_.apply(pod);
    for (const auto& pod : scene.waiting) port_.apply(pod);
    if (!port_.settle() && problem_.empty()) problem_ = "the scheduler does not come to rest";
  }
  std::set<std::string> evicted() const {
    std::set<std::string> names;
    for (const auto& pod : port_.evictions) names.insert(pod.name);
    return names;
  }
  bool all_placed(const Scene& scene) const {
    return std::ranges::all_of(
        scene.waiting, [&](const PodPtr& pod) { return !port_.node_of(pod->meta.name).empty(); });
  }
  const std::string& problem() const { return problem_; }

 private:
  static core::SchedulerOptions options() {
    core::SchedulerOptions made;
    made.config = test::default_config();
    return made;
  }

  test::FakePort port_;
  core::Scheduler scheduler_;
  std::string problem_;
};

std::string text(const Harm& harm) {
  const auto [violations, priority, cost, units, pods] = harm;
  return "violations " + std::to_string(violations) + " priority " + std::to_string(priority) +
         " cost " + std::to_string(cost) + " units " + std::to_string(units) + " pods " +
         std::to_string(pods);
}

std::string text(const std::set<std::string>& names) {
  std::string all;
  for (const auto& name : names) all += " " + name;
  return all;
}

// What is wrong with what the scheduler did; empty: nothing.
std::string judge(const Scene& scene, std::size_t& preempted) {
  const Oracle oracle(scene);
  const Stage stage(scene);
  if (!stage.problem().empty()) return stage.problem();
  const std::set<std::string> evicted = stage.evicted();
  const std::optional<Harm> least = oracle.least_harm();
  if (oracle.fits_now()) {
    return evicted.empty() ? "" : "it fits as it is, but these were evicted:" + text(evicted);
  }
  if (!least)
    return evicted.empty() ? "" : "nothing helps, but these were evicted:" + text(evicted);
  ++preempted;
  if (evicted.empty()) return "nobody was evicted, though harm suffices of " + text(*least);
  if (const auto gang = oracle.broken_gang(evicted); !gang.empty()) {
    return "gang " + gang + " is left below its minimum by evicting" + text(evicted);
  }
  if (!oracle.whole_units(evicted)) return "a unit was evicted in part:" + text(evicted);
  if (!oracle.fits(evicted)) return "evicting these makes no room:" + text(evicted);
  if (oracle.harm_of(evicted) != *least) {
    return "evicted" + text(evicted) + ": " + text(oracle.harm_of(evicted)) + "; enough is " +
           text(*least);
  }
  return stage.all_placed(scene) ? "" : "room was made, but not taken";
}

TEST(Preemption, choosesTheLeastHarmOfAllChoicesThereAre) {
  const char* one = std::getenv("TUTTI_SEED");
  const std::uint64_t first = one != nullptr ? std::strtoull(one, nullptr, 10) : 1;
  const std::uint64_t last = one != nullptr ? first : 6000;
  std::size_t preempted = 0;
  for (std::uint64_t seed = first; seed <= last; ++seed) {
    ASSERT_EQ(judge(SceneMaker(seed).make(), preempted), "") << "seed " << seed;
  }
  EXPECT_TRUE(one != nullptr || preempted > 1000);
}

}  // namespace
}  // namespace tutti
