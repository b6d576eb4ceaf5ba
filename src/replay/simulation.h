// Simulation: one trace on one cluster under several policies and seeds.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "replay/measures.h"
#include "replay/policy.h"
#include "replay/statistics.h"
#include "trace/job.h"

namespace tutti::replay {

struct SimulationOptions {
  std::vector<Policy> policies;
  std::vector<std::int64_t> seeds = {0};  // of what a policy draws
  std::optional<Millis> until;
  bool enforce_limits = false;
  // Backfill keeps the very nodes found for a job that waits, not room for it somewhere.
  bool reserves_nodes = false;
  // Sees every run when it is over, before the next.
  std::function<Status(const Policy&, std::int64_t seed, std::span<const JobOutcome>)> finished;
};

struct SimulationRun {
  std::string policy;
  std::int64_t seed = 0;
  Measures measures;
  std::uint64_t digest = 0;  // of all decisions
};

// One figure under two policies, seed by seed.
struct Comparison {
  std::string measure;
  std::string a;
  std::string b;
  Pairing pairing;
};

struct SimulationResult {
  std::vector<SimulationRun> runs;  // by policy, then by seed
  std::vector<Comparison> comparisons;
};

// An error is a mistake of ours: books that do not agree.
Result<SimulationResult> simulate(const trace::Trace& trace, const trace::NodeList& nodes,
                                  const SimulationOptions& options);

// What is compared, and told with intervals.
struct MeasureColumn {
  std::string_view name;
  double (*of)(const Measures&);
};
std::span<const MeasureColumn> compared_measures();

}  // namespace tutti::replay
