#include "plugins/registry.h"

#include <algorithm>
#include <functional>
#include <map>
#include <set>
#include <string>

#include "core/framework/per_node_adapter.h"
#include "plugins/builtin.h"
#include "plugins/placement/topology_placement.h"
#include "plugins/preemption/default_preemption.h"

namespace tutti::plugins {
namespace {

using core::PluginRef;
using core::PluginSet;
using core::Point;
using Refs = std::vector<PluginRef>;

const PluginRef* find(const Refs& refs, std::string_view name) {
  const auto at = std::ranges::find(refs, name, &PluginRef::name);
  return at == refs.end() ? nullptr : &*at;
}

bool disables(const PluginSet& set, std::string_view name) {
  return std::ranges::any_of(set.disabled,
                             [&](const auto& off) { return off == "*" || off == name; });
}

Refs merge(const Refs& defaults, const PluginSet& wishes) {
  Refs merged;
  for (const PluginRef& ref : defaults) {
    if (disables(wishes, ref.name)) continue;
    const PluginRef* changed = find(wishes.enabled, ref.name);
    merged.push_back(changed != nullptr ? *changed : ref);
  }
  for (const PluginRef& ref : wishes.enabled) {
    if (find(merged, ref.name) == nullptr) merged.push_back(ref);
  }
  return merged;
}

// Builds one profile; each plugin is made once, whatever points it is enabled at.
class Builder {
 public:
  Builder(const core::ProfileConfig& config, const PluginLoader* loader)
      : config_(config),
        loader_(loader),
        multi_(merge(default_plugins(), config.at(Point::multi_point))) {}

  Result<core::Profile> build() {
    profile_.scheduler_name = config_.scheduler_name;
    TUTTI_TRY(refuse_duplicates());
    for (const PluginRef& ref : multi_) TUTTI_TRY(make(ref.name));
    TUTTI_TRY(fill(Point::pre_enqueue, profile_.pre_enqueue));
    TUTTI_TRY(fill_queue_sort());
    TUTTI_TRY(fill(Point::filter, profile_.filters));
    TUTTI_TRY(fill(Point::score, profile_.scores));
    TUTTI_TRY(fill(Point::reserve, profile_.reserve));
    TUTTI_TRY(fill(Point::permit, profile_.permit));
    TUTTI_TRY(fill(Point::pre_bind, profile_.pre_bind));
    TUTTI_TRY(fill(Point::bind, profile_.bind));
    TUTTI_TRY(fill(Point::post_bind, profile_.post_bind));
    TUTTI_TRY(fill_placement_generate());
    TUTTI_TRY(fill(Point::placement_feasible, profile_.placement_feasible));
    TUTTI_TRY(fill(Point::placement_score, profile_.placement_score));
    TUTTI_TRY(fill_post_filter(Point::post_filter, profile_.post_filters, profile_.preempts));
    TUTTI_TRY(fill_post_filter(Point::pod_group_post_filter, profile_.group_post_filters,
                               profile_.preempts_for_groups));
    set_preemption_args();
    set_topology_args();
    set_counting();
    set_aspects();
    if (profile_.bind.empty()) return problem("no plugin binds pods");
    return std::move(profile_);
  }

 private:
  using Implements = std::function<bool(const core::Plugin&)>;

  Error problem(const std::string& text) const {
    return {Error::Code::invalid, "profile " + config_.scheduler_name + ": " + text};
  }

  Status refuse_duplicates() const {
    for (std::size_t i = 0; i < core::kPointCount; ++i) {
      std::set<std::string_view> seen;
      for (const PluginRef& ref : config_.plugins[i].enabled) {
        if (seen.insert(ref.name).second) continue;
        return problem("plugin " + ref.name + " is enabled twice at " +
                       std::string(core::kPointNames[i]));
      }
    }
    return ok_status();
  }

  MadePlugin make_new(const std::string& name) const {
    const auto given = config_.args.find(name);
    const core::PluginArgs args = given == config_.args.end() ? core::PluginArgs{} : given->second;
    const auto builtin = std::ranges::find(builtins(), name, &Builtin::name);
    if (builtin != builtins().end()) return builtin->make(args);
    if (loader_ == nullptr) return Error{Error::Code::not_found, "no such plugin"};
    const auto* custom = std::get_if<core::CustomArgs>(&args);
    return loader_->load(name, custom != nullptr ? custom->json : std::string());
  }

  Status make(const std::string& name) {
    if (made_.contains(name)) return ok_status();
    auto plugin = make_new(name);
    if (!plugin.ok()) return problem("plugin " + name + ": " + plugin.error().message);
    made_.emplace(name, plugin->get());
    profile_.plugins.push_back(*std::move(plugin));
    return ok_status();
  }

