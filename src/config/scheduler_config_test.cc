#include "config/scheduler_config.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

namespace tutti::config {
namespace {

using namespace std::chrono_literals;

constexpr std::string_view kHeader =
    "apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n";

Result<core::SchedulerConfig> parse_below_header(std::string_view body) {
  return parse_config(std::string(kHeader).append(body));
}

core::SchedulerConfig must_parse(std::string_view body) {
  Result<core::SchedulerConfig> config = parse_below_header(body);
  EXPECT_TRUE(config.ok()) << (config.ok() ? "" : config.error().message);
  return config.ok() ? *std::move(config) : core::SchedulerConfig{};
}

// The arguments of one plugin in a configuration that says nothing else.
template <typename Args>
Args args_of(const std::string& plugin, const std::string& args) {
  const std::string body =
      "profiles: [{pluginConfig: [{name: " + plugin + ", args: " + args + "}]}]\n";
  const core::SchedulerConfig config = must_parse(body);
  if (config.profiles.empty()) return {};
  const auto entry = config.profiles.front().args.find(plugin);
  EXPECT_NE(entry, config.profiles.front().args.end());
  if (entry == config.profiles.front().args.end()) return {};
  EXPECT_TRUE(std::holds_alternative<Args>(entry->second));
  return std::get<Args>(entry->second);
}

TEST(SchedulerConfig, hasOneProfileWithDefaultsWhenNothingIsSaid) {
  const core::SchedulerConfig config = must_parse("");

  ASSERT_EQ(config.profiles.size(), 1U);
  EXPECT_EQ(config.profiles[0].scheduler_name, "default-scheduler");
  EXPECT_EQ(config.initial_backoff, 1s);
  EXPECT_EQ(config.max_backoff, 10s);
  EXPECT_FALSE(config.percentage_of_nodes_to_score);
}

TEST(SchedulerConfig, isOneProfileNamedTuttiWithoutAFile) {
  const core::SchedulerConfig config = default_config();

  ASSERT_EQ(config.profiles.size(), 1U);
  EXPECT_EQ(config.profiles[0].scheduler_name, "tutti");
}

TEST(SchedulerConfig, readsWhatARealFileSays) {
  const core::SchedulerConfig config = must_parse(R"(
clientConnection: {kubeconfig: /etc/kubernetes/scheduler.conf, qps: 50, burst: 100}
leaderElection: {leaderElect: true, leaseDuration: 15s}
parallelism: 16
podInitialBackoffSeconds: 2
podMaxBackoffSeconds: 20
percentageOfNodesToScore: 50
profiles:
- schedulerName: batch
  plugins:
    score:
      disabled: [{name: "*"}]
      enabled: [{name: NodeResourcesFit, weight: 5}]
    multiPoint:
      enabled: [{name: Coscheduling}]
- schedulerName: web
)");

  EXPECT_EQ(config.initial_backoff, 2s);
  EXPECT_EQ(config.max_backoff, 20s);
  EXPECT_EQ(config.percentage_of_nodes_to_score, 50);
  ASSERT_EQ(config.profiles.size(), 2U);
  const core::PluginSet& score = config.profiles[0].at(core::Point::score);
  EXPECT_EQ(score.disabled, std::vector<std::string>{"*"});
  EXPECT_EQ(score.enabled, (std::vector<core::PluginRef>{{"NodeResourcesFit", 5}}));
  const core::PluginSet& everywhere = config.profiles[0].at(core::Point::multi_point);
  EXPECT_EQ(everywhere.enabled, (std::vector<core::PluginRef>{{"Coscheduling", 0}}));
  EXPECT_EQ(config.profiles[1].scheduler_name, "web");
}

TEST(SchedulerConfig, readsJsonToo) {
  const auto config = parse_config(
      R"({"apiVersion": "kubescheduler.config.k8s.io/v1", "kind": "KubeSchedulerConfiguration",
          "podMaxBackoffSeconds": 30})");

