// The per-node form of a plugin, for users: one pod and one node at a time, as kube-scheduler's
// plugins are written. A plugin is a shared library named lib<Name>.so that is built against the
// installed headers alone and exports itself with TUTTI_EXPORT_PLUGIN; see docs/guides/plugins.md.
//
// Everything here is virtual or inline: a plugin links against none of Tutti's libraries. All calls
// come from one thread. Answers must depend on the arguments only; Tutti keeps them for as long as
// the node stays as it is.
#pragma once

#include "base/std.h"
#include "core/framework/concern.h"
#include "core/framework/plugin_status.h"
#include "core/shapes/pod_aspects.h"
#include "model/node.h"
#include "model/pod.h"

namespace tutti::core {

// The pod to be placed.
class PodView {
 public:
  virtual ~PodView() = default;
  virtual const model::Pod& pod() const = 0;
  // Its effective request: milli-units for cpu, whole units for everything else.
  virtual std::int64_t request(std::string_view resource) const = 0;
};

// A node with the pods on it, those decided but not yet bound included.
class NodeView {
 public:
  virtual ~NodeView() = default;
  virtual const model::Node& node() const = 0;
  // The value of a label, or null.
  virtual const std::string* label(std::string_view key) const = 0;
  // In the units of PodView::request; 0 for a resource the node does not have.
  virtual std::int64_t allocatable(std::string_view resource) const = 0;
  virtual std::int64_t used(std::string_view resource) const = 0;
  virtual std::size_t pod_count() const = 0;
  // Requires index < pod_count(). In no particular order.
  virtual const model::Pod& pod(std::size_t index) const = 0;
};

class PerNodePlugin {
 public:
  virtual ~PerNodePlugin() = default;

  // What the plugin takes part in.
  virtual bool filters() const { return false; }
  virtual bool scores() const { return false; }

  // What it looks at of the pod to be placed. Pods that agree in all of it share its answers, so
  // that less makes many pods cheaper; reading more than this says gives a pod another pod's
  // answers. Namespace, requests and everything that decides by itself where a pod may go are
  // always the same (pod_aspects.h).
  virtual PodAspects looks_at() const { return PodAspects::everything; }

  // What its refusals are about: `tutti explain` finds the blocker by it when they are what stands
  // in the way. The default shows as affinity.
  virtual Concern concern() const { return Concern::nodes; }

  // success, or unschedulable / unresolvable with a short reason that is the same for all nodes it
  // holds for. PluginStatus::plugin and concern are filled in by the caller.
  virtual PluginStatus filter(const PodView&, const NodeView&) const { return {}; }
  // 0 (worst) to 100; values outside are clamped.
  virtual std::int64_t score(const PodView&, const NodeView&) const { return 0; }
};

inline constexpr std::uint32_t kPluginApiVersion = 3;

// Catches a plugin built against the headers of another release.
inline constexpr std::uint64_t kPluginLayout =
    sizeof(model::Pod) * 1'000'000 + sizeof(model::PodSpec) * 1'000 + sizeof(model::Node);

// What a plugin library hands over. Lives as long as the process.
struct PluginLibrary {
  std::uint32_t api_version = kPluginApiVersion;
  std::uint64_t layout = kPluginLayout;
  // Makes the plugin from the JSON text of its `args` in the configuration ("" when there are
  // none). Null with `error` set: the arguments are bad.
  std::unique_ptr<PerNodePlugin> (*make)(std::string_view args_json, std::string& error) = nullptr;
};

inline constexpr const char* kPluginSymbol = "tutti_plugin_v1";
using PluginEntry = const PluginLibrary* (*)();

}  // namespace tutti::core

// `maker` is a function of the type of PluginLibrary::make.
#define TUTTI_EXPORT_PLUGIN(maker)                                                              \
  extern "C" __attribute__((visibility("default"))) const ::tutti::core::PluginLibrary*         \
  tutti_plugin_v1() {                                                                           \
    static constexpr ::tutti::core::PluginLibrary library{::tutti::core::kPluginApiVersion,     \
                                                          ::tutti::core::kPluginLayout, maker}; \
    return &library;                                                                            \
  }