  // The plugins of a point in order, with weights; all of them are made.
  Result<Refs> ordered(Point point, const Implements& implements) {
    const PluginSet& own = config_.at(point);
    for (const PluginRef& ref : own.enabled) {
      TUTTI_TRY(make(ref.name));
      if (!implements(*made_.at(ref.name))) {
        return problem("plugin " + ref.name + " has no part in " +
                       std::string(core::name_of(point)));
      }
    }
    Refs refs;
    const auto in_multi = [&](const PluginRef& ref) { return find(multi_, ref.name) != nullptr; };
    std::ranges::copy_if(own.enabled, std::back_inserter(refs), in_multi);
    std::ranges::copy_if(multi_, std::back_inserter(refs), [&](const PluginRef& ref) {
      return implements(*made_.at(ref.name)) && !disables(own, ref.name) &&
             find(own.enabled, ref.name) == nullptr;
    });
    std::ranges::copy_if(own.enabled, std::back_inserter(refs), std::not_fn(in_multi));
    return refs;
  }

  template <typename Interface>
  void enable(const PluginRef& ref, core::EnabledList<Interface>& list) {
    core::Plugin* const plugin = made_.at(ref.name);
    list.push_back({plugin, dynamic_cast<Interface*>(plugin), ref.weight == 0 ? 1 : ref.weight});
  }

  template <typename Interface>
  Status fill(Point point, core::EnabledList<Interface>& list) {
    TUTTI_ASSIGN(const Refs refs, ordered(point, [](const core::Plugin& plugin) {
                   return dynamic_cast<const Interface*>(&plugin) != nullptr;
                 }));
    for (const PluginRef& ref : refs) enable(ref, list);
    return ok_status();
  }

  Status fill_queue_sort() {
    core::EnabledList<const core::QueueSortPlugin> list;
    TUTTI_TRY(fill(Point::queue_sort, list));
    if (list.size() != 1) {
      return problem("needs exactly one plugin at queueSort, not " + std::to_string(list.size()));
    }
    profile_.queue_sort = list[0].does;
    return ok_status();
  }

  // A group is placed in the domains of one generator; a second would never be asked.
  Status fill_placement_generate() {
    TUTTI_TRY(fill(Point::placement_generate, profile_.placement_generate));
    if (profile_.placement_generate.size() < 2) return ok_status();
    return problem("takes at most one plugin at placementGenerate, not " +
                   std::to_string(profile_.placement_generate.size()));
  }

  // DefaultPreemption has a place at these points but no code behind it: see Profile::preempts.
  Status fill_post_filter(Point point, core::EnabledList<core::PostFilterPlugin>& list,
                          bool& preempts) {
    TUTTI_ASSIGN(const Refs refs, ordered(point, [](const core::Plugin& plugin) {
                   return plugin.name() == DefaultPreemption::kName ||
                          dynamic_cast<const core::PostFilterPlugin*>(&plugin) != nullptr;
                 }));
    preempts = find(refs, DefaultPreemption::kName) != nullptr;
    for (const PluginRef& ref : refs) {
      if (ref.name != DefaultPreemption::kName) enable(ref, list);
    }
    return ok_status();
  }

  // A user's filter may refuse a node for any reason: what fits is no matter of counting then.
  void set_aspects() {
    const auto look = [this](const auto& enabled) {
      profile_.looks = profile_.looks | enabled.plugin->looks_at();
    };
    std::ranges::for_each(profile_.filters, look);
    std::ranges::for_each(profile_.scores, look);
    profile_.has_user_filters = std::ranges::any_of(profile_.filters, [](const auto& filter) {
      return dynamic_cast<const core::PerNodeAdapter*>(filter.plugin) != nullptr;
    });
    if (profile_.has_user_filters) profile_.counts_resources = false;
  }

  void set_counting() {
    profile_.counts_resources = std::ranges::any_of(profile_.filters, [](const auto& filter) {
      return filter->only_resources() && filter->every_resource();
    });
  }

  // The arguments that the configuration gives the plugin, or null.
  template <typename Args>
  const Args* args_of(std::string_view plugin) const {
    const auto given = config_.args.find(std::string(plugin));
    return given == config_.args.end() ? nullptr : std::get_if<Args>(&given->second);
  }

  void set_topology_args() {
    if (const auto* args = args_of<core::TopologyArgs>(TopologyPlacementGenerator::kName)) {
      profile_.topology = *args;
    }
  }

  void set_preemption_args() {
    if (const auto* args = args_of<core::DefaultPreemptionArgs>(DefaultPreemption::kName)) {
      profile_.preemption = *args;
    }
  }

  const core::ProfileConfig& config_;
  const PluginLoader* loader_;
  Refs multi_;
  std::map<std::string, core::Plugin*, std::less<>> made_;
  core::Profile profile_;
};

}  // namespace

std::vector<PluginRef> default_plugins() {
  Refs refs;
  for (const Builtin& builtin : builtins()) {
    refs.push_back({std::string(builtin.name), builtin.weight});
  }
  return refs;
}

Result<core::Profile> build_profile(const core::ProfileConfig& config, const PluginLoader* loader) {
  return Builder(config, loader).build();
}

}  // namespace tutti::plugins