  ASSERT_TRUE(config.ok());
  EXPECT_EQ(config->max_backoff, 30s);
}

TEST(PluginArgs, ofFitCarryTheStrategyAndItsShape) {
  const auto args = args_of<core::FitArgs>("NodeResourcesFit", R"({
    scoringStrategy: {
      type: RequestedToCapacityRatio,
      resources: [{name: nvidia.com/gpu, weight: 3}, {name: cpu}],
      requestedToCapacityRatio: {
        shape: [{utilization: 0, score: 0}, {utilization: 100, score: 10}]}},
    ignoredResources: [example.com/foo], ignoredResourceGroups: [example.org]})");

  EXPECT_EQ(args.strategy, core::FitArgs::Strategy::requested_to_capacity_ratio);
  EXPECT_EQ(args.resources,
            (std::vector<core::WeightedResource>{{"nvidia.com/gpu", 3}, {"cpu", 1}}));
  EXPECT_EQ(args.shape, (std::vector<core::ShapePoint>{{0, 0}, {100, 10}}));
  EXPECT_EQ(args.ignored_resources, std::vector<std::string>{"example.com/foo"});
  EXPECT_EQ(args.ignored_groups, std::vector<std::string>{"example.org"});
}

TEST(PluginArgs, ofFitKeepTheDefaultResourcesWhenNoneAreListed) {
  const auto args =
      args_of<core::FitArgs>("NodeResourcesFit", "{scoringStrategy: {type: MostAllocated}}");

  EXPECT_EQ(args.strategy, core::FitArgs::Strategy::most_allocated);
  EXPECT_EQ(args.resources, (std::vector<core::WeightedResource>{{"cpu", 1}, {"memory", 1}}));
}

TEST(PluginArgs, ofNodeAffinityCarryTheAddedTerms) {
  const auto args = args_of<core::NodeAffinityArgs>("NodeAffinity", R"({
    addedAffinity: {
      requiredDuringSchedulingIgnoredDuringExecution: {nodeSelectorTerms: [
        {matchExpressions: [{key: pool, operator: In, values: [a]}]}]},
      preferredDuringSchedulingIgnoredDuringExecution: [
        {weight: 7, preference: {matchExpressions: [{key: fast, operator: Exists}]}}]}})");

  ASSERT_TRUE(args.added_affinity && args.added_affinity->required);
  ASSERT_EQ(args.added_affinity->required->size(), 1U);
  EXPECT_EQ(args.added_affinity->required->front().match_expressions.front().key, "pool");
  ASSERT_EQ(args.added_affinity->preferred.size(), 1U);
  EXPECT_EQ(args.added_affinity->preferred.front().weight, 7);
}

TEST(PluginArgs, ofTopologySpreadCarryTheListOfConstraints) {
  const auto args = args_of<core::PodTopologySpreadArgs>("PodTopologySpread", R"({
    defaultingType: List,
    defaultConstraints: [{maxSkew: 2, topologyKey: zone, whenUnsatisfiable: ScheduleAnyway}]})");

  EXPECT_EQ(args.defaulting, core::PodTopologySpreadArgs::Defaulting::list);
  ASSERT_EQ(args.default_constraints.size(), 1U);
  EXPECT_EQ(args.default_constraints[0].max_skew, 2);
  EXPECT_EQ(args.default_constraints[0].topology_key, "zone");
  EXPECT_FALSE(args.default_constraints[0].hard);
}

TEST(PluginArgs, ofTheSmallPluginsAreRead) {
  EXPECT_EQ(args_of<core::InterPodAffinityArgs>("InterPodAffinity", "{hardPodAffinityWeight: 9}")
                .hard_pod_affinity_weight,
            9);
  EXPECT_EQ(
      args_of<core::VolumeBindingArgs>("VolumeBinding", "{bindTimeoutSeconds: 5}").bind_timeout,
      5s);
  EXPECT_EQ(
      args_of<core::DefaultPreemptionArgs>("DefaultPreemption", "{minCandidateNodesAbsolute: 3}")
          .min_candidate_nodes_absolute,
      3);
}

