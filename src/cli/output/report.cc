#include "cli/output/report.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <set>
#include <utility>

#include "cli/output/claim_lines.h"
#include "cli/output/idle_work.h"
#include "cli/output/workload_name.h"
#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"
#include "session/domain_text.h"
#include "session/work/work_verdict.h"

namespace tutti::cli {
namespace {

using model::Kind;
using Name = std::pair<std::string, std::string>;  // namespace, name

using Pods = std::vector<const model::Pod*>;

struct Members {
  std::size_t total = 0;
  std::size_t placed = 0;
  std::size_t waiting = 0;
  Pods pods;          // that have a node
  std::string key;    // of the domain they ask for themselves
  std::string queue;  // that the first of them names
};

// Pods of one workload that are in no group.
struct LoosePods {
  std::size_t total = 0;
  std::size_t placed = 0;
  std::size_t waiting = 0;
  std::size_t failed = 0;
  std::size_t ended = 0;
  const model::Pod* first_waiting = nullptr;
  std::string queue;
};

// One thing that people wrote, with the groups made of it.
struct Entry {
  std::vector<std::vector<WorkloadLine>> trees;  // each a group with its children
  LoosePods loose;
  std::string queue;
  model::ObjectPtr object;  // null: not known

  // Whether there are fewer pods than there should be.
  bool lacks_pods() const {
    return object != nullptr && loose.total - loose.ended < session::pods_wanted(*object);
  }
};

std::string text_of(const Name& name) { return name.first + "/" + name.second; }

// The state that somebody who looks at many wants to hear of first.
std::size_t urgency(const std::string& state) {
  constexpr std::array<std::string_view, 11> kOrder = {
      "Invalid", "Impossible",  "Failed",  "Held",     "Waiting",  "Preempting",
      "Foreign", "Terminating", "Running", "Finished", "Succeeded"};
  return static_cast<std::size_t>(std::ranges::find(kOrder, state) - kOrder.begin());
}

class Reporter {
 public:
  Reporter(const expect::Scene& scene, bool every_pod)
      : scene_(scene), objects_(scene.objects), every_pod_(every_pod) {}

  Report make() {
    report_.nodes = objects_.objects(Kind::node).size();
    for (const auto& object : objects_.objects(Kind::pod)) {
      count_pod(model::as<model::Pod>(*object));
    }
    link_children();
    for (const Kind kind : {Kind::composite_pod_group, Kind::pod_group}) {
      for (const auto& object : objects_.objects(kind)) {
        if (is_root(*object)) add_tree(*object);
      }
    }
    add_missing_groups();
    for (auto& [name, entry] : entries_) add_entry(name, entry);
    for (const IdleWork& work : find_idle_work(objects_)) {
      WorkloadLine line;
      line.name = work.name;
      line.policy = "no pods";
      line.standing = work.standing;
      line.queue = work.queue;
      report_.workloads.push_back(std::move(line));
    }
    report_.claims = claim_table(objects_);
    return std::move(report_);
  }

 private:
  void count_pod(const model::Pod& pod);
  void count_loose(const model::Pod& pod);
  void link_children();
  bool is_root(const model::Object& group) const;
  void add_tree(const model::Object& root);
  void add_lines(const model::Object& group, std::size_t depth, std::vector<WorkloadLine>& lines);
  WorkloadLine composite_line(const model::CompositePodGroup& group);
  WorkloadLine group_line(const model::PodGroup& group);
  void add_missing_groups();
  void add_entry(const WorkloadName& name, Entry& entry);
  WorkloadLine summary_of(const Entry& entry) const;
  WorkloadLine loose_line(const LoosePods& pods) const;
  Pods placed_below(const model::Object& group) const;
  bool is_placed(const model::Object& child) const;

