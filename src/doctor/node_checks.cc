// Labels of nodes that flavors, levels and groups go by; devices that are out of use.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "base/text.h"
#include "core/requests/pod_set_amounts.h"
#include "doctor/examination.h"
#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"
#include "model/quota.h"
#include "model/topology.h"
#include "quota/amount.h"

namespace tutti::doctor {
namespace {

std::vector<const model::Node*> nodes_of(const Scene& scene) {
  std::vector<const model::Node*> nodes;
  for (const model::ObjectPtr& node : scene.objects.objects(model::Kind::node)) {
    nodes.push_back(&model::as<model::Node>(*node));
  }
  return nodes;
}

bool is_of(const model::Node& node, const model::ResourceFlavor& flavor) {
  return std::ranges::all_of(flavor.node_labels, [&](const auto& label) {
    const std::string* own = model::find(node.meta.labels, label.first);
    return own != nullptr && *own == label.second;
  });
}

class NodeChecks {
 public:
  NodeChecks(const Scene& scene, Findings& findings)
      : scene_(scene), findings_(findings), nodes_(nodes_of(scene)) {
    for (const model::Node* node : nodes_) {
      for (const auto& [key, value] : node->meta.labels) values_[key].insert(value);
    }
  }

  void run() {
    for (const model::ObjectPtr& each : scene_.objects.objects(model::Kind::resource_flavor)) {
      check_flavor(model::as<model::ResourceFlavor>(*each));
    }
    for (const model::ObjectPtr& each : scene_.objects.objects(model::Kind::pod_group)) {
      const auto& group = model::as<model::PodGroup>(*each);
      check_group("PodGroup", group.meta, group.spec);
    }
    for (const model::ObjectPtr& each : scene_.objects.objects(model::Kind::composite_pod_group)) {
      const auto& group = model::as<model::CompositePodGroup>(*each);
      check_group("CompositePodGroup", group.meta, group.spec);
    }
    find_families();
    find_idle_devices();
    find_missing_figures();
  }

 private:
  // "no node has gpu=a100 (there are l4, h100)".
  std::string missing_label(const std::string& key, const std::string& value) const {
    const auto found = values_.find(key);
    if (found == values_.end()) return fmt::format("no node has the label {}", key);
    std::vector<std::string> some(found->second.begin(), found->second.end());
    std::ranges::sort(some, comes_before);
    const std::size_t all = some.size();
    if (all > 5) some.resize(5);
    return fmt::format("no node has {}={} (there is {}{})", key, value, fmt::join(some, ", "),
                       all > 5 ? fmt::format(" and {} more", all - 5) : "");
  }

  void check_flavor(const model::ResourceFlavor& flavor) {
    const explain::ObjectName name{"ResourceFlavor", "", flavor.meta.name};
    std::vector<const model::Node*> own;
    for (const model::Node* node : nodes_) {
      if (is_of(*node, flavor)) own.push_back(node);
    }
    if (own.empty()) {
      std::string why = "there are no nodes";
      for (const auto& [key, value] : flavor.node_labels) {
        const auto found = values_.find(key);
        if (found != values_.end() && found->second.contains(value)) continue;
        why = missing_label(key, value);
        break;
      }
      if (!nodes_.empty() && why == "there are no nodes") why = "no node has all of its labels";
      findings_.push_back({"flavor-without-nodes", Severity::error, name, "spec.nodeLabels",
                           fmt::format("stands for no machine: {}; what is admitted to it could "
                                       "never run",
                                       why),
                           "label the nodes, or correct spec.nodeLabels"});
      return;
    }
    if (!flavor.topology.empty()) check_levels(flavor, own);
  }

  void check_levels(const model::ResourceFlavor& flavor,
                    std::span<const model::Node* const> nodes) {
    const auto topology = scene_.objects.find<model::Topology>("", flavor.topology);
    if (!topology) return;  // said of the queues that it closes
    for (const std::string& level : topology->levels) {
      std::vector<std::string_view> without;
      for (const model::Node* node : nodes) {
        if (model::find(node->meta.labels, level) == nullptr) without.push_back(node->meta.name);
      }
      if (without.empty()) continue;
      std::ranges::sort(without, comes_before);
      const bool all = without.size() == nodes.size();
      const std::string_view first = without.front();
      findings_.push_back(
          {"level-missing",
           all ? Severity::error : Severity::warning,
           {"Topology", "", topology->meta.name},
           "spec.levels",
           fmt::format("{} of {} nodes of flavor {} lack the label {} ({}{}): nothing of that "
                       "flavor is placed there",
                       without.size(), nodes.size(), flavor.meta.name, level, first,
                       without.size() > 1 ? " and others" : ""),
           fmt::format("kubectl label node {} {}=VALUE", first, level)});
    }
  }