TEST(PluginArgs, ofDynamicResourcesReplaceTheDomains) {
  using Args = core::DynamicResourcesArgs;
  EXPECT_EQ(args_of<Args>("DynamicResources", "{}").device_domains, Args{}.device_domains);
  EXPECT_TRUE(args_of<Args>("DynamicResources", "{deviceDomains: []}").device_domains.empty());
  EXPECT_EQ(args_of<Args>("DynamicResources", "{}").binding_timeout, std::chrono::minutes(10));
  EXPECT_EQ(args_of<Args>("DynamicResources", "{bindingTimeout: 90s}").binding_timeout,
            std::chrono::seconds(90));
  EXPECT_EQ(
      args_of<Args>("DynamicResources", "{deviceDomains: ['*/island', a.com/b]}").device_domains,
      (std::vector<std::string>{"*/island", "a.com/b"}));
}

TEST(PluginArgs, ofWorkloadClassReplaceTheRulesOfTheClassesTheyName) {
  using core::ClassRule;
  using core::WorkClass;
  const auto args = args_of<core::WorkloadClassArgs>("WorkloadClass", R"({
    rules: [{class: inference, nodes: Spread, apartFrom: [batch]}, {class: batch}]})");

  const core::WorkloadClassArgs standard;
  EXPECT_EQ(args.rules, (std::vector<ClassRule>{
                            standard.rules[0],
                            {WorkClass::inference, ClassRule::Nodes::spread, {WorkClass::batch}},
                            {WorkClass::batch, ClassRule::Nodes::any, {}}}));
}

TEST(PluginArgs, ofFractionalGpusCarryThePolicyAndWhatItExpects) {
  const auto args = args_of<core::FractionalGpuArgs>("FractionalGpus", R"({
    policy: FragmentationGradient, blend: 0.9, allPods: 10, cpuCap: "96", gpuMilliCap: 4000,
    typicalPods: [{cpu: 500m, gpuMilli: 250, count: 3}, {gpuMilli: 2000, gpuModels: [T4, A10]}]})");

  using Policy = core::FractionalGpuArgs::Policy;
  EXPECT_EQ(args.policy, Policy::fragmentation_gradient);
  EXPECT_EQ(args.blend, 0.9);
  EXPECT_EQ(args.all_pods, 10);
  EXPECT_EQ(args.cpu_cap, 96'000);
  EXPECT_EQ(args.gpu_cap, 4'000);
  EXPECT_EQ(args.typical_pods,
            (std::vector<core::TypicalPod>{{500, 250, {}, 3}, {0, 2000, {"T4", "A10"}, 1}}));
}

TEST(PluginArgs, mayNameTheirVersionAndKind) {
  const auto args = args_of<core::InterPodAffinityArgs>("InterPodAffinity", R"({
    apiVersion: kubescheduler.config.k8s.io/v1, kind: InterPodAffinityArgs,
    ignorePreferredTermsOfExistingPods: true})");

  EXPECT_TRUE(args.ignore_preferred_terms_of_existing_pods);
}

TEST(PluginArgs, ofAUsersPluginAreKeptAsJson) {
  const auto args = args_of<core::CustomArgs>("RackColour", "{favourite: red, depth: {levels: 3}}");

  EXPECT_EQ(args.json, R"({"favourite":"red","depth":{"levels":3}})");
}

struct Refusal {
  std::string body;
  std::string message;
};

