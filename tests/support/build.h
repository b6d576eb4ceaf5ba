// Builders for tests: objects as short sentences, e.g. pod("a").cpu("500m").label("app", "web").
#pragma once

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/quantity.h"
#include "model/group.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::test {

inline Quantity quantity(std::string_view text) {
  auto parsed = Quantity::parse(text);
  TUTTI_CHECK(parsed.ok(), text);
  return *parsed;
}

template <typename Pairs, typename Value>
void put(Pairs& pairs, std::string_view key, Value value) {
  const auto at = std::ranges::lower_bound(
      pairs, key, {}, [](const auto& entry) -> std::string_view { return entry.first; });
  if (at != pairs.end() && at->first == key) {
    at->second = std::move(value);
  } else {
    pairs.emplace(at, std::string(key), std::move(value));
  }
}

template <typename Item, typename Value>
void put(SharedList<Item>& pairs, std::string_view key, Value value) {
  put(pairs.edit(), key, std::move(value));
}

class NodeBuilder {
 public:
  explicit NodeBuilder(std::string name) {
    node_.api_version = "v1";
    node_.meta.uid = "node-" + name;
    node_.meta.name = std::move(name);
    node_.meta.labels = {{"kubernetes.io/hostname", node_.meta.name}};
    allocatable("pods", "110").allocatable("cpu", "4").allocatable("memory", "32Gi");
  }
  NodeBuilder& allocatable(std::string_view resource, std::string_view amount) {
    put(node_.allocatable, resource, quantity(amount));
    node_.capacity = node_.allocatable;
    return *this;
  }
  NodeBuilder& cpu(std::string_view amount) { return allocatable("cpu", amount); }
  NodeBuilder& memory(std::string_view amount) { return allocatable("memory", amount); }
  NodeBuilder& pods(std::string_view amount) { return allocatable("pods", amount); }
  NodeBuilder& label(std::string_view key, std::string value) {
    put(node_.meta.labels, key, std::move(value));
    return *this;
  }
  NodeBuilder& taint(std::string key, std::string value, std::string effect) {
    node_.taints.push_back({std::move(key), std::move(value), std::move(effect)});
    return *this;
  }
  NodeBuilder& unschedulable() {
    node_.unschedulable = true;
    return *this;
  }
  NodeBuilder& image(std::string name, std::int64_t size_bytes) {
    node_.images.push_back({{std::move(name)}, size_bytes});
    return *this;
  }
  std::shared_ptr<const model::Node> build() const { return std::make_shared<model::Node>(node_); }
  operator std::shared_ptr<const model::Node>() const { return build(); }  // NOLINT

 private:
  model::Node node_;
};

