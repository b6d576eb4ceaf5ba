// VictimScene: pods and groups that run on one node, for tests of who may be evicted.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/victims/victims.h"
#include "model/apps.h"
#include "support/build.h"

namespace tutti::test {

inline constexpr Instant kVictimsNow{Millis{10'000'000}};

// Pods on one node, a preemptor of priority 5 that waits, and what it may not touch.
class VictimScene {
 public:
  VictimScene() { cluster.set_node(node("n1").cpu("64")); }

  core::PodId run(
      const PodBuilder& builder,
      const std::function<void(model::Pod&)>& edit = [](model::Pod&) {}) {
    auto pod = std::make_shared<model::Pod>(*builder.build());
    if (pod->node_name.empty()) pod->node_name = "n1";
    pod->status.start_time = kVictimsNow - std::chrono::seconds(100);
    edit(*pod);
    const std::string group = pod->spec->scheduling_group;
    const core::PodId id = cluster.set_pod(std::move(pod));
    if (!group.empty()) {
      groups.add_pod(groups.intern("t", group, false), id, core::GroupTable::Membership::assigned);
    }
    return id;
  }
  // With members name-0 and so on, of one core each.
  void gang(const std::string& name, int members, const PodGroupBuilder& builder,
            std::optional<model::DisruptionMode> mode = std::nullopt) {
    auto group = std::make_shared<model::PodGroup>(*builder.build());
    group->spec.disruption = mode;
    groups.set(std::shared_ptr<const model::PodGroup>(std::move(group)));
    for (int i = 0; i < members; ++i) {
      run(pod(name + "-" + std::to_string(i)).cpu("1").group(name));
    }
  }
  void composite(const std::string& name, std::int32_t minimum, std::int32_t priority,
                 std::optional<model::DisruptionMode> mode, const std::string& parent = {}) {
    auto group = std::make_shared<model::CompositePodGroup>();
    group->parent = parent;
    group->meta.ns = "t";
    group->meta.name = name;
    group->spec.policy = {true, minimum};
    group->spec.priority = priority;
    group->spec.disruption = mode;
    groups.set(std::shared_ptr<const model::CompositePodGroup>(std::move(group)));
  }
  void budget(const std::string& ns, const std::string& app, std::int32_t allowed,
              std::vector<std::string> disrupted = {}) {
    auto made = std::make_shared<model::PodDisruptionBudget>();
    made->meta.ns = ns;
    made->meta.name = "budget-" + app + std::to_string(++budgets_);
    made->selector = model::LabelSelector{};
    if (!app.empty()) made->selector->match_labels = {{"app", app}};
    made->disruptions_allowed = allowed;
    made->disrupted_pods = std::move(disrupted);
    cluster.set_object(std::shared_ptr<const model::PodDisruptionBudget>(std::move(made)));
  }

  core::VictimTable find() {
    return core::find_victims({cluster, groups,
                               [this](core::PodId pod) {
                                 const auto& object = *cluster.pod(pod).object;
                                 return *groups.find("t", object.spec->scheduling_group, false);
                               },
                               condemned, preemptor_root, 5, kVictimsNow, spared, vacating,
                               cost_aware, memory, thorough});
  }
  std::string names(std::span<const core::PodId> pods) const {
    std::string text;
    for (const core::PodId pod : pods) {
      text += (text.empty() ? "" : "+") + cluster.pod(pod).object->meta.name;
    }
    return text;
  }
  // "a g-0+g-1", in the order of the table.
  std::string units_of(const core::VictimTable& table) const {
    std::string text;
    for (const core::VictimUnit& unit : table.units) {
      text += (text.empty() ? "" : " ") + names(table.pods_of(unit));
    }
    return text;
  }

  core::Cluster cluster;
  core::GroupTable groups;
  std::unordered_set<core::PodId> condemned;
  core::GroupId preemptor_root;
  std::set<std::string> spared;
  core::Vacating vacating;
  core::VictimCache memory;
  bool cost_aware = true;
  bool thorough = false;

 private:
  int budgets_ = 0;
};

}  // namespace tutti::test