TEST(SchedulerConfig, namesLineAndFieldOfWhatItRefuses) {
  const std::string fit = "profiles:\n- pluginConfig:\n  - name: NodeResourcesFit\n    args:\n";
  const std::string devices = "profiles:\n- pluginConfig:\n  - name: DynamicResources\n    args:\n";
  const std::string classes = "profiles:\n- pluginConfig:\n  - name: WorkloadClass\n    args:\n";
  const std::string gpus = "profiles:\n- pluginConfig:\n  - name: FractionalGpus\n    args:\n";
  const std::vector<Refusal> refusals = {
      {gpus + "      policy: Fgd", "args.policy: unknown value 'Fgd'"},
      {gpus + "      blend: 2", "args.blend: must be a number from 0 to 1"},
      {gpus + "      typicalPods: [{gpuMilli: 1500}]",
       "typicalPods[0].gpuMilli: must be 0 to 1000, or a multiple of 1000"},
      {gpus + "      typicalPods: [{count: 0}]", "typicalPods[0].count: must be at least 1"},
      {"podMaxBackoffSecond: 3", "line 3: podMaxBackoffSecond: unknown field"},
      {"podInitialBackoffSeconds: 0", "line 3: podInitialBackoffSeconds: must be at least 1, is 0"},
      {"podInitialBackoffSeconds: 20",
       "podMaxBackoffSeconds: must be at least podInitialBackoffSeconds (20), is 10"},
      {"percentageOfNodesToScore: 101",
       "line 3: percentageOfNodesToScore: must be between 0 and 100, is 101"},
      {"profiles: 3", "line 3: profiles: expected an array, found an integer"},
      {"profiles:\n- {schedulerName: a}\n- {schedulerName: a}",
       "line 5: profiles[1].schedulerName: 'a' has a profile already"},
      {"profiles: [{plugins: {filters: {}}}]",
       "line 3: profiles[0].plugins.filters: no extension point of this name"},
      {"profiles: [{plugins: {filter: {enabled: [{name: A}, {name: A}]}}}]",
       "profiles[0].plugins.filter.enabled[1]: 'A' is enabled twice"},
      {"profiles: [{plugins: {filter: {enabled: [{weight: 3}]}}}]",
       "profiles[0].plugins.filter.enabled[0].name: required"},
      {"profiles: [{pluginConfig: [{name: A}, {name: A}]}]",
       "profiles[0].pluginConfig[1]: 'A' is configured twice"},
      {"extenders: [{urlPrefix: http://x}]", "line 3: extenders[0]: extenders are not supported"},
      {fit + "      scoringStrategy: {type: Least}",
       "line 7: profiles[0].pluginConfig[0].args.scoringStrategy.type: unknown value 'Least'"},
      {fit + "      scoringStrategy: {resources: [{name: cpu, weight: 101}]}",
       "scoringStrategy.resources[0].weight: must be between 1 and 100, is 101"},
      {fit + "      scoringStrategy: {type: RequestedToCapacityRatio}",
       "scoringStrategy.requestedToCapacityRatio: needs a shape"},
      {fit + "      ignoredResourceGroups: [a/b]",
       "ignoredResourceGroups[0]: must be the part before the '/', is 'a/b'"},
      {fit + "      kind: NodeAffinityArgs",
       "args.kind: must be NodeResourcesFitArgs, is 'NodeAffinityArgs'"},
      {"profiles: [{pluginConfig: [{name: DefaultPreemption, args: "
       "{minCandidateNodesPercentage: 0, minCandidateNodesAbsolute: 0}}]}]",
       "cannot both be 0"},
      {"profiles: [{pluginConfig: [{name: PodTopologySpread, args: {defaultConstraints: "
       "[{maxSkew: 1, topologyKey: z, whenUnsatisfiable: DoNotSchedule}]}}]}]",
       "defaultConstraints: only with defaultingType List"},
      {devices + "      deviceDomains: nvlink",
       "line 7: profiles[0].pluginConfig[0].args.deviceDomains: expected an array, found a string"},
      {devices + "      bindingTimeout: 10ms", "args.bindingTimeout: must be at least 1s"},
      {devices + "      deviceDomains: [nvlink]",
       "args.deviceDomains[0]: must be DOMAIN/NAME or */NAME, is 'nvlink'"},
      {devices + "      deviceDomains: ['a.*/b']", "is 'a.*/b'"},
      {devices + "      deviceDomains: [a/b, a/b]", "args.deviceDomains[1]: 'a/b' is listed twice"},
      {devices + "      domains: []",
       "line 7: profiles[0].pluginConfig[0].args.domains: unknown field"},
      {classes + "      rules: [{class: serving}]",
       "line 7: profiles[0].pluginConfig[0].args.rules[0].class: unknown value 'serving', expected "
       "one of "
       "training, inference, batch"},
      {classes + "      rules: [{nodes: Packed}]", "args.rules[0].class: required"},
      {classes + "      rules: [{class: batch, nodes: Tight}]",
       "args.rules[0].nodes: unknown value 'Tight', expected one of Any, Packed, Spread"},
      {classes + "      rules: [{class: batch, hard: true}]", "args.rules[0].hard: unknown field"},
      {classes + "      rules: [{class: batch, apartFrom: [batch]}]",
       "args.rules[0].apartFrom[0]: a class cannot be kept apart from itself"},
      {classes + "      rules: [{class: batch}, {class: batch}]",
       "args.rules[1]: a second rule for class batch"},
      {"profiles: [{pluginConfig: [{name: Broker, args: {mode: both}}]}]",
       "profiles[0].pluginConfig[0].args.mode: unknown value 'both', expected one of own, observe, "
       "check"},
      {"profiles: [{pluginConfig: [{name: Broker, args: {modes: own}}]}]",
       "args.modes: unknown field"},
      {"profiles: [{schedulerName: a, pluginConfig: [{name: Broker, args: {mode: own}}]}, "
       "{schedulerName: b, pluginConfig: [{name: Broker, args: {mode: check}}]}]",
       "profiles[1].pluginConfig: Broker has other arguments in a profile before"},
      {"---\na: 1", "a second document"},
  };
  for (const Refusal& refusal : refusals) {
    SCOPED_TRACE(refusal.body);
    const auto config = parse_below_header(refusal.body);
    ASSERT_FALSE(config.ok());
    EXPECT_NE(config.error().message.find(refusal.message), std::string::npos)
        << config.error().message;
  }
}

