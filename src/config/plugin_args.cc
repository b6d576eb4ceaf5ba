#include "config/plugin_args.h"

#include <fmt/core.h>

#include <algorithm>
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

// "domain/name", or "*/name" for the name of any driver.
bool names_attribute(const std::string& text) {
  const auto slash = text.find('/');
  return slash != std::string::npos && slash > 0 && slash + 1 < text.size() &&
         text.find('/', slash + 1) == std::string::npos &&
         text.find('*') == (text.starts_with("*/") ? 0 : std::string::npos) &&
         text.find('*', 1) == std::string::npos;
}

void read_args(const Field& at, core::DynamicResourcesArgs& out) {
  only_members(at, {"apiVersion", "kind", "deviceDomains", "bindingTimeout"});
  at.member("bindingTimeout", [&](const Field& field) {
    std::string text;
    read(field, text);
    const Result<Millis> duration = parse_duration(text);
    if (!duration.ok()) return field.fail(duration.error().message);
    if (*duration < std::chrono::seconds(1)) field.fail("must be at least 1s");
    out.binding_timeout = *duration;
  });
  at.member("deviceDomains", [&](const Field&) { out.device_domains.clear(); });
  at.list("deviceDomains", [&](const Field& item) {
    std::string name;
    read(item, name);
    if (!names_attribute(name)) {
      item.fail(fmt::format("must be DOMAIN/NAME or */NAME, is '{}'", name));
    } else if (std::ranges::find(out.device_domains, name) != out.device_domains.end()) {
      item.fail(fmt::format("'{}' is listed twice", name));
    }
    out.device_domains.push_back(std::move(name));
  });
}

constexpr wire::EnumTable<core::WorkClass, 3> kWorkClasses = {{
    {"training", core::WorkClass::training},
    {"inference", core::WorkClass::inference},
    {"batch", core::WorkClass::batch},
}};
constexpr wire::EnumTable<core::ClassRule::Nodes, 3> kNodeChoices = {{
    {"Any", core::ClassRule::Nodes::any},
    {"Packed", core::ClassRule::Nodes::packed},
    {"Spread", core::ClassRule::Nodes::spread},
}};

core::ClassRule read_rule(const Field& at) {
  only_members(at, {"class", "nodes", "apartFrom"});
  core::ClassRule rule;
  at.required("class", rule.work, kWorkClasses);
  at("nodes", rule.nodes, kNodeChoices);
  at.list("apartFrom", [&](const Field& item) {
    core::WorkClass other = core::WorkClass::none;
    read(item, other, kWorkClasses);
    if (other == core::WorkClass::none) {
      item.fail("must be training, inference or batch");
    } else if (other == rule.work) {
      item.fail("a class cannot be kept apart from itself");
    }
    rule.apart_from.push_back(other);
  });
  return rule;
}

// A rule replaces the default rule of its class; other classes keep theirs.
void read_args(const Field& at, core::WorkloadClassArgs& out) {
  only_members(at, {"apiVersion", "kind", "rules"});
  std::vector<core::WorkClass> given;
  at.list("rules", [&](const Field& item) {
    core::ClassRule rule = read_rule(item);
    if (rule.work == core::WorkClass::none) return item.fail_member("class", "required");
    if (std::ranges::find(given, rule.work) != given.end()) {
      item.fail(fmt::format("a second rule for class {}", core::name_of(rule.work)));
    }
    given.push_back(rule.work);
    std::erase_if(out.rules, [&](const auto& known) { return known.work == rule.work; });
    out.rules.push_back(std::move(rule));
  });
}

constexpr wire::EnumTable<core::FractionalGpuArgs::Policy, 7> kGpuPolicies = {{
    {"None", core::FractionalGpuArgs::Policy::none},
    {"BestFit", core::FractionalGpuArgs::Policy::best_fit},
    {"DotProduct", core::FractionalGpuArgs::Policy::dot_product},
    {"GpuPacking", core::FractionalGpuArgs::Policy::gpu_packing},
    {"GpuClustering", core::FractionalGpuArgs::Policy::gpu_clustering},
    {"FragmentationGradient", core::FractionalGpuArgs::Policy::fragmentation_gradient},
    {"Random", core::FractionalGpuArgs::Policy::random},
}};

core::TypicalPod read_typical_pod(const Field& at) {
  only_members(at, {"cpu", "gpuMilli", "gpuModels", "count"});
  core::TypicalPod pod;
  at.member("cpu", [&](const Field& field) {
    Quantity cpu;
    read(field, cpu);
    if (cpu.negative()) field.fail("must not be negative");
    pod.milli_cpu = cpu.milli();
  });
  at("gpuMilli", pod.gpu_milli);
  const bool whole = pod.gpu_milli % 1000 == 0;
  if (pod.gpu_milli < 0 || (pod.gpu_milli > 1000 && !whole)) {
    at.fail_member("gpuMilli", "must be 0 to 1000, or a multiple of 1000");
  }
  at.list("gpuModels", [&](const Field& item) { read(item, pod.models.emplace_back()); });
  at("count", pod.count);
  if (pod.count < 1) at.fail_member("count", "must be at least 1");
  return pod;
}

void read_args(const Field& at, core::FractionalGpuArgs& out) {
  only_members(at, {"apiVersion", "kind", "policy", "typicalPods", "allPods", "blend", "seed",
                    "cpuCap", "gpuMilliCap", "modelLabel"});
  at("policy", out.policy, kGpuPolicies);
  at.list("typicalPods",
          [&](const Field& item) { out.typical_pods.push_back(read_typical_pod(item)); });
  at("allPods", out.all_pods);
  at.member("blend", [&](const Field& field) {
    if (!field.value().is_integer() && !field.value().is_number()) {
      return field.fail("must be a number from 0 to 1");
    }
    out.blend = field.value().as_double();
    if (!(*out.blend >= 0 && *out.blend <= 1)) field.fail("must be a number from 0 to 1");
  });
  std::int64_t seed = 0;
  at("seed", seed);
  out.seed = static_cast<std::uint64_t>(seed);
  at.member("cpuCap", [&](const Field& field) {
    Quantity cap;
    read(field, cap);
    out.cpu_cap = cap.milli();
    if (out.cpu_cap < 1) field.fail("must be positive");
  });
  at("gpuMilliCap", out.gpu_cap);
  if (out.gpu_cap < 1) at.fail_member("gpuMilliCap", "must be positive");
  at("modelLabel", out.model_label);
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
constexpr std::array<TypedPlugin, 11> kTypedPlugins = {{
    {"NodeResourcesFit", read_as<core::FitArgs>},
    {"NodeResourcesBalancedAllocation", read_as<core::BalancedAllocationArgs>},
    {"NodeAffinity", read_as<core::NodeAffinityArgs>},
    {"InterPodAffinity", read_as<core::InterPodAffinityArgs>},
    {"PodTopologySpread", read_as<core::PodTopologySpreadArgs>},
    {"VolumeBinding", read_as<core::VolumeBindingArgs>},
    {"DefaultPreemption", read_as<core::DefaultPreemptionArgs>},
    {"TopologyPlacementGenerator", read_as<core::TopologyArgs>},
    {"DynamicResources", read_as<core::DynamicResourcesArgs>},
    {"WorkloadClass", read_as<core::WorkloadClassArgs>},
    {"FractionalGpus", read_as<core::FractionalGpuArgs>},
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