class PodBuilder {
 public:
  explicit PodBuilder(std::string name) {
    pod_.api_version = "v1";
    pod_.meta.uid = "pod-" + name;
    pod_.meta.name = std::move(name);
    pod_.meta.ns = "t";
    spec_.containers.push_back({.name = "main",
                                .image = "image",
                                .requests = {},
                                .limits = {},
                                .claims = {},
                                .ports = {}});
  }
  PodBuilder& in_namespace(std::string ns) {
    pod_.meta.ns = std::move(ns);
    pod_.meta.uid = "pod-" + pod_.meta.ns + "-" + pod_.meta.name;
    return *this;
  }
  PodBuilder& request(std::string_view resource, std::string_view amount) {
    put(spec_.containers[0].requests, resource, quantity(amount));
    return *this;
  }
  PodBuilder& cpu(std::string_view amount) { return request("cpu", amount); }
  PodBuilder& memory(std::string_view amount) { return request("memory", amount); }
  PodBuilder& label(std::string_view key, std::string value) {
    put(pod_.meta.labels, key, std::move(value));
    return *this;
  }
  PodBuilder& node_selector(std::string_view key, std::string value) {
    put(spec_.node_selector, key, std::move(value));
    return *this;
  }
  PodBuilder& toleration(model::Toleration toleration) {
    spec_.tolerations.push_back(std::move(toleration));
    return *this;
  }
  PodBuilder& host_port(std::int32_t port, model::Protocol protocol = model::Protocol::tcp,
                        std::string ip = {}) {
    spec_.containers[0].ports.push_back({port, port, std::move(ip), protocol});
    return *this;
  }
  // Required (anti-)affinity to pods labelled key=value in the pod's namespace.
  PodBuilder& affinity(std::string topology_key, std::string key, std::string value) {
    spec_.affinity.required.push_back(
        term(std::move(topology_key), std::move(key), std::move(value)));
    return *this;
  }
  PodBuilder& anti_affinity(std::string topology_key, std::string key, std::string value) {
    spec_.anti_affinity.required.push_back(
        term(std::move(topology_key), std::move(key), std::move(value)));
    return *this;
  }
  PodBuilder& group(std::string name) {
    spec_.scheduling_group = std::move(name);
    return *this;
  }
  PodBuilder& priority(std::int32_t value) {
    pod_.priority = value;
    return *this;
  }
  PodBuilder& gate(std::string name) {
    spec_.scheduling_gates.push_back(std::move(name));
    return *this;
  }
  PodBuilder& scheduler(std::string name) {
    spec_.scheduler_name = std::move(name);
    return *this;
  }
  PodBuilder& on(std::string node) {
    pod_.node_name = std::move(node);
    return *this;
  }
  PodBuilder& claim(std::string name) {
    spec_.volumes.push_back({.name = name,
                             .source = model::Volume::Source::claim,
                             .id = name,
                             .monitors = {},
                             .pool = {},
                             .driver = {}});
    return *this;
  }
  PodBuilder& created(Instant at) {
    pod_.meta.created = at;
    return *this;
  }
  // For everything without a word of its own.
  PodBuilder& with(const std::function<void(model::PodSpec&)>& edit) {
    edit(spec_);
    return *this;
  }
  std::shared_ptr<const model::Pod> build() const {
    auto made = std::make_shared<model::Pod>(pod_);
    made->spec = std::make_shared<model::PodSpec>(spec_);
    return made;
  }
  operator std::shared_ptr<const model::Pod>() const { return build(); }  // NOLINT

 private:
  static model::PodAffinityTerm term(std::string topology_key, std::string key, std::string value) {
    model::PodAffinityTerm made;
    made.selector = model::LabelSelector{{{std::move(key), std::move(value)}}, {}};
    made.topology_key = std::move(topology_key);
    return made;
  }
  model::Pod pod_;
  model::PodSpec spec_;
};

class PodGroupBuilder {
 public:
  explicit PodGroupBuilder(std::string name) {
    group_.api_version = model::kSchedulingV1Beta1;
    group_.meta.uid = "group-" + name;
    group_.meta.name = std::move(name);
    group_.meta.ns = "t";
  }
  PodGroupBuilder& gang(std::int32_t min_count) {
    group_.spec.policy = {true, min_count};
    return *this;
  }
  PodGroupBuilder& api(std::string_view version) {
    group_.api_version = version;
    return *this;
  }
  PodGroupBuilder& priority(std::int32_t value) {
    group_.spec.priority = value;
    return *this;
  }
  PodGroupBuilder& topology(std::string key) {
    group_.spec.topology_key = std::move(key);
    return *this;
  }
  PodGroupBuilder& parent(std::string name) {
    group_.parent = std::move(name);
    return *this;
  }
  std::shared_ptr<const model::PodGroup> build() const {
    return std::make_shared<model::PodGroup>(group_);
  }
  operator std::shared_ptr<const model::PodGroup>() const { return build(); }  // NOLINT

 private:
  model::PodGroup group_;
};

inline NodeBuilder node(std::string name) { return NodeBuilder(std::move(name)); }
inline PodBuilder pod(std::string name) { return PodBuilder(std::move(name)); }
inline PodGroupBuilder pod_group(std::string name) { return PodGroupBuilder(std::move(name)); }

}  // namespace tutti::test