TEST(SchedulerConfig, readsTheBrokersModeFromAnyProfile) {
  const auto silent = parse_below_header("profiles: [{schedulerName: a}]");
  ASSERT_TRUE(silent.ok());
  EXPECT_FALSE(silent->broker.mode.has_value());
  const auto said = parse_below_header(
      "profiles: [{schedulerName: a}, {schedulerName: b, pluginConfig: [{name: Broker, args: "
      "{mode: observe}}]}]");
  ASSERT_TRUE(said.ok()) << said.error().message;
  EXPECT_EQ(said->broker.mode, core::BrokerMode::observe);
}

TEST(SchedulerConfig, readsHowTheBrokerLetsOthersPass) {
  EXPECT_EQ(must_parse("").broker.backfill, core::BackfillArgs{});
  const core::SchedulerConfig config = must_parse(
      "profiles: [{pluginConfig: [{name: Broker, args: {backfill: {mode: easy, drainAfter: "
      "2h}}}]}]");
  EXPECT_EQ(config.broker.backfill.mode, core::BackfillMode::easy);
  EXPECT_EQ(config.broker.backfill.drain_after, 2h);
  for (const char* bad :
       {"{backfill: {mode: both}}", "{backfill: {drainAfter: soon}}",
        "{backfill: {drainAfter: -1h}}", "{backfill: {after: 1h}}", "{backfill: easy}"}) {
    EXPECT_FALSE(parse_below_header(
                     "profiles: [{pluginConfig: [{name: Broker, args: " + std::string(bad) + "}]}]")
                     .ok())
        << bad;
  }
}

TEST(SchedulerConfig, refusesOtherVersionsAndKinds) {
  EXPECT_FALSE(parse_config("").ok());
  EXPECT_FALSE(parse_config("3").ok());
  EXPECT_FALSE(parse_config("kind: KubeSchedulerConfiguration").ok());
  const auto old = parse_config(
      "apiVersion: kubescheduler.config.k8s.io/v1beta3\nkind: KubeSchedulerConfiguration");
  ASSERT_FALSE(old.ok());
  EXPECT_NE(old.error().message.find("must be kubescheduler.config.k8s.io/v1"), std::string::npos);
}

}  // namespace
}  // namespace tutti::config
