#include "cli/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <set>
#include <utility>

#include "cli/claim_lines.h"
#include "core/topology_request.h"
#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::cli {
namespace {

using model::Kind;
using Name = std::pair<std::string, std::string>;  // namespace, name

using Pods = std::vector<const model::Pod*>;

struct Members {
  std::size_t total = 0;
  std::size_t placed = 0;
  std::size_t waiting = 0;
  Pods pods;        // that have a node
  std::string key;  // of the domain they ask for themselves
};

std::string text_of(const Name& name) { return name.first + "/" + name.second; }

class Reporter {
 public:
  explicit Reporter(const expect::Scene& scene) : scene_(scene), objects_(scene.objects) {}

  Report make() {
    report_.nodes = objects_.objects(Kind::node).size();
    for (const auto& object : objects_.objects(Kind::pod)) {
      count_pod(model::as<model::Pod>(*object));
    }
    link_children();
    for (const auto& object : objects_.objects(Kind::composite_pod_group)) {
      if (is_root(*object)) add_composite(model::as<model::CompositePodGroup>(*object), 0);
    }
    for (const auto& object : objects_.objects(Kind::pod_group)) {
      if (is_root(*object)) add_group(model::as<model::PodGroup>(*object), 0);
    }
    add_missing_groups();
    report_.claims = claim_table(objects_);
    return std::move(report_);
  }

 private:
  void count_pod(const model::Pod& pod);
  void add_pod(const model::Pod& pod);
  void link_children();
  bool is_root(const model::Object& group) const;
  void add_children(const model::CompositePodGroup& parent, std::size_t depth);
  void add_composite(const model::CompositePodGroup& group, std::size_t depth);
  void add_group(const model::PodGroup& group, std::size_t depth);
  void add_missing_groups();
  std::string domain_of(const std::string& key, const Pods& pods) const;
  Pods placed_below(const model::Object& group) const;
  bool is_placed(const model::Object& child) const;

