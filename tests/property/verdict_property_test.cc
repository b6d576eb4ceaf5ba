// Verdicts with a memory, on random small clusters to which random things happen: at every moment
// they are, field by field, those that are worked out from nothing.
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "core/scheduler/scheduler.h"
#include "explain/explain.h"
#include "explain/findings/verdict_cache.h"
#include "property/random_cluster.h"
#include "property/seeds.h"
#include "support/default_profile.h"
#include "support/fake_port.h"

namespace tutti {
namespace {

using test::Scene;
using test::SceneMaker;

core::SchedulerOptions options() {
  core::SchedulerOptions made;
  made.config = test::default_config();
  return made;
}

// Every field of a verdict, one after another.
class Fields : public explain::FieldSink {
 public:
  void open_object() override { text_ += '{'; }
  void close_object() override { text_ += '}'; }
  void open_list() override { text_ += '['; }
  void close_list() override { text_ += ']'; }
  void field(std::string_view name) override { text_.append("\n").append(name).append(": "); }
  void text(std::string_view value) override { text_.append(value).append(" "); }
  void number(std::int64_t value) override { text_.append(std::to_string(value)).append(" "); }
  void flag(bool value) override { text_ += value ? "yes " : "no "; }
  const std::string& all() const { return text_; }

 private:
  std::string text_;
};

std::string fields(const explain::Verdict& verdict) {
  Fields sink;
  explain::walk(verdict, sink);
  return sink.all();
}

class Stage {
 public:
  Stage() : scheduler_(options(), test::default_profiles(), port_), memory_(scheduler_.cluster()) {
    port_.serve(scheduler_);
    port_.on_step = [this] { compare(); };
  }

  test::FakePort& port() { return port_; }
  const std::string& problem() const { return problem_; }
  std::size_t refused() const { return refused_; }

  // The verdicts of everyone, twice, so that they meet what was just kept.
  void compare() {
    const core::Cluster& cluster = scheduler_.cluster();
    for (int round = 0; round < 2; ++round) {
      for (std::uint32_t slot = 0; slot < cluster.pods().slots(); ++slot) {
        if (cluster.pod({slot}).object == nullptr) continue;
        check(
            [&](const auto& sources) { return explain::explain_pod(sources, core::PodId{slot}); });
      }
      for (const auto& [key, object] : port_.objects()) {
        if (key.kind != model::Kind::pod_group) continue;
        const auto group = scheduler_.groups().find(key.ns, key.name, false);
        if (!group) continue;
        check([&](const auto& sources) { return explain::explain_group(sources, *group); });
      }
    }
  }

 private:
  template <typename Explain>
  void check(const Explain& verdict_from) {
    const explain::Sources from_nothing = explain::sources_of(scheduler_);
    explain::Sources remembering = from_nothing;
    remembering.memory = &memory_;
    const explain::Verdict made = verdict_from(from_nothing);
    refused_ += made.blocker == explain::Blocker::none ? 0 : 1;
    const std::string expected = fields(made);
    const std::string found = fields(verdict_from(remembering));
    if (found == expected || !problem_.empty()) return;
    problem_ = "\nwith a memory:" + found + "\nwithout:" + expected;
  }

  test::FakePort port_;
  core::Scheduler scheduler_;
  explain::VerdictCache memory_;
  std::string problem_;
  std::size_t refused_ = 0;
};

// Things that happen to a cluster while work waits.
class Fate {
 public:
  Fate(std::uint64_t seed, const Scene& scene, Stage& stage)
      : random_(seed * 7919), scene_(scene), stage_(stage) {}

  void strike() {
    switch (random_.below(5)) {
      case 0:
        return change_node([&](model::Node& node) { node.unschedulable = !node.unschedulable; });
      case 1:
        return change_node([&](model::Node& node) {
          node.meta.labels.edit().emplace_back("disk", "ssd");
          std::ranges::sort(node.meta.labels.edit());
        });
      case 2:
        return lose_a_pod();
      case 3:
        return bring_a_pod();
      default:
        stage_.port().advance(std::chrono::seconds(1 + random_.below(20)));
        return stage_.port().run_instant();
    }
  }

 private:
  std::size_t pick(std::size_t below) { return static_cast<std::size_t>(random_.below(below)); }

  template <typename Edit>
  void change_node(const Edit& edit) {
    const std::string& name = scene_.nodes[pick(scene_.nodes.size())]->meta.name;
    const model::Node* node = stage_.port().find<model::Node>("", name);
    if (node == nullptr) return;
    auto copy = std::make_shared<model::Node>(*node);
    edit(*copy);
    stage_.port().apply(std::shared_ptr<const model::Node>(copy));
  }
  void lose_a_pod() {
    std::vector<model::ObjectKey> pods;
    for (const auto& [key, object] : stage_.port().objects()) {
      if (key.kind == model::Kind::pod) pods.push_back(key);
    }
    if (pods.empty()) return;
    const model::ObjectKey& lost = pods[pick(pods.size())];
    stage_.port().remove(lost.kind, lost.ns, lost.name);
  }
  void bring_a_pod() {
    const auto& like = scene_.waiting[pick(scene_.waiting.size())];
    auto copy = std::make_shared<model::Pod>(*like);
    copy->meta.name = "later-" + std::to_string(++brought_);
    copy->meta.uid = "pod-" + copy->meta.name;
    stage_.port().apply(std::shared_ptr<const model::Pod>(copy));
  }

  Random random_;
  const Scene& scene_;
  Stage& stage_;
  int brought_ = 0;
};

std::string play(const Scene& scene, std::uint64_t seed, std::size_t& refused) {
  Stage stage;
  for (const auto& node : scene.nodes) stage.port().apply(node);
  for (const auto& group : scene.groups) stage.port().apply(group);
  for (const auto& pod : scene.bound) stage.port().apply(pod);
  for (const auto& pod : scene.waiting) {
    stage.port().apply(pod);
    stage.compare();
  }
  Fate fate(seed, scene, stage);
  for (int i = 0; i < 12 && stage.problem().empty(); ++i) {
    stage.port().run_instant();
    fate.strike();
    stage.compare();
  }
  refused += stage.refused();
  return stage.problem().empty() ? "" : stage.problem() + describe(scene);
}

TEST(VerdictProperty, aMemoryChangesNoVerdict) {
  std::size_t refused = 0;
  test::for_seeds("tutti_verdict_property_test", 120, [&](std::uint64_t seed) {
    return play(SceneMaker(seed).mixed(), seed, refused);
  });
  EXPECT_GT(refused, 1000U);
}

TEST(VerdictProperty, aMemoryChangesNoVerdictOfIdenticalMembers) {
  std::size_t refused = 0;
  test::for_seeds("tutti_verdict_property_test", 80, [&](std::uint64_t seed) {
    return play(SceneMaker(seed).homogeneous(), seed, refused);
  });
  EXPECT_GT(refused, 1000U);
}

}  // namespace
}  // namespace tutti
