#include "trace/step_times.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "trace/cells.h"

namespace tutti::trace {
namespace {

constexpr std::int64_t kGpusOfNode = 4;  // where it was measured
constexpr std::size_t kNodesMeasured = 4;

std::string least_rotation(const std::string& digits) {
  std::string least = digits;
  std::string turned = digits;
  for (std::size_t i = 1; i < digits.size(); ++i) {
    std::ranges::rotate(turned, turned.begin() + 1);
    least = std::min(least, turned);
  }
  return least;
}

// As many whole nodes as possible, and what is left in front of them.
std::string packed_digits(std::int64_t gpus) {
  const auto nodes = static_cast<std::size_t>(gpus / kGpusOfNode);
  std::string digits(nodes, static_cast<char>('0' + kGpusOfNode));
  if (gpus % kGpusOfNode != 0) {
    digits.insert(digits.begin(), static_cast<char>('0' + gpus % kGpusOfNode));
  }
  return digits;
}

std::optional<double> step_time(Cells& cells) {
  constexpr std::string_view kColumn = "step_time";
  const std::string_view text = cells.text(kColumn);
  double value = 0;
  const char* const end = text.data() + text.size();
  const auto [last, problem] = std::from_chars(text.data(), end, value);
  constexpr double kSecondsMax = 1e6;
  if (problem == std::errc{} && last == end && value > 0 && value < kSecondsMax) return value;
  cells.fail(kColumn, fmt::format("expected seconds, found '{}'", brief_line(text)));
  return std::nullopt;
}

// Calls `take` with the cells of every row; `columns` must be there.
template <typename Take>
Status each_profile_row(const std::string& file, std::string text,
                        std::span<const std::string_view> columns, const Take& take) {
  TUTTI_ASSIGN(const Table table, Table::from_csv(file, std::move(text)));
  for (const std::string_view column : columns) {
    if (table.has(column)) continue;
    return Error{Error::Code::malformed,
                 fmt::format("{}:1: there is no column '{}'", file, column)};
  }
  for (const Row& row : table.rows()) {
    Cells cells(table, row);
    if (row.problem.empty()) take(cells);
    if (!cells.problem().empty()) return Error{Error::Code::malformed, cells.located_problem()};
  }
  return ok_status();
}

// At `share` of the way from one to the other, where both are known.
std::map<std::int64_t, double> between(const std::map<std::int64_t, double>& low,
                                       const std::map<std::int64_t, double>& high, double share) {
  std::map<std::int64_t, double> made;
  for (const auto& [batch, time] : low) {
    const auto at = high.find(batch);
    if (at != high.end()) made[batch] = time + share * (at->second - time);
  }
  return made;
}

constexpr std::int64_t kBatchMax = 1'000'000;

}  // namespace

Status StepTimes::add_placements(const std::string& model, const std::string& file,
                                 std::string text) {
  constexpr std::string_view kNeeds[] = {"placement", "local_bsz", "step_time"};
  Profile& profile = profiles_[model];
  return each_profile_row(file, std::move(text), kNeeds, [&](Cells& cells) {
    const std::string digits(cells.text("placement"));
    const bool good = !digits.empty() && digits.size() <= kNodesMeasured &&
                      std::ranges::all_of(digits, [](char c) { return c >= '1' && c <= '4'; });
    if (!good) cells.fail("placement", "expected one to four digits from 1 to 4");
    const auto batch = cells.required("local_bsz", cells.whole("local_bsz", 1, kBatchMax));
    if (const auto time = step_time(cells); time && good) {
      profile.places[least_rotation(digits)][batch] = *time;
    }
  });
}

Status StepTimes::add_scalability(const std::string& model, const std::string& file,
                                  std::string text) {
  constexpr std::string_view kNeeds[] = {"num_nodes", "num_replicas", "local_bsz", "step_time"};
  constexpr std::int64_t kNodesMax = 100'000;
  Profile& profile = profiles_[model];
  return each_profile_row(file, std::move(text), kNeeds, [&](Cells& cells) {
    const auto nodes = cells.required("num_nodes", cells.whole("num_nodes", 1, kNodesMax));
    const auto gpus = cells.required("num_replicas", cells.whole("num_replicas", 1, kNodesMax));
    const auto batch = cells.required("local_bsz", cells.whole("local_bsz", 1, kBatchMax));
    if (const auto time = step_time(cells)) profile.by_nodes[nodes][gpus][batch] = *time;
  });
}

bool StepTimes::has(std::string_view model) const { return profiles_.contains(model); }

StepTimes::BatchTimes StepTimes::times_with(const std::map<std::int64_t, BatchTimes>& by_gpus,
                                            std::int64_t gpus) {
  const auto above = by_gpus.lower_bound(gpus);
  if (above == by_gpus.end()) return std::prev(above)->second;
  if (above->first == gpus || above == by_gpus.begin()) return above->second;
  const auto below = std::prev(above);
  const double share =
      static_cast<double>(gpus - below->first) / static_cast<double>(above->first - below->first);
  return between(below->second, above->second, share);
}

StepTimes::BatchTimes StepTimes::times_at(const Profile& profile, std::string digits) {
  if (digits.size() <= kNodesMeasured) {
    const auto at = profile.places.find(least_rotation(digits));
    return at == profile.places.end() ? BatchTimes{} : at->second;
  }
  if (profile.by_nodes.empty()) return {};
  const auto nodes = static_cast<std::int64_t>(digits.size());
  const auto gpus = std::accumulate(digits.begin(), digits.end(), std::int64_t{0},
                                    [](std::int64_t sum, char c) { return sum + (c - '0'); });
  const auto above = profile.by_nodes.lower_bound(nodes);
  if (above == profile.by_nodes.end()) return times_with(std::prev(above)->second, gpus);
  if (above->first == nodes || above == profile.by_nodes.begin()) {
    return times_with(above->second, gpus);
  }
  const auto below = std::prev(above);
  const double low = std::log2(static_cast<double>(below->first));
  const double share = (std::log2(static_cast<double>(nodes)) - low) /
                       (std::log2(static_cast<double>(above->first)) - low);
  return between(times_with(below->second, gpus), times_with(above->second, gpus), share);
}

std::optional<double> StepTimes::slowdown(std::string_view model,
                                          std::span<const std::int64_t> gpus) const {
  const auto profile = profiles_.find(model);
  if (profile == profiles_.end()) return std::nullopt;
  std::string digits;
  std::int64_t sum = 0;
  for (std::int64_t on_node : gpus) {
    sum += on_node;
    digits += packed_digits(on_node);
  }
  if (sum == 0) return std::nullopt;
  const BatchTimes here = times_at(profile->second, digits);
  const BatchTimes packed = times_at(profile->second, packed_digits(sum));
  std::vector<std::int64_t> common;
  for (const auto& [batch, time] : here) {
    if (packed.contains(batch)) common.push_back(batch);
  }
  if (common.empty()) return std::nullopt;
  const std::int64_t middle = common[common.size() / 2];
  return here.at(middle) / packed.at(middle);
}

}  // namespace tutti::trace
