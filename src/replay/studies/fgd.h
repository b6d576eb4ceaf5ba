// The experiment of "Beware of Fragmentation" (Weng et al., USENIX ATC 2023), from the inputs of
// its artifact: pods of a list arrive in a random order until 130 % of all GPUs were asked for,
// nobody leaves, and who does not fit is turned away. The figure is how much of the GPUs is
// allocated.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "replay/policy.h"
#include "trace/job.h"

namespace tutti::replay {

// One order of arrivals and the order of nodes that ends ties.
struct FgdArrivals {
  std::vector<std::uint32_t> pods;   // indices into the list by name
  std::vector<std::uint32_t> ranks;  // by node, in the order of names
};
// Both lists in the order of names.
FgdArrivals fgd_arrivals(std::span<const trace::Job> pods, std::span<const trace::Node> nodes,
                         std::int64_t seed);

struct FgdRun {
  std::string list;
  std::string policy;
  std::int64_t seed = 0;
  std::size_t arrivals = 0;
  std::size_t failed = 0;
  std::int64_t gpu_milli = 0;            // of the cluster
  std::int64_t allocated_gpu_milli = 0;  // in the end
  // Allocation in percent where arrivals are at this percent, from 0 to 130; rounded as published.
  std::vector<double> curve;
  std::optional<double> published;  // of the last percent
  std::string problem;              // a mistake of ours; empty: none

  double ratio() const { return curve.empty() ? 0 : curve.back(); }
};

FgdRun run_fgd(const std::string& list, std::span<const trace::Job> pods,
               std::span<const trace::Node> nodes, const Policy& policy, std::int64_t seed);

// The published ratios at 130 %, by list, policy and seed.
class FgdPublished {
 public:
  // `csv`: analysis_allo_discrete.csv of the artifact.
  static Result<FgdPublished> read(std::string file, std::string csv);
  std::optional<double> ratio(std::string_view list, std::string_view policy,
                              std::int64_t seed) const;

 private:
  std::vector<std::pair<std::string, double>> ratios_;  // by "list policy seed", sorted
};

// The lists of the experiment, in the order of the published table, and its policies.
std::span<const std::string_view> fgd_lists();
std::span<const std::string_view> fgd_policies();

}  // namespace tutti::replay
