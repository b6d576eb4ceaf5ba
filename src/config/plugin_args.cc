#include "config/plugin_args.h"

#include <fmt/core.h>

#include <array>
#include <limits>
#include <string>
#include <utility>

#include "config/placement_args.h"
#include "config/resource_args.h"
#include "config/strict.h"
#include "wire/json_writer.h"

namespace tutti::config {
namespace {

using config::read_args;  // beside those below
using wire::Field;
constexpr std::int32_t kNoLimit = std::numeric_limits<std::int32_t>::max();

void read_args(const Field& at, core::InterPodAffinityArgs& out) {
  only_members(
      at, {"apiVersion", "kind", "hardPodAffinityWeight", "ignorePreferredTermsOfExistingPods"});
  read_within(at, "hardPodAffinityWeight", 0, 100, out.hard_pod_affinity_weight);
  at("ignorePreferredTermsOfExistingPods", out.ignore_preferred_terms_of_existing_pods);
}

void read_args(const Field& at, core::VolumeBindingArgs& out) {
  only_members(at, {"apiVersion", "kind", "bindTimeoutSeconds", "shape"});
  auto seconds = static_cast<std::int32_t>(
      std::chrono::duration_cast<std::chrono::seconds>(out.bind_timeout).count());
  read_within(at, "bindTimeoutSeconds", 0, kNoLimit, seconds);
  out.bind_timeout = std::chrono::seconds(seconds);
  at.member("shape", [](const Field& field) {
    field.fail("not supported: Tutti does not score volumes by their capacity");
  });
}

void read_args(const Field& at, core::DefaultPreemptionArgs& out) {
  only_members(at,
               {"apiVersion", "kind", "minCandidateNodesPercentage", "minCandidateNodesAbsolute"});
  read_within(at, "minCandidateNodesPercentage", 0, 100, out.min_candidate_nodes_percentage);
  read_within(at, "minCandidateNodesAbsolute", 0, kNoLimit, out.min_candidate_nodes_absolute);
  if (out.min_candidate_nodes_percentage == 0 && out.min_candidate_nodes_absolute == 0) {
    at.fail("minCandidateNodesPercentage and minCandidateNodesAbsolute cannot both be 0");
  }
}

void read_args(const Field& at, core::TopologyArgs& out) {
  only_members(at, {"apiVersion", "kind", "domainChoice", "searchBudget"});
  static constexpr wire::EnumTable<bool, 2> kChoices = {{{"BestFit", false}, {"Spread", true}}};
  at("domainChoice", out.spread, kChoices);
  at("searchBudget", out.search_budget);
  if (out.search_budget && *out.search_budget < 1) {
    at.fail_member("searchBudget", "must be at least 1");
  }
}

template <typename Args>
core::PluginArgs read_as(const Field& at) {
  Args args;
  read_args(at, args);
  return args;
}

struct TypedPlugin {
  std::string_view name;
  core::PluginArgs (*read)(const Field& at);
};
constexpr std::array<TypedPlugin, 8> kTypedPlugins = {{
    {"NodeResourcesFit", read_as<core::FitArgs>},
    {"NodeResourcesBalancedAllocation", read_as<core::BalancedAllocationArgs>},
    {"NodeAffinity", read_as<core::NodeAffinityArgs>},
    {"InterPodAffinity", read_as<core::InterPodAffinityArgs>},
    {"PodTopologySpread", read_as<core::PodTopologySpreadArgs>},
    {"VolumeBinding", read_as<core::VolumeBindingArgs>},
    {"DefaultPreemption", read_as<core::DefaultPreemptionArgs>},
    {"TopologyPlacementGenerator", read_as<core::TopologyArgs>},
}};

void expect_word(const Field& at, std::string_view name, std::string_view expected) {
  at.member(name, [&](const Field& field) {
    std::string word;
    read(field, word);
    if (word != expected) field.fail(fmt::format("must be {}, is '{}'", expected, word));
  });
}

}  // namespace

core::PluginArgs read_plugin_args(const Field& at, std::string_view plugin) {
  for (const TypedPlugin& typed : kTypedPlugins) {
    if (typed.name != plugin) continue;
    if (!at.expect_object()) return {};
    expect_word(at, "apiVersion", "kubescheduler.config.k8s.io/v1");
    expect_word(at, "kind", fmt::format("{}Args", plugin));
    return typed.read(at);
  }
  return core::CustomArgs{wire::to_json(at.value())};
}

}  // namespace tutti::config
