#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "cli/simulate/simulation_report.h"
#include "terminal/table.h"

namespace tutti::cli {
namespace {

using terminal::Cell;
using terminal::Table;

Cell right(std::string text) { return {.text = std::move(text), .right = true}; }

// "90s", "12.5m", "3.1h": short enough for a column.
std::string brief_time(double seconds) {
  constexpr double kMinute = 60;
  constexpr double kHour = 3600;
  constexpr double kShort = 2;  // of the larger unit, from where on it is used
  if (seconds < kShort * kMinute) return fmt::format("{:.1f}s", seconds);
  if (seconds < kShort * kHour) return fmt::format("{:.1f}m", seconds / kMinute);
  return fmt::format("{:.1f}h", seconds / kHour);
}

std::string percent(double share) { return fmt::format("{:.2f}%", 100 * share); }

// The mean over seeds of one figure, with half of its interval where there is one.
template <typename Of>
std::string over_seeds(std::span<const replay::SimulationRun> runs, const Of& of,
                       std::string (*text)(double)) {
  std::vector<double> values;
  for (const auto& run : runs) values.push_back(of(run.measures));
  const replay::Interval interval = replay::interval_of(values);
  if (!interval.half || *interval.half == 0) return text(interval.mean);
  return fmt::format("{} ± {}", text(interval.mean), text(*interval.half));
}

std::string what_was_read(const SimulationReport& report) {
  std::string text;
  const auto input = [&](const trace::Input& one, std::string_view what) {
    text += fmt::format("{}: {} ({}, {} rows{}, sha256 {})\n", what, one.path, one.format, one.rows,
                        one.skipped > 0 ? fmt::format(", {} bad ones skipped", one.skipped) : "",
                        one.sha256.substr(0, 12));
  };
  for (const auto& one : report.trace.inputs) input(one, "Trace");
  for (const auto& one : report.nodes.inputs) input(one, "Cluster");
  const auto counts = [&](const trace::Counts& kinds, std::string_view what) {
    for (const auto& [kind, count] : kinds) text += fmt::format("{}: {} ({})\n", what, kind, count);
  };
  for (const std::string& change : report.trace.changes) {
    text += fmt::format("Changed: {}\n", change);
  }
  for (const std::string& change : report.nodes.changes) {
    text += fmt::format("Changed: {}\n", change);
  }
  for (const std::string& note : report.trace.notes) text += fmt::format("Note: {}\n", note);
  counts(report.trace.invented, "Invented");
  counts(report.nodes.invented, "Invented");
  counts(report.trace.dropped, "Dropped");
  counts(report.trace.ignored, "Not played");
  counts(report.nodes.ignored, "Not played");
  return text;
}

std::string measures_table(const SimulationReport& report, const terminal::Layout& layout) {
  Table table({"POLICY", "STARTED", "COMPLETED", "WAIT", "P50", "P95", "P99", "JCT", "SLOWDOWN",
               "GPU USED", "USEFUL", "PREEMPTIONS"});
  const auto& runs = report.result.runs;
  for (auto begin = runs.begin(); begin != runs.end();) {
    const auto end = std::find_if(begin, runs.end(),
                                  [&](const auto& run) { return run.policy != begin->policy; });
    const std::span<const replay::SimulationRun> of_policy(begin, end);
    const auto cell = [&](double (*of)(const replay::Measures&), std::string (*text)(double)) {
      return right(over_seeds(of_policy, of, text));
    };
    const auto whole = [](double value) { return fmt::format("{:.0f}", value); };
    const auto tenth = [](double value) { return fmt::format("{:.2f}", value); };
    using M = const replay::Measures&;
    table.add({{.text = begin->policy},
               cell([](M m) { return static_cast<double>(m.all.started); }, whole),
               cell([](M m) { return static_cast<double>(m.all.completed); }, whole),
               cell([](M m) { return m.all.wait_mean; }, brief_time),
               cell([](M m) { return m.all.wait_p50; }, brief_time),
               cell([](M m) { return m.all.wait_p95; }, brief_time),
               cell([](M m) { return m.all.wait_p99; }, brief_time),
               cell([](M m) { return m.all.jct_mean; }, brief_time),
               cell([](M m) { return m.all.bounded_slowdown; }, tenth),
               cell([](M m) { return m.share(m.gpu_hours_allocated); }, percent),
               cell([](M m) { return m.share(m.gpu_hours_useful); }, percent),
               cell([](M m) { return static_cast<double>(m.preemptions); }, whole)});
    begin = end;
  }
  return table.text(layout);
}

std::string comparisons_text(const SimulationReport& report) {
  std::string text;
  for (const replay::Comparison& one : report.result.comparisons) {
    const replay::Pairing& pairing = one.pairing;
    if (!pairing.shown()) {
      text += fmt::format("{}: no difference shown between {} and {}\n", one.measure, one.a, one.b);
      continue;
    }
    text +=
        fmt::format("{}: {} minus {} is {:.4g} ± {:.2g} (higher in {} of {} seeds)\n", one.measure,
                    one.a, one.b, pairing.difference.mean, pairing.difference.half.value_or(0),
                    pairing.a_higher, pairing.difference.n);
  }
  return text;
}

std::string remarks(const SimulationReport& report) {
  std::string text;
  const replay::Measures& first = report.result.runs.front().measures;
  if (first.impossible > 0) {
    text += fmt::format("{} jobs are larger than the empty cluster and count in no average.\n",
                        first.impossible);
  }
  if (first.running + first.waiting > 0) {
    text += fmt::format(
        "Under {}, {} jobs ran and {} waited at the end; waits are of those that started.\n",
        report.result.runs.front().policy, first.running, first.waiting);
  }
  if (first.observed > 0) {
    text += fmt::format("Observed: the mean wait of {} jobs was {}.\n", first.observed,
                        brief_time(first.observed_wait_mean));
  }
  if (report.result.comparisons.empty() && report.result.runs.size() > 1) {
    text += "One seed: no intervals.\n";
  }
  return text;
}

double population_deviation(std::span<const double> values) {
  const double mean = replay::mean(values);
  double squares = 0;
  for (const double value : values) squares += (value - mean) * (value - mean);
  return values.empty() ? 0 : std::sqrt(squares / static_cast<double>(values.size()));
}

template <typename Of>
std::vector<std::string> in_order(std::span<const replay::FgdRun> runs, const Of& of) {
  std::vector<std::string> names;
  for (const auto& run : runs) {
    if (std::ranges::find(names, of(run)) == names.end()) names.push_back(of(run));
  }
  return names;
}

}  // namespace

std::string simulation_text(const SimulationReport& report, const terminal::Layout& layout) {
  return fmt::format("{}\n{}\n{}{}", what_was_read(report), measures_table(report, layout),
                     comparisons_text(report), remarks(report));
}

std::string per_job_line(std::string_view policy, std::int64_t seed, const trace::Job& job,
                         const replay::JobOutcome& outcome, std::span<const trace::Node> nodes) {
  const auto seconds = [](std::optional<Millis> time) {
    return time ? fmt::format("{:.3f}", static_cast<double>(time->count()) / 1000) : std::string();
  };
  const auto quoted = [](std::string_view text) {
    if (text.find_first_of(",\"\r\n") == std::string_view::npos) return std::string(text);
    std::string made = "\"";
    for (const char c : text) made += c == '"' ? std::string("\"\"") : std::string(1, c);
    return made + '"';
  };
  std::string places;
  for (const auto& [node, pods] : outcome.places) {
    places += fmt::format("{}{}:{}", places.empty() ? "" : " ", nodes[node].name, pods);
  }
  const auto wait =
      outcome.first_start ? std::optional(*outcome.first_start - job.submit) : std::nullopt;
  return fmt::format("{},{},{},{},{},{},{},{},{}\n", quoted(policy), seed, quoted(job.id),
                     seconds(job.submit), seconds(outcome.first_start), seconds(outcome.end),
                     seconds(wait), outcome.attempts, quoted(places));
}

std::string fgd_text(std::span<const replay::FgdRun> runs, const terminal::Layout& layout) {
  const auto policies = in_order(runs, [](const auto& run) { return run.policy; });
  std::vector<std::string> headings = {"LIST"};
  headings.insert(headings.end(), policies.begin(), policies.end());
  Table table(headings);
  std::size_t known = 0;
  std::size_t equal = 0;
  for (const std::string& list : in_order(runs, [](const auto& run) { return run.list; })) {
    std::vector<Cell> row = {{.text = list}};
    for (const std::string& policy : policies) {
      std::vector<double> ours;
      std::vector<double> theirs;
      for (const auto& run : runs) {
        if (run.list != list || run.policy != policy) continue;
        ours.push_back(run.ratio());
        if (!run.published) continue;
        theirs.push_back(*run.published);
        constexpr double kHalfDigit = 0.001;
        ++known;
        equal += std::abs(run.ratio() - *run.published) < kHalfDigit ? 1 : 0;
      }
      const bool all = !theirs.empty() && theirs.size() == ours.size();
      row.push_back(right(fmt::format(
          "{:.2f} ({:.2f}){}", replay::mean(ours), population_deviation(ours),
          all ? fmt::format(" {:+.2f}", replay::mean(ours) - replay::mean(theirs)) : "")));
    }
    table.add(row);
  }
  return fmt::format(
      "GPU allocation in % when 130 % of the GPUs were asked for: mean (deviation) over seeds, and "
      "the difference to what is published.\n\n{}\n{} of {} runs equal the published figure to the "
      "last digit.\n",
      table.text(layout), equal, known);
}

}  // namespace tutti::cli
