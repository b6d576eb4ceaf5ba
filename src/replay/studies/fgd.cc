#include "replay/studies/fgd.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <utility>

#include "base/check.h"
#include "plugins/registry.h"
#include "replay/replay.h"
#include "replay/studies/go_random.h"
#include "replay/typical_pods.h"
#include "trace/table.h"

namespace tutti::replay {
namespace {

constexpr std::size_t kLastPercent = 130;
constexpr std::array<std::string_view, 17> kLists = {
    "default",    "cpu050",     "cpu100",      "cpu200",     "cpu250",     "gpushare40",
    "gpushare60", "gpushare80", "gpushare100", "multigpu20", "multigpu30", "multigpu40",
    "multigpu50", "gpuspec10",  "gpuspec20",   "gpuspec25",  "gpuspec33"};
constexpr std::array<std::string_view, 6> kPolicies = {
    "random", "dot-product", "gpu-clustering", "gpu-packing", "best-fit", "fgd"};
// What the artifact calls them, in the same order.
constexpr std::array<std::string_view, 6> kPublishedPolicies = {
    "01-Random", "02-DotProd", "03-GpuClustering", "04-GpuPacking", "05-BestFit", "06-FGD"};

std::string key_of(std::string_view list, std::string_view policy, std::int64_t seed) {
  return fmt::format("{} {} {}", list, policy, seed);
}

double to_two_digits(double value) { return std::nearbyint(value * 100) / 100; }

std::int64_t gpu_milli_of_all(std::span<const trace::Node> nodes) {
  std::int64_t milli = 0;
  for (const trace::Node& node : nodes) milli += node.gpus * trace::kGpu;
  return milli;
}

// Clones pods behind the shuffled list, or deletes some, until 130 % of the GPUs are asked for.
void tune(std::vector<std::uint32_t>& order, std::span<const trace::Job> pods, std::int64_t target,
          GoRandom& random) {
  std::int64_t asked = 0;
  for (const std::uint32_t pod : order) asked += pods[pod].gpu_milli;
  if (asked > target) {
    while (asked > target) {
      const auto at =
          static_cast<std::size_t>(random.below(static_cast<std::int32_t>(order.size())));
      asked -= pods[order[at]].gpu_milli;
      order.erase(order.begin() + static_cast<std::ptrdiff_t>(at));
    }
    return;
  }
  for (;;) {
    const auto pod =
        static_cast<std::uint32_t>(random.below(static_cast<std::int32_t>(pods.size())));
    const std::int64_t milli = pods[pod].gpu_milli;
    // The artifact compares with what is asked for of one device.
    if (asked + std::min(milli, trace::kGpu) > target) return;
    order.push_back(pod);
    asked += milli;
  }
}

// Allocation over arrivals: the mean of what was seen at each percent.
class Curve {
 public:
  explicit Curve(std::int64_t total) : total_(static_cast<double>(total)) {}

  void add(std::int64_t arrived, std::int64_t allocated) {
    const auto percent =
        static_cast<std::size_t>(std::nearbyint(100 * static_cast<double>(arrived) / total_));
    if (percent > kLastPercent) return;
    sums_[percent] += to_two_digits(100 * static_cast<double>(allocated) / total_);
    ++counts_[percent];
  }
  std::vector<double> means() const {
    std::vector<double> means;
    for (std::size_t i = 0; i <= kLastPercent; ++i) {
      means.push_back(counts_[i] == 0 ? 0 : to_two_digits(sums_[i] / counts_[i]));
    }
    return means;
  }

