// Profile: one scheduler name with its plugins, in the order they are asked at every extension
// point. Made by plugins::build_profile, never changed afterwards.
#pragma once

#include "base/std.h"
#include "core/framework/config.h"
#include "core/framework/extension_points.h"
#include "core/framework/plugin.h"

namespace tutti::core {

// A plugin enabled at one point, seen through that point's interface.
template <typename Interface>
struct Enabled {
  const Plugin* plugin = nullptr;  // name, wakes_on
  Interface* does = nullptr;       // the same object
  std::int64_t weight = 1;         // of scores

  Interface* operator->() const { return does; }
};

template <typename Interface>
using EnabledList = std::vector<Enabled<Interface>>;

struct Profile {
  std::string scheduler_name;

  EnabledList<const PreEnqueuePlugin> pre_enqueue;
  const QueueSortPlugin* queue_sort = nullptr;       // exactly one
  EnabledList<const FilterPlugin> filters;           // PreFilter and Filter
  EnabledList<const ScorePlugin> scores;             // PreScore and Score
  EnabledList<PostFilterPlugin> post_filters;        // for lone pods
  EnabledList<PostFilterPlugin> group_post_filters;  // for groups
  EnabledList<ReservePlugin> reserve;
  EnabledList<const PermitPlugin> permit;
  EnabledList<PreBindPlugin> pre_bind;
  EnabledList<BindPlugin> bind;  // at least one
  EnabledList<PostBindPlugin> post_bind;
  EnabledList<const PlacementGeneratePlugin> placement_generate;
  EnabledList<const PlacementFeasiblePlugin> placement_feasible;
  EnabledList<const PlacementScorePlugin> placement_score;

  // Whether the default preemption is enabled at PostFilter and at PodGroupPostFilter. Preemption
  // decides about whole groups on the cluster itself, so the cycle carries it out and the name is
  // only a switch with arguments.
  bool preempts = true;
  bool preempts_for_groups = true;
  DefaultPreemptionArgs preemption;

  TopologyArgs topology;

  // Some filter looks at every resource and at nothing else, so that how many pods a node holds is
  // a matter of arithmetic.
  bool counts_resources = true;

  // What filters and scores look at of a pod, beyond what every class has in common.
  PodAspects looks = PodAspects::none;
  // Some filter is a user's: which pods on a node it minds, nobody knows.
  bool has_user_filters = false;

  // Every enabled plugin once; what the pointers above point into.
  std::vector<std::unique_ptr<Plugin>> plugins;

  // The filter whose answer counting resources gives as well, or null.
  const Plugin* resource_filter() const {
    for (const auto& filter : filters) {
      if (filter->only_resources()) return filter.plugin;
    }
    return nullptr;
  }

  // The status as what the plugin says that makes the placements of groups.
  PluginStatus said_by_generator(PluginStatus status) const {
    return placement_generate.empty()
               ? std::move(status)
               : said_by(*placement_generate.front().plugin, std::move(status));
  }

  // The enabled plugin of that name, or null.
  const Plugin* find(std::string_view name) const {
    for (const auto& plugin : plugins) {
      if (plugin->name() == name) return plugin.get();
    }
    return nullptr;
  }
};

// What the plugins of all profiles together look at.
inline PodAspects aspects_of(const std::vector<Profile>& profiles) {
  PodAspects all = PodAspects::none;
  for (const auto& profile : profiles) all = all | profile.looks;
  return all;
}

}  // namespace tutti::core