  const expect::Scene& scene_;
  const store::Store& objects_;
  bool every_pod_;
  Report report_;
  std::map<Name, Members> members_;
  std::map<Name, std::vector<const model::Object*>> children_;  // of composites that exist
  std::map<WorkloadName, Entry> entries_;
};

void Reporter::count_pod(const model::Pod& pod) {
  ++report_.all_pods;
  const bool there = pod.terminal() || objects_.find<model::Node>({}, pod.node_name) != nullptr;
  if (!pod.node_name.empty() && there) ++report_.placed_pods;
  const std::string& group = pod.spec->scheduling_group;
  if (group.empty()) return count_loose(pod);
  if (every_pod_) {
    report_.members.add({text_of({pod.meta.ns, pod.meta.name}), pod.node_name,
                         scene_.standing(model::key_of(pod))});
  }
  Members& members = members_[{pod.meta.ns, group}];
  ++members.total;
  if (members.key.empty()) members.key = session::wanted_key(pod);
  if (members.queue.empty()) members.queue = queue_of(pod);
  if (pod.node_name.empty()) {
    if (!pod.terminal()) ++members.waiting;
    return;
  }
  ++members.placed;
  members.pods.push_back(&pod);
}

void Reporter::count_loose(const model::Pod& pod) {
  const auto workload = workload_of(objects_, pod);
  if (!workload || every_pod_) {
    PodLines& lines = workload ? report_.members : report_.pods;
    lines.add({text_of({pod.meta.ns, pod.meta.name}), pod.node_name,
               scene_.standing(model::key_of(pod))});
  }
  if (!workload) return;
  Entry& entry = entries_[workload->name];
  entry.object = workload->object;
  if (workload->object != nullptr) entry.queue = queue_of(*workload->object);
  LoosePods& loose = entry.loose;
  ++loose.total;
  if (loose.queue.empty()) loose.queue = queue_of(pod);
  loose.placed += pod.node_name.empty() ? 0 : 1;
  loose.failed += pod.status.phase == model::PodPhase::failed ? 1 : 0;
  loose.ended += pod.terminal() ? 1 : 0;
  if (!pod.node_name.empty() || pod.terminal()) return;
  ++loose.waiting;
  if (loose.first_waiting == nullptr) loose.first_waiting = &pod;
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

void Reporter::add_tree(const model::Object& root) {
  const auto workload = workload_of(objects_, root);
  Entry& entry = entries_[workload ? workload->name : name_of(root)];
  if (workload && workload->object != nullptr) entry.queue = queue_of(*workload->object);
  if (entry.queue.empty()) entry.queue = queue_of(root);
  add_lines(root, 0, entry.trees.emplace_back());
}

// The group, and its children below it.
void Reporter::add_lines(const model::Object& group, std::size_t depth,
                         std::vector<WorkloadLine>& lines) {
  const auto* leaf = model::try_as<model::PodGroup>(group);
  WorkloadLine line = leaf != nullptr ? group_line(*leaf)
                                      : composite_line(model::as<model::CompositePodGroup>(group));
  line.name = std::string(2 * depth, ' ') + text_of({group.meta.ns, group.meta.name});
  line.part = depth > 0;
  lines.push_back(std::move(line));
  if (leaf != nullptr) return;
  for (const model::Object* child : children_[{group.meta.ns, group.meta.name}]) {
    add_lines(*child, depth + 1, lines);
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

WorkloadLine Reporter::composite_line(const model::CompositePodGroup& group) {
  const auto& children = children_[{group.meta.ns, group.meta.name}];
  WorkloadLine line;
  line.minimum = static_cast<std::size_t>(group.spec.policy.minimum);
  line.policy = group.spec.policy.gang ? fmt::format("gang {} groups", group.spec.policy.minimum)
                                       : std::string("basic groups");
  line.total = children.size();
  line.placed = static_cast<std::size_t>(
      std::ranges::count_if(children, [&](const auto* child) { return is_placed(*child); }));
  line.domain = session::domain_text(scene_, group.spec.topology_key, placed_below(group));
  line.standing = scene_.standing(model::key_of(group));
  return line;
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

WorkloadLine Reporter::group_line(const model::PodGroup& group) {
  const Members& members = members_[{group.meta.ns, group.meta.name}];
  WorkloadLine line;
  line.minimum = static_cast<std::size_t>(group.spec.policy.minimum);
  line.policy =
      group.spec.policy.gang ? fmt::format("gang {}", group.spec.policy.minimum) : "basic";
  line.placed = members.placed;
  line.total = members.total;
  line.waiting = members.waiting;
  line.queue = members.queue;
  const std::string& key = group.spec.topology_key;
  line.domain = session::domain_text(scene_, key.empty() ? members.key : key, members.pods);
  line.standing = scene_.standing(model::key_of(group));
  return line;
}

void Reporter::add_missing_groups() {
  for (const auto& [name, members] : members_) {
    if (objects_.find<model::PodGroup>(name.first, name.second)) continue;
    WorkloadLine line;
    line.policy = "missing";
    line.placed = members.placed;
    line.total = members.total;
    line.waiting = members.waiting;
    line.queue = members.queue;
    line.standing = scene_.standing({Kind::pod_group, name.first, name.second, {}});
    entries_[{name.first, name.second, "PodGroup"}].trees.push_back({std::move(line)});
  }
}

// --- lines of what people wrote ------------------------------------------------------------------

void Reporter::add_entry(const WorkloadName& name, Entry& entry) {
  const bool one_tree = entry.trees.size() == 1 && entry.loose.total == 0;
  WorkloadLine head = one_tree ? entry.trees.front().front() : summary_of(entry);
  // Who stops others from being made says so in the verdict of the whole.
  if (entry.lacks_pods() && head.standing.state == "Running") {
    head.standing = scene_.standing(model::key_of(*entry.object));
  }
  head.name = name.text();
  head.part = false;
  if (!entry.queue.empty()) head.queue = entry.queue;
  report_.workloads.push_back(std::move(head));
  for (auto& tree : entry.trees) {
    for (std::size_t i = one_tree ? 1 : 0; i < tree.size(); ++i) {
      if (!one_tree) tree[i].name.insert(0, "  ");
      tree[i].part = true;
      report_.workloads.push_back(std::move(tree[i]));
    }
  }
}

// One line for several groups, or for pods without any: figures added up, the most urgent state.
WorkloadLine Reporter::summary_of(const Entry& entry) const {
  if (entry.trees.empty()) return loose_line(entry.loose);
  WorkloadLine line;
  line.policy = fmt::format("{} groups", entry.trees.size());
  const WorkloadLine* worst = nullptr;
  for (const auto& tree : entry.trees) {
    const WorkloadLine& root = tree.front();
    line.placed += root.placed;
    line.total += root.total;
    line.waiting += root.waiting;
    if (line.queue.empty()) line.queue = root.queue;
    if (worst == nullptr || urgency(root.standing.state) < urgency(worst->standing.state)) {
      worst = &root;
    }
  }
  line.standing = worst->standing;
  if (entry.loose.total > 0) {
    const WorkloadLine others = loose_line(entry.loose);
    line.placed += others.placed;
    line.total += others.total;
    line.waiting += others.waiting;
    if (urgency(others.standing.state) < urgency(line.standing.state)) {
      line.standing = others.standing;
    }
  }
  return line;
}

WorkloadLine Reporter::loose_line(const LoosePods& pods) const {
  WorkloadLine line;
  line.policy = "pods";
  line.placed = pods.placed;
  line.total = pods.total;
  line.waiting = pods.waiting;
  line.queue = pods.queue;
  if (pods.first_waiting != nullptr) {
    line.standing = scene_.standing(model::key_of(*pods.first_waiting));
    if (pods.waiting > 1 && !line.standing.summary.empty()) {
      line.standing.summary = fmt::format("{} pods wait; pod {}: {}", pods.waiting,
                                          pods.first_waiting->meta.name, line.standing.summary);
    }
  } else if (pods.failed > 0 && pods.ended == pods.total) {
    line.standing.state = "Failed";
  } else {
    line.standing.state = pods.ended == pods.total ? "Finished" : "Running";
  }
  return line;
}

}  // namespace

Report make_report(const expect::Scene& scene, bool every_pod) {
  return Reporter(scene, every_pod).make();
}

}  // namespace tutti::cli