 private:
  double total_;
  std::array<double, kLastPercent + 1> sums_{};
  std::array<double, kLastPercent + 1> counts_{};
};

}  // namespace

std::span<const std::string_view> fgd_lists() { return kLists; }
std::span<const std::string_view> fgd_policies() { return kPolicies; }

FgdArrivals fgd_arrivals(std::span<const trace::Job> pods, std::span<const trace::Node> nodes,
                         std::int64_t seed) {
  constexpr int kDrawnByInformers = 10;
  GoRandom random(seed);
  random.int63();  // a debug line of the artifact draws one
  FgdArrivals arrivals;
  arrivals.pods.resize(pods.size());
  for (std::uint32_t i = 0; i < pods.size(); ++i) arrivals.pods[i] = i;
  random.shuffle(arrivals.pods);
  tune(arrivals.pods, pods, gpu_milli_of_all(nodes) * 13 / 10, random);
  for (int i = 0; i < kDrawnByInformers; ++i) random.int63();
  arrivals.ranks = random.permutation(static_cast<std::uint32_t>(nodes.size()));
  return arrivals;
}

FgdRun run_fgd(const std::string& list, std::span<const trace::Job> pods,
               std::span<const trace::Node> nodes, const Policy& policy, std::int64_t seed) {
  const FgdArrivals arrivals = fgd_arrivals(pods, nodes, seed);
  std::vector<trace::Job> jobs;
  jobs.reserve(arrivals.pods.size());
  for (const std::uint32_t pod : arrivals.pods) {
    trace::Job& job = jobs.emplace_back(pods[pod]);
    job.submit = Millis{static_cast<Millis::rep>(jobs.size())};
    job.duration.reset();
  }
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    names.push_back(fmt::format("{:06}-{}", arrivals.ranks[i], nodes[i].name));
  }
  const core::SchedulerConfig config = scheduler_config(policy, static_cast<std::uint64_t>(seed),
                                                        typical_pods(pods), count_pods(pods));
  auto profile = plugins::build_profile(config.profiles.front());
  TUTTI_CHECK(profile.ok(), profile.ok() ? "" : profile.error().message);
  std::vector<core::Profile> profiles;
  profiles.push_back(*std::move(profile));

  Workload workload(jobs, GpuUnit::thousandths, false);
  FgdRun run;
  run.list = list;
  run.policy = policy.name;
  run.seed = seed;
  run.arrivals = jobs.size();
  run.gpu_milli = gpu_milli_of_all(nodes);
  Curve curve(run.gpu_milli);
  std::int64_t arrived = 0;
  ReplayOptions options;
  options.one_attempt = true;
  const Replay* playing = nullptr;
  options.arrived = [&](JobIndex job) {
    arrived += jobs[job].gpu_milli;
    curve.add(arrived, playing->usage().gpu_milli);
  };
  Replay replay(workload, nodes, names, config, std::move(profiles), options);
  playing = &replay;
  replay.run();
  for (const JobOutcome& outcome : replay.outcomes()) {
    run.failed += outcome.state == JobOutcome::State::turned_away ? 1 : 0;
  }
  run.allocated_gpu_milli = replay.usage().gpu_milli;
  run.curve = curve.means();
  run.problem = replay.problem();
  return run;
}

Result<FgdPublished> FgdPublished::read(std::string file, std::string csv) {
  TUTTI_ASSIGN(const trace::Table table, trace::Table::from_csv(std::move(file), std::move(csv)));
  std::array<std::size_t, 4> columns{};
  constexpr std::array<std::string_view, 4> kColumns = {"workload", "sc_policy", "seed", "130"};
  for (std::size_t i = 0; i < kColumns.size(); ++i) {
    const auto at = table.find(kColumns[i]);
    if (!at) {
      return Error{Error::Code::malformed,
                   fmt::format("{}: there is no column '{}'", table.file(), kColumns[i])};
    }
    columns[i] = *at;
  }
  constexpr std::string_view kPrefix = "openb_pod_list_";
  FgdPublished published;
  for (const trace::Row& row : table.rows()) {
    double ratio = 0;
    std::int64_t seed = 0;
    const auto number = [&](std::size_t column, auto& into) {
      const std::string_view text = row.cells[columns[column]];
      return std::from_chars(text.data(), text.data() + text.size(), into).ec == std::errc{};
    };
    if (!row.problem.empty() || !number(2, seed) || !number(3, ratio)) {
      return Error{Error::Code::malformed,
                   fmt::format("{}:{}: expected a seed and ratios", table.file(), row.line)};
    }
    std::string_view list = row.cells[columns[0]];
    if (list.starts_with(kPrefix)) list.remove_prefix(kPrefix.size());
    const auto policy = std::ranges::find(kPublishedPolicies, row.cells[columns[1]]);
    if (policy == kPublishedPolicies.end()) continue;
    const auto which = static_cast<std::size_t>(policy - kPublishedPolicies.begin());
    published.ratios_.emplace_back(key_of(list, kPolicies[which], seed), ratio);
  }
  std::ranges::sort(published.ratios_);
  return published;
}

std::optional<double> FgdPublished::ratio(std::string_view list, std::string_view policy,
                                          std::int64_t seed) const {
  const std::string key = key_of(list, policy, seed);
  const auto at =
      std::ranges::lower_bound(ratios_, key, {}, &std::pair<std::string, double>::first);
  if (at == ratios_.end() || at->first != key) return std::nullopt;
  return at->second;
}

}  // namespace tutti::replay