  const expect::Scene& scene_;
  const store::Store& objects_;
  Report report_;
  std::map<Name, Members> members_;
  std::map<Name, std::vector<const model::Object*>> children_;  // of composites that exist
};

// What the pod asks for beyond its group's key.
std::string wanted_key(const model::Pod& pod) {
  const auto request = core::topology_request(pod);
  if (!request.ok()) return {};
  return request->required.empty() ? request->preferred : request->required;
}

void Reporter::count_pod(const model::Pod& pod) {
  ++report_.all_pods;
  if (!pod.node_name.empty()) ++report_.placed_pods;
  const std::string& group = pod.spec->scheduling_group;
  if (group.empty()) return add_pod(pod);
  Members& members = members_[{pod.meta.ns, group}];
  ++members.total;
  if (members.key.empty()) members.key = wanted_key(pod);
  if (pod.node_name.empty()) {
    if (!pod.terminal()) ++members.waiting;
    return;
  }
  ++members.placed;
  members.pods.push_back(&pod);
}

void Reporter::add_pod(const model::Pod& pod) {
  report_.pods.add(
      {text_of({pod.meta.ns, pod.meta.name}), pod.node_name, scene_.standing(model::key_of(pod))});
}

const std::string& parent_of(const model::Object& group) {
  if (const auto* leaf = model::try_as<model::PodGroup>(group)) return leaf->parent;
  return model::as<model::CompositePodGroup>(group).parent;
}

bool Reporter::is_root(const model::Object& group) const {
  const std::string& parent = parent_of(group);
  return parent.empty() || !objects_.find<model::CompositePodGroup>(group.meta.ns, parent);
}

void Reporter::link_children() {
  for (const Kind kind : {Kind::composite_pod_group, Kind::pod_group}) {
    for (const auto& object : objects_.objects(kind)) {
      if (!is_root(*object))
        children_[{object->meta.ns, parent_of(*object)}].push_back(object.get());
    }
  }
}

void Reporter::add_children(const model::CompositePodGroup& parent, std::size_t depth) {
  for (const model::Object* child : children_[{parent.meta.ns, parent.meta.name}]) {
    if (const auto* leaf = model::try_as<model::PodGroup>(*child)) {
      add_group(*leaf, depth);
    } else {
      add_composite(model::as<model::CompositePodGroup>(*child), depth);
    }
  }
}

bool Reporter::is_placed(const model::Object& child) const {
  const auto* leaf = model::try_as<model::PodGroup>(child);
  if (leaf == nullptr) {
    const std::string state = scene_.standing(model::key_of(child)).state;
    return state == "Running" || state == "Finished";
  }
  const auto members = members_.find({child.meta.ns, child.meta.name});
  return members != members_.end() &&
         members->second.placed >= static_cast<std::size_t>(leaf->spec.policy.minimum);
}

void Reporter::add_composite(const model::CompositePodGroup& group, std::size_t depth) {
  const auto& children = children_[{group.meta.ns, group.meta.name}];
  GroupLine line;
  line.name = std::string(2 * depth, ' ') + text_of({group.meta.ns, group.meta.name});
  line.minimum = static_cast<std::size_t>(group.spec.policy.minimum);
  line.policy = group.spec.policy.gang ? fmt::format("gang {} groups", group.spec.policy.minimum)
                                       : std::string("basic groups");
  line.total = children.size();
  line.placed = static_cast<std::size_t>(
      std::ranges::count_if(children, [&](const auto* child) { return is_placed(*child); }));
  line.domain = domain_of(group.spec.topology_key, placed_below(group));
  line.standing = scene_.standing(model::key_of(group));
  report_.groups.push_back(std::move(line));
  add_children(group, depth + 1);
}

// Members of the group, and of all groups below it, that have a node.
Pods Reporter::placed_below(const model::Object& group) const {
  const Name name{group.meta.ns, group.meta.name};
  Pods pods;
  if (group.kind == Kind::pod_group) {
    const auto members = members_.find(name);
    if (members != members_.end()) pods = members->second.pods;
  } else if (const auto children = children_.find(name); children != children_.end()) {
    for (const model::Object* child : children->second) {
      std::ranges::copy(placed_below(*child), std::back_inserter(pods));
    }
  }
  return pods;
}

std::string Reporter::domain_of(const std::string& key, const Pods& pods) const {
  if (key.empty()) return {};
  std::set<std::string> values = expect::domains_of(scene_, key, pods);
  values.erase("");
  if (values.empty()) return {};
  return fmt::format("{}={}", key, fmt::join(values, ","));
}

void Reporter::add_group(const model::PodGroup& group, std::size_t depth) {
  const Members& members = members_[{group.meta.ns, group.meta.name}];
  GroupLine line;
  line.name = std::string(2 * depth, ' ') + text_of({group.meta.ns, group.meta.name});
  line.minimum = static_cast<std::size_t>(group.spec.policy.minimum);
  line.policy =
      group.spec.policy.gang ? fmt::format("gang {}", group.spec.policy.minimum) : "basic";
  line.placed = members.placed;
  line.total = members.total;
  line.waiting = members.waiting;
  const std::string& key = group.spec.topology_key;
  line.domain = domain_of(key.empty() ? members.key : key, members.pods);
  line.standing = scene_.standing(model::key_of(group));
  report_.groups.push_back(std::move(line));
}

void Reporter::add_missing_groups() {
  for (const auto& [name, members] : members_) {
    if (objects_.find<model::PodGroup>(name.first, name.second)) continue;
    GroupLine line;
    line.name = text_of(name);
    line.policy = "missing";
    line.placed = members.placed;
    line.total = members.total;
    line.waiting = members.waiting;
    line.standing = scene_.standing({Kind::pod_group, name.first, name.second, {}});
    report_.groups.push_back(std::move(line));
  }
}

}  // namespace

Report make_report(const expect::Scene& scene) { return Reporter(scene).make(); }

}  // namespace tutti::cli
