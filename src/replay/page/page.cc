#include "replay/page/page.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "base/text.h"
#include "replay/page/plot.h"

namespace tutti::replay {
namespace {

// Runs of one policy, by seed.
struct PolicyRuns {
  std::string name;
  std::span<const SimulationRun> runs;
};

std::vector<PolicyRuns> by_policy(const SimulationResult& result) {
  std::vector<PolicyRuns> policies;
  const auto& runs = result.runs;
  for (auto begin = runs.begin(); begin != runs.end();) {
    const auto end = std::find_if(begin, runs.end(),
                                  [&](const auto& run) { return run.policy != begin->policy; });
    policies.push_back({begin->policy, {begin, end}});
    begin = end;
  }
  return policies;
}

std::string percent_text(double share) { return fmt::format("{:.2f} %", 100 * share); }
std::string whole_text(double value) { return fmt::format("{:.0f}", value); }
std::string factor_text(double value) { return fmt::format("{:.2f}", value); }

// --- what was played -----------------------------------------------------------------------------

std::string input_row(std::string_view what, const trace::Input& input) {
  return fmt::format("<tr><td>{}<td>{}<td>{}<td class=n>{}<td class=n>{}<td><code>{}</code></tr>",
                     what, markup_text(input.path), input.format, input.rows, input.skipped,
                     input.sha256);
}

std::string counts_rows(std::string_view what, const trace::Counts& counts) {
  std::string out;
  for (const auto& [kind, count] : counts) {
    out += fmt::format("<tr><td>{}<td>{}<td class=n>{}</tr>", what, markup_text(kind), count);
  }
  return out;
}

std::string inputs_section(const PageInput& input) {
  std::string out =
      "<h2>What was played</h2><table><tr><th><th>file<th>format<th class=n>rows<th class=n>bad "
      "rows skipped<th>SHA-256</tr>";
  for (const auto& one : input.trace.inputs) out += input_row("trace", one);
  for (const auto& one : input.nodes.inputs) out += input_row("cluster", one);
  out += "</table>";
  for (const auto* texts : {&input.trace.changes, &input.nodes.changes, &input.trace.notes}) {
    for (const std::string& text : *texts) out += fmt::format("<p>{}</p>", markup_text(text));
  }
  const std::string counted = counts_rows("invented", input.trace.invented) +
                              counts_rows("invented", input.nodes.invented) +
                              counts_rows("dropped", input.trace.dropped) +
                              counts_rows("not played", input.trace.ignored) +
                              counts_rows("not played", input.nodes.ignored);
  if (counted.empty()) return out;
  return out +
         "<h2>What the input does not say</h2><table><tr><th><th>what<th class=n>how often</tr>" +
         counted + "</table>";
}

// --- the verdict ---------------------------------------------------------------------------------

struct VerdictColumn {
  std::string_view heading;
  double (*of)(const Measures&);
  std::string (*text)(double);
  std::string_view compared;  // the name by which policies are compared; empty: they are not
  bool less_is_better = true;
};
using M = const Measures&;
constexpr std::array<VerdictColumn, 12> kVerdict = {{
    {"started", [](M m) { return static_cast<double>(m.all.started); }, whole_text, "", true},
    {"completed", [](M m) { return static_cast<double>(m.all.completed); }, whole_text, "", true},
    {"mean wait", [](M m) { return m.all.wait_mean; }, span_text, "waitMean", true},
    {"p50", [](M m) { return m.all.wait_p50; }, span_text, "", true},
    {"p95", [](M m) { return m.all.wait_p95; }, span_text, "", true},
    {"p99", [](M m) { return m.all.wait_p99; }, span_text, "", true},
    {"mean completion", [](M m) { return m.all.jct_mean; }, span_text, "jctMean", true},
    {"slowdown", [](M m) { return m.all.bounded_slowdown; }, factor_text, "boundedSlowdown", true},
    {"GPU used", [](M m) { return m.share(m.gpu_hours_allocated); }, percent_text, "", true},
    {"useful", [](M m) { return m.share(m.gpu_hours_useful); }, percent_text, "gpuUseful", false},
    {"preemptions", [](M m) { return static_cast<double>(m.preemptions); }, whole_text, "", true},
    {"pods lost with nodes", [](M m) { return static_cast<double>(m.killed_pods); }, whole_text, "",
     true},
}};

Interval over_seeds(const PolicyRuns& policy, double (*of)(const Measures&)) {
  std::vector<double> values;
  for (const SimulationRun& run : policy.runs) values.push_back(of(run.measures));
  return interval_of(values);
}

// Whether it is better than every other, and the tests show each of these differences.
bool is_best(const PageInput& input, const PolicyRuns& policy, const VerdictColumn& column) {
  std::size_t won = 0;
  for (const Comparison& one : input.result.comparisons) {
    if (one.measure != column.compared || !one.pairing.shown()) continue;
    const bool a_less = one.pairing.difference.mean < 0;
    const std::string& winner = a_less == column.less_is_better ? one.a : one.b;
    won += winner == policy.name ? 1 : 0;
  }
  const std::size_t others = by_policy(input.result).size() - 1;
  return !column.compared.empty() && others > 0 && won == others;
}

std::string verdict_section(const PageInput& input) {
  std::string out = "<h2>Verdict</h2><table><tr><th>policy";
  for (const VerdictColumn& column : kVerdict) {
    out += fmt::format("<th class=n>{}", column.heading);
  }
  out += "</tr>";
  for (const PolicyRuns& policy : by_policy(input.result)) {
    out += fmt::format("<tr><td>{}", markup_text(policy.name));
    for (const VerdictColumn& column : kVerdict) {
      const Interval interval = over_seeds(policy, column.of);
      const bool spread = interval.half && *interval.half > 0;
      out += fmt::format("<td class=\"n{}\">{}{}", is_best(input, policy, column) ? " best" : "",
                         column.text(interval.mean),
                         spread ? " ± " + column.text(*interval.half) : "");
    }
    out += "</tr>";
  }
  out += "</table>";
  if (input.result.comparisons.empty()) {
    return out + "<p>One seed, or one policy: nothing is tested against chance.</p>";
  }
  out += "<p>Bold: better than every other policy, paired by seed, corrected by Holm.</p><ul>";
  for (const Comparison& one : input.result.comparisons) {
    const std::string pair =
        fmt::format("{}: {} and {}", one.measure, markup_text(one.a), markup_text(one.b));
    out += one.pairing.shown()
               ? fmt::format("<li>{}: the first is {:+.4g} ± {:.2g} ({} of {} seeds higher)", pair,
                             one.pairing.difference.mean, one.pairing.difference.half.value_or(0),
                             one.pairing.a_higher, one.pairing.difference.n)
               : fmt::format("<li>{}: no difference shown", pair);
  }
  return out + "</ul>";
}

// --- plots ---------------------------------------------------------------------------------------

const Curves* curves_of(const PolicyRuns& policy) { return policy.runs.front().curves.get(); }

using PointsOf = std::vector<std::pair<double, double>> (*)(const Curves&);

std::string plot_of(const PageInput& input, Plot plot, PointsOf points) {
  std::size_t colour = 0;
  for (const PolicyRuns& policy : by_policy(input.result)) {
    const Curves* curves = curves_of(policy);
    if (curves != nullptr) plot.lines.push_back({policy.name, points(*curves), false, colour});
    ++colour;
  }
  return svg_of(plot);
}

std::vector<std::pair<double, double>> over_time(const Curves& curves,
                                                 double (*of)(const Series::Step&)) {
  std::vector<std::pair<double, double>> points;
  const double width = static_cast<double>(curves.series.width().count()) / 1000;
  double begin = 0;
  for (const Series::Step& step : curves.series.steps()) {
    points.emplace_back(begin, of(step));
    begin += width;
  }
  return points;
}

double used_share(const Series::Step& step) {
  return step.offered > 0 ? step.allocated / step.offered : 0;
}

std::string plots_section(const PageInput& input) {
  std::string out = "<h2>Waiting and running</h2><div class=plots>";
  out += plot_of(
      input, {"Share of jobs that waited at most …", Plot::XAxis::seconds_log, "wait", true, {}},
      [](const Curves& curves) { return share_up_to(curves.waits); });
  out += plot_of(input,
                 {"Share of jobs done at most … after their submit",
                  Plot::XAxis::seconds_log,
                  "completion time",
                  true,
                  {}},
                 [](const Curves& curves) { return share_up_to(curves.jcts); });
  out += plot_of(
      input, {"Share of what is offered that is allocated", Plot::XAxis::time, "time", true, {}},
      [](const Curves& curves) { return over_time(curves, used_share); });
  out += plot_of(input, {"Jobs that wait", Plot::XAxis::time, "time", false, {}},
                 [](const Curves& curves) {
                   return over_time(curves, [](const Series::Step& step) {
                     return static_cast<double>(step.most_waiting);
                   });
                 });
  return out +
         "</div><p>Plots are of the first seed. Use is the mean over each step, waiting jobs "
         "the most in it.</p>";
}

// --- where the time went -------------------------------------------------------------------------

std::string hours_section(const PageInput& input) {
  struct Part {
    std::string_view name;
    double (*of)(const Measures&);
    std::size_t colour;
  };
  constexpr std::array<Part, 4> kParts = {{
      {"useful", [](M m) { return m.gpu_hours_useful; }, 2},
      {"slow places", [](M m) { return m.gpu_hours_slowdown; }, 4},
      {"checkpoints and restarts", [](M m) { return m.gpu_hours_overhead; }, 0},
      {"lost", [](M m) { return m.gpu_hours_lost; }, 5},
  }};
  const bool any = std::ranges::any_of(
      input.result.runs, [](const auto& run) { return run.measures.gpu_hours_allocated > 0; });
  if (!any) return {};
  std::string out = "<h2>What allocated GPU-hours went into</h2><table><tr><th>policy<th>";
  for (const Part& part : kParts) out += fmt::format("<th class=n>{}", part.name);
  out += "<th class=n>sum</tr>";
  for (const PolicyRuns& policy : by_policy(input.result)) {
    out += fmt::format("<tr><td>{}<td><div class=bar>", markup_text(policy.name));
    const double sum = over_seeds(policy, [](M m) { return m.gpu_hours_allocated; }).mean;
    std::string cells;
    for (const Part& part : kParts) {
      const double hours = over_seeds(policy, part.of).mean;
      out += fmt::format("<span class=c{} style=\"width:{:.2f}%\" title=\"{}\"></span>",
                         part.colour, sum > 0 ? std::max(0.0, 100 * hours / sum) : 0, part.name);
      cells += fmt::format("<td class=n>{:.1f}", hours);
    }
    out += fmt::format("</div>{}<td class=n>{:.1f}</tr>", cells, sum);
  }
  out += "</table><p class=key>";
  for (const Part& part : kParts) {
    out += fmt::format("<span class=c{}><i></i>{}</span>", part.colour, part.name);
  }
  return out + "</p>";
}

// --- who waited ----------------------------------------------------------------------------------

using Breakdown = std::map<std::string, JobFigures> Measures::*;

std::string breakdown_table(const PageInput& input, std::string_view heading, Breakdown groups) {
  constexpr std::size_t kRowsMax = 50;
  const auto policies = by_policy(input.result);
  std::string out = fmt::format("<h2>{}</h2><table><tr><th><th class=n>jobs", heading);
  for (const PolicyRuns& policy : policies) {
    out += fmt::format("<th class=n>{}: mean wait<th class=n>p95", markup_text(policy.name));
  }
  out += "</tr>";
  std::vector<std::string> names;
  for (const auto& [name, figures] : policies.front().runs.front().measures.*groups) {
    names.push_back(name);
  }
  std::ranges::sort(names, comes_before);
  const std::size_t shown = std::min(names.size(), kRowsMax);
  for (std::size_t i = 0; i < shown; ++i) {
    const auto figures_of = [&](const PolicyRuns& policy) -> const JobFigures& {
      return (policy.runs.front().measures.*groups).at(names[i]);
    };
    out += fmt::format("<tr><td>{}<td class=n>{}", markup_text(names[i]),
                       figures_of(policies.front()).jobs);
    for (const PolicyRuns& policy : policies) {
      const JobFigures& figures = figures_of(policy);
      out += fmt::format("<td class=n>{}<td class=n>{}", span_text(figures.wait_mean),
                         span_text(figures.wait_p95));
    }
    out += "</tr>";
  }
  out += "</table>";
  if (shown < names.size()) out += fmt::format("<p>And {} more.</p>", names.size() - shown);
  return out;
}

std::string longest_section(const PageInput& input) {
  std::string out =
      "<h2>Longest waits</h2><table><tr><th>policy<th>job<th>queue<th class=n>GPUs<th "
      "class=n>waited<th></tr>";
  for (const PolicyRuns& policy : by_policy(input.result)) {
    const Curves* curves = curves_of(policy);
    if (curves == nullptr) continue;
    for (const LongWait& wait : curves->longest) {
      const trace::Job& job = input.trace.jobs[wait.job];
      out += fmt::format("<tr><td>{}<td>{}<td>{}<td class=n>{:g}<td class=n>{}<td>{}</tr>",
                         markup_text(policy.name), markup_text(job.id), markup_text(job.queue),
                         static_cast<double>(job.total_gpu_milli()) / trace::kGpu,
                         span_text(wait.seconds), wait.started ? "" : "and did not start");
    }
  }
  return out + "</table>";
}

std::string head(const PageInput& input) {
  const Measures& first = input.result.runs.front().measures;
  std::string out = fmt::format(
      "<h1>Simulation of {} jobs on {} nodes</h1><p>By tutti {}, in virtual time; what decides is "
      "the "
      "code of the scheduler.",
      input.trace.jobs.size(), input.nodes.nodes.size(), markup_text(input.version));
  if (first.impossible > 0) {
    out += fmt::format(" {} jobs are larger than the empty cluster and count in no average.",
                       first.impossible);
  }
  if (first.running + first.waiting > 0) {
    out += fmt::format(" At the end {} jobs ran and {} waited under {}.", first.running,
                       first.waiting, markup_text(input.result.runs.front().policy));
  }
  if (first.observed > 0) {
    out += fmt::format(" Really, {} jobs waited {} on average.", first.observed,
                       span_text(first.observed_wait_mean));
  }
  return out + "</p>";
}

}  // namespace

std::string page(const PageInput& input) {
  std::string out =
      "<!doctype html>\n<html lang=en><head><meta charset=utf-8><meta name=viewport "
      "content=\"width=device-width,initial-scale=1\"><title>Simulation</title><style>";
  out += kPageStyle;
  out += "</style></head><body>";
  out += head(input);
  out += verdict_section(input);
  out += plots_section(input);
  out += hours_section(input);
  out += breakdown_table(input, "Waits by size", &Measures::by_size);
  out += breakdown_table(input, "Waits by queue", &Measures::by_queue);
  out += breakdown_table(input, "Waits by priority", &Measures::by_priority);
  out += longest_section(input);
  out += inputs_section(input);
  return out + "</body></html>\n";
}

}  // namespace tutti::replay
