// GroupScene: nodes in racks and gangs that wait or run, written as short sentences, for tests of
// those who place groups or evict for them. Small numbers are whole cores.
//
//   scene.nodes("a:4@r1 b:4@r1 c:8@r2/b1");          name:cores@rack/block
//   const Subtree gang = scene.gang("g", {.minimum = 2, .cpus = "2 2 1"});   g-0, g-1 and g-2
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "core/cluster/groups.h"
#include "core/evaluation/evaluation.h"
#include "core/framework/transaction.h"
#include "core/placement/task.h"
#include "core/topology/domains.h"
#include "support/build.h"
#include "support/fake_plugins.h"

namespace tutti::test {

// The domains of the group's key, by label; all nodes for a group without one.
class LabelDomains : public core::Plugin, public core::PlacementGeneratePlugin {
 public:
  std::string_view name() const override { return "LabelDomains"; }
  core::Concern concern() const override { return core::Concern::placement; }
  Generated generate(const core::Cluster& cluster, const core::GroupTable& groups,
                     core::GroupId group, const Bitset& within) const override {
    const std::string& key = groups[group].spec().topology_key;
    if (key.empty()) return {{}, {{"", "", within}}};
    const auto pinned = core::common_domains(cluster, core::scheduled_members(groups, group), key);
    if (!pinned.ok()) return {{core::Code::error, name(), pinned.error().message}, {}};
    return {{}, core::domains_within(cluster, key, within, *pinned)};
  }
};

// The words of a text with blanks between them.
inline std::vector<std::string> words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> found;
  for (std::string word; in >> word;) found.push_back(word);
  return found;
}

struct GangSpec {
  std::int32_t minimum = 1;
  std::string cpus = {};  // of the members that wait
  std::string key = {};   // they share one domain of it
  std::string runs = {};  // "1@a 1@b": members that run already, their names end with -r0, -r1 …
  std::string parent = {};
  bool gang = true;  // false: a basic group
};

class GroupScene {
 public:
  GroupScene() {
    enable(profile, std::make_unique<Fit>(), profile.filters);
    enable(profile, std::make_unique<Emptiest>(), profile.scores);
    enable(profile, std::make_unique<Gang>(), profile.placement_feasible);
    enable(profile, std::make_unique<LabelDomains>(), profile.placement_generate);
  }

  void nodes(const std::string& text) {
    for (const std::string& word : words(text)) {
      const auto colon = word.find(':');
      const auto at = word.find('@');
      const auto slash = word.find('/');
      auto made = node(word.substr(0, colon));
      made.cpu(word.substr(colon + 1, at - colon - 1));
      if (at != std::string::npos) made.label("rack", word.substr(at + 1, slash - at - 1));
      if (slash != std::string::npos) made.label("block", word.substr(slash + 1));
      cluster.set_node(made);
    }
  }

  core::Subtree gang(const std::string& name, const GangSpec& spec) {
    auto object = std::make_shared<model::PodGroup>(*pod_group(name).gang(spec.minimum).build());
    object->spec.policy.gang = spec.gang;
    object->spec.topology_key = spec.key;
    object->parent = spec.parent;
    core::Subtree leaf;
    leaf.group = groups.set(std::shared_ptr<const model::PodGroup>(std::move(object)));
    run(leaf.group, name, spec.runs);
    std::size_t number = 0;
    for (const std::string& cpu : words(spec.cpus)) {
      const auto member = pod(name + "-" + std::to_string(number++)).cpu(cpu).group(name);
      leaf.members.push_back(cluster.set_pod(member));
      groups.add_pod(leaf.group, leaf.members.back(), core::GroupTable::Membership::pending);
    }
    return leaf;
  }

  core::Subtree composite(const std::string& name, std::int32_t minimum,
                          std::vector<core::Subtree> children, const std::string& key = {}) {
    auto object = std::make_shared<model::CompositePodGroup>();
    object->meta.ns = "t";
    object->meta.name = name;
    object->meta.uid = "composite-" + name;
    object->spec.policy = {true, minimum};
    object->spec.topology_key = key;
    core::Subtree tree;
    tree.group = groups.set(std::shared_ptr<const model::CompositePodGroup>(std::move(object)));
    tree.children = std::move(children);
    return tree;
  }

  // A pod without a group that waits.
  core::PodId lone(const std::string& name, const std::string& cpu) {
    return cluster.set_pod(pod(name).cpu(cpu));
  }

  Bitset only(const std::string& names) const {
    Bitset made(cluster.nodes().slots());
    for (const std::string& name : words(names)) made.set(cluster.nodes().find(name)->index);
    return made;
  }

  const std::string& name_of(core::PodId id) const { return cluster.pod(id).object->meta.name; }

  // "g-0>a g-1>b", by names.
  std::string where(std::span<const core::ProposedPod> placed) const {
    std::vector<std::string> lines;
    for (const auto& each : placed) {
      lines.push_back(name_of(each.pod) + ">" + cluster.node_name(each.node));
    }
    std::ranges::sort(lines);
    std::string text;
    for (const std::string& line : lines) text += (text.empty() ? "" : " ") + line;
    return text;
  }

  core::Cluster cluster;
  core::GroupTable groups;
  core::Profile profile;
  core::EvaluationCache evaluations{cluster};

 private:
  void run(core::GroupId group, const std::string& name, const std::string& text) {
    std::size_t number = 0;
    for (const std::string& word : words(text)) {
      const auto at = word.find('@');
      const auto member = pod(name + "-r" + std::to_string(number++))
                              .cpu(word.substr(0, at))
                              .group(name)
                              .on(word.substr(at + 1));
      groups.add_pod(group, cluster.set_pod(member), core::GroupTable::Membership::assigned);
    }
  }
};

}  // namespace tutti::test