  void check_group(std::string_view kind, const model::ObjectMeta& meta,
                   const model::GroupSpec& spec) {
    if (spec.topology_key.empty()) return;
    if (scene_.scheduler.cluster().group_domains(spec.topology_key).any()) return;
    std::vector<std::string_view> known;
    for (const auto& [key, values] : values_) known.emplace_back(key);
    const std::string_view meant = nearest_word(spec.topology_key, known);
    findings_.push_back(
        {"topology-key-unknown",
         Severity::error,
         {std::string(kind), meta.ns, meta.name},
         "spec.schedulingConstraints.topology[0].key",
         fmt::format("no node has the label {}, and no device such an attribute{}: it waits for "
                     "ever",
                     brief_line(spec.topology_key),
                     meant.empty() ? std::string() : fmt::format(" (did you mean {}?)", meant)),
         ""});
  }

  // Labels that are worth using, by who gives them.
  void find_families() {
    struct Family {
      std::string_view code;
      std::string_view key;
      std::string_view use;
    };
    static constexpr std::array<Family, 6> kFamilies = {{
        {"labels-of-gpus", "nvidia.com/gpu.product", "tutti capacity --by nvidia.com/gpu.product"},
        {"labels-of-gpus", "amd.com/gpu.product-name",
         "tutti capacity --by amd.com/gpu.product-name"},
        {"labels-of-gpus", "cloud.google.com/gke-accelerator",
         "tutti capacity --by cloud.google.com/gke-accelerator"},
        {"labels-of-places", "topology.kubernetes.io/zone",
         "tutti capacity --level topology.kubernetes.io/zone"},
        {"labels-of-places", "cloud.google.com/gce-topology-block",
         "tutti capacity --level cloud.google.com/gce-topology-block"},
        {"labels-of-places", "network.topology.nvidia.com/accelerator",
         "tutti capacity --level network.topology.nvidia.com/accelerator"},
    }};
    for (const Family& family : kFamilies) {
      const auto found = values_.find(family.key);
      if (found == values_.end()) continue;
      const std::string key(family.key);
      const auto labelled = std::ranges::count_if(nodes_, [&](const model::Node* node) {
        return model::find(node->meta.labels, key) != nullptr;
      });
      findings_.push_back(
          {std::string(family.code),
           Severity::info,
           {"Node", "", key},
           fmt::format("metadata.labels[{}]", key),
           fmt::format("{} of {} nodes have it, with {} value{}", labelled, nodes_.size(),
                       found->second.size(), found->second.size() == 1 ? "" : "s"),
           std::string(family.use)});
    }
  }

  static bool is_ready(const model::Node& node) {
    const model::Condition* ready = model::find(node.conditions, "Ready");
    return ready == nullptr || ready->status == "True";
  }

  // Devices on nodes that take no pods.
  void find_idle_devices() {
    struct Out {
      quota::Amount devices = 0;
      std::vector<std::string_view> cordoned;
      std::vector<std::string_view> broken;
    };
    std::map<std::string, Out> out;
    for (const model::Node* node : nodes_) {
      const bool ready = is_ready(*node);
      if (ready && !node->unschedulable) continue;
      for (const auto& [resource, amount] : node->allocatable) {
        if (resource.find('/') == std::string::npos || amount.zero()) continue;
        if (resource.starts_with("hugepages-")) continue;
        Out& entry = out[resource];
        entry.devices += core::base_units(resource, amount);
        (ready ? entry.cordoned : entry.broken).push_back(node->meta.name);
      }
    }
    for (const auto& [resource, entry] : out) {
      const bool broken = !entry.broken.empty();
      const std::string_view first = broken ? entry.broken.front() : entry.cordoned.front();
      findings_.push_back(
          {"devices-out-of-use",
           Severity::warning,
           {"Node", "", std::string(first)},
           broken ? "status.conditions[Ready]" : "spec.unschedulable",
           fmt::format("{} {} stand on nodes that take no pods: {} not ready, {} cordoned",
                       quota::to_int64(entry.devices), resource, entry.broken.size(),
                       entry.cordoned.size()),
           broken ? fmt::format("kubectl describe node {}", first)
                  : fmt::format("kubectl uncordon {}", first)});
    }
  }

  // Whether GPUs of a real cluster are measured by anybody.
  void find_missing_figures() {
    if (!scene_.copied) return;
    const bool gpus = std::ranges::any_of(nodes_, [](const model::Node* node) {
      return model::find(node->allocatable, "nvidia.com/gpu") != nullptr;
    });
    if (!gpus) return;
    for (const model::ObjectPtr& pod : scene_.objects.objects(model::Kind::pod)) {
      if (pod->meta.name.find("dcgm") != std::string::npos) return;
    }
    findings_.push_back({"gpu-metrics-missing",
                         Severity::info,
                         {"Node", "", "nvidia.com/gpu"},
                         "",
                         "no pod of the DCGM exporter runs: how busy GPUs are is not known, only "
                         "who holds them",
                         "install NVIDIA's dcgm-exporter, or enable it in the GPU operator"});
  }

  const Scene& scene_;
  Findings& findings_;
  std::vector<const model::Node*> nodes_;
  std::map<std::string, std::set<std::string>, std::less<>> values_;  // of labels, by key
};

}  // namespace

void check_nodes(const Scene& scene, Findings& findings) { NodeChecks(scene, findings).run(); }

}  // namespace tutti::doctor
