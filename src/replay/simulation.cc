#include "replay/simulation.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "config/places.h"
#include "plugins/registry.h"
#include "replay/replay.h"
#include "replay/typical_pods.h"

namespace tutti::replay {
namespace {

constexpr std::array<MeasureColumn, 4> kCompared = {{
    {"waitMean", [](const Measures& m) { return m.all.wait_mean; }},
    {"jctMean", [](const Measures& m) { return m.all.jct_mean; }},
    {"boundedSlowdown", [](const Measures& m) { return m.all.bounded_slowdown; }},
    {"gpuUseful", [](const Measures& m) { return m.share(m.gpu_hours_useful); }},
}};

Error our_mistake(const Policy& policy, std::int64_t seed, std::string_view what) {
  return {Error::Code::io, fmt::format("policy {}, seed {}: Tutti's books do not agree: {}",
                                       policy.name, seed, what)};
}

std::shared_ptr<const Curves> curves_of_run(std::span<const trace::Job> jobs,
                                            const Replay& replay) {
  constexpr std::size_t kLongest = 10;
  const auto seconds = [](Millis span) { return static_cast<double>(span.count()) / 1000; };
  auto curves = std::make_shared<Curves>();
  curves->series = replay.series();
  for (std::size_t i = 0; i < jobs.size(); ++i) {
    const JobOutcome& outcome = replay.outcomes()[i];
    if (outcome.state == JobOutcome::State::impossible) continue;
    const bool started = outcome.first_start.has_value();
    const double wait = seconds(outcome.first_start.value_or(replay.now()) - jobs[i].submit);
    if (started) curves->waits.push_back(wait);
    if (outcome.state == JobOutcome::State::completed) {
      curves->jcts.push_back(seconds(*outcome.end - jobs[i].submit));
    }
    curves->longest.push_back({i, wait, started});
  }
  std::ranges::sort(curves->waits);
  std::ranges::sort(curves->jcts);
  std::ranges::stable_sort(curves->longest, std::greater<>{}, &LongWait::seconds);
  curves->longest.resize(std::min(curves->longest.size(), kLongest));
  return curves;
}

Result<SimulationRun> run_once(const trace::Trace& trace, const trace::NodeList& nodes,
                               const Policy& policy, std::int64_t seed,
                               const SimulationOptions& options) {
  const bool typical = config::expects_typical_pods(policy.place);
  core::SchedulerConfig config =
      scheduler_config(policy, static_cast<std::uint64_t>(seed),
                       typical ? typical_pods(trace.jobs) : std::vector<core::TypicalPod>{},
                       typical ? count_pods(trace.jobs) : 0);
  config.broker.backfill.keeps_places = options.reserves_nodes;
  std::vector<core::Profile> profiles;
  TUTTI_ASSIGN(core::Profile profile, plugins::build_profile(config.profiles.front()));
  profiles.push_back(std::move(profile));
  std::vector<std::string> names;
  for (const trace::Node& node : nodes.nodes) names.push_back(node.name);
  Workload workload(trace.jobs, unit_for(trace.jobs, config::looks_at_devices(policy.place)),
                    policy.order == Policy::Order::priority, policy.in_queue());
  ReplayOptions replay_options;
  replay_options.until = options.until;
  replay_options.enforce_limits = options.enforce_limits;
  replay_options.failures = options.failures;
  replay_options.failure_seed = static_cast<std::uint64_t>(seed);
  if (options.slowdown) {
    replay_options.slowdown = [&](const trace::Job& job, std::span<const NodePods> places) {
      return options.slowdown->of(job, places, nodes.nodes);
    };
  }
  replay_options.in_queue = policy.in_queue();
  replay_options.strict = policy.start == Policy::Start::strict;
  Replay replay(workload, nodes.nodes, names, config, std::move(profiles), replay_options);
  replay.run();
  if (const std::string problem = replay.problem(); !problem.empty()) {
    return our_mistake(policy, seed, problem);
  }
  SimulationRun run{
      policy.name, seed, measure(trace.jobs, nodes.nodes, replay), replay.digest(), {}};
  if (const std::string problem = broken_identity(run.measures); !problem.empty()) {
    return our_mistake(policy, seed, problem);
  }
  if (options.curves && seed == options.seeds.front()) {
    run.curves = curves_of_run(trace.jobs, replay);
  }
  if (options.finished) TUTTI_TRY(options.finished(policy, seed, replay.outcomes()));
  return run;
}

std::vector<double> values_of(std::span<const SimulationRun> runs, const MeasureColumn& column) {
  std::vector<double> values;
  for (const SimulationRun& run : runs) values.push_back(column.of(run.measures));
  return values;
}

std::vector<Comparison> compare(const SimulationOptions& options,
                                std::span<const SimulationRun> runs) {
  const std::size_t seeds = options.seeds.size();
  std::vector<Comparison> all;
  for (const MeasureColumn& column : kCompared) {
    std::vector<Pairing> pairings;
    const std::size_t first = all.size();
    for (std::size_t a = 0; a < options.policies.size(); ++a) {
      for (std::size_t b = a + 1; b < options.policies.size(); ++b) {
        const auto of_a = values_of(runs.subspan(a * seeds, seeds), column);
        const auto of_b = values_of(runs.subspan(b * seeds, seeds), column);
        pairings.push_back(pair_up(of_a, of_b));
        all.push_back(
            {std::string(column.name), options.policies[a].name, options.policies[b].name, {}});
      }
    }
    correct_by_holm(pairings);
    for (std::size_t i = 0; i < pairings.size(); ++i) all[first + i].pairing = pairings[i];
  }
  return all;
}

// Drawn failures never end: something else must.
Status check_end(const trace::Trace& trace, const SimulationOptions& options) {
  const bool drawn = options.failures.between || !options.failures.domains.empty();
  const bool for_ever =
      std::ranges::any_of(trace.jobs, [](const trace::Job& job) { return !job.duration; });
  if (!drawn || !for_ever || options.until) return ok_status();
  return Error{Error::Code::invalid,
               "failures that are drawn need --until where jobs run for ever"};
}

}  // namespace

std::span<const MeasureColumn> compared_measures() { return kCompared; }

Result<SimulationResult> simulate(const trace::Trace& trace, const trace::NodeList& nodes,
                                  const SimulationOptions& options) {
  SimulationResult result;
  TUTTI_TRY(check_end(trace, options));
  for (const Policy& policy : options.policies) {
    for (const std::int64_t seed : options.seeds) {
      if (options.progress) {
        options.progress(result.runs.size(), options.policies.size() * options.seeds.size());
      }
      TUTTI_ASSIGN(SimulationRun run, run_once(trace, nodes, policy, seed, options));
      result.runs.push_back(std::move(run));
    }
  }
  if (options.seeds.size() > 1) result.comparisons = compare(options, result.runs);
  return result;
}

}  // namespace tutti::replay
