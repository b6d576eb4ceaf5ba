// Simulation: one trace on one cluster under several policies and seeds.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "replay/measures.h"
#include "replay/policy.h"
#include "replay/slowdown.h"
#include "replay/statistics.h"
#include "trace/job.h"

namespace tutti::replay {

struct SimulationOptions {
  std::vector<Policy> policies;
  std::vector<std::int64_t> seeds = {0};  // of what a policy draws
  std::optional<Millis> until;
  bool enforce_limits = false;
  std::shared_ptr<const SlowdownModel> slowdown;  // null: every place is as good as any other
  FailureModel failures;
  bool curves = false;  // are kept
  // Is told before every run how many are over, and how many there are.
  std::function<void(std::size_t done, std::size_t all)> progress = {};
  // Backfill keeps the very nodes found for a job that waits, not room for it somewhere.
  bool reserves_nodes = false;
  // Sees every run when it is over, before the next.
  std::function<Status(const Policy&, std::int64_t seed, std::span<const JobOutcome>)> finished;
};

// A job that waited long.
struct LongWait {
  std::size_t job = 0;  // of the trace
  double seconds = 0;
  bool started = false;
};

// What a run looks like when it is drawn.
struct Curves {
  std::vector<double> waits;  // in seconds, ascending, of jobs that started
  std::vector<double> jcts;   // of jobs that completed
  Series series;
  std::vector<LongWait> longest;  // ten at most, the longest first
};

struct SimulationRun {
  std::string policy;
  std::int64_t seed = 0;
  Measures measures;
  std::uint64_t digest = 0;                   // of all decisions
  std::shared_ptr<const Curves> curves = {};  // of the first seed, where they were asked for
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
