#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "cli/input/version.h"
#include "cli/simulate/simulation_report.h"

namespace tutti::cli {
namespace {

// Builds objects of one document; numbers with a fixed number of decimals.
class DocumentBuilder {
 public:
  explicit DocumentBuilder(wire::Arena& arena) : arena_(arena) {}

  using Object = wire::Value;
  void text(Object& at, std::string_view key, std::string_view value) {
    at.set_member(arena_, key, wire::Value::string(arena_, value));
  }
  void whole(Object& at, std::string_view key, std::uint64_t value) {
    at.set_member(arena_, key, wire::Value::integer(static_cast<std::int64_t>(value)));
  }
  void number(Object& at, std::string_view key, double value, int decimals = 3) {
    at.set_member(arena_, key,
                  wire::Value::number(arena_, fmt::format("{:.{}f}", value, decimals)));
  }
  void put(Object& at, std::string_view key, wire::Value value) {
    at.set_member(arena_, key, std::move(value));
  }
  void push(wire::Value& list, wire::Value item) { list.push_back(arena_, std::move(item)); }

  wire::Value counts(const trace::Counts& counts) {
    wire::Value object = wire::Value::object();
    for (const auto& [kind, count] : counts) whole(object, kind, count);
    return object;
  }
  wire::Value texts(std::span<const std::string> lines) {
    wire::Value list = wire::Value::array();
    for (const std::string& line : lines) push(list, wire::Value::string(arena_, line));
    return list;
  }
  wire::Value inputs(const trace::Trace& trace, const trace::NodeList& nodes) {
    wire::Value list = wire::Value::array();
    const auto add = [&](const trace::Input& input) {
      wire::Value object = wire::Value::object();
      text(object, "path", input.path);
      text(object, "format", input.format);
      text(object, "sha256", input.sha256);
      whole(object, "rows", input.rows);
      whole(object, "skipped", input.skipped);
      push(list, std::move(object));
    };
    std::ranges::for_each(trace.inputs, add);
    std::ranges::for_each(nodes.inputs, add);
    return list;
  }
  wire::Value cluster(const trace::NodeList& list) {
    std::uint64_t gpus = 0;
    std::uint64_t milli_cpu = 0;
    for (const trace::Node& node : list.nodes) {
      gpus += static_cast<std::uint64_t>(node.gpus);
      milli_cpu += static_cast<std::uint64_t>(node.milli_cpu);
    }
    wire::Value object = wire::Value::object();
    whole(object, "nodes", list.nodes.size());
    whole(object, "gpus", gpus);
    whole(object, "milliCpu", milli_cpu);
    return object;
  }
  wire::Value figures(const replay::JobFigures& of) {
    wire::Value object = wire::Value::object();
    whole(object, "jobs", of.jobs);
    whole(object, "started", of.started);
    whole(object, "completed", of.completed);
    number(object, "waitMean", of.wait_mean);
    number(object, "waitP50", of.wait_p50);
    number(object, "waitP95", of.wait_p95);
    number(object, "waitP99", of.wait_p99);
    number(object, "waitMax", of.wait_max);
    number(object, "jctMean", of.jct_mean);
    number(object, "boundedSlowdown", of.bounded_slowdown);
    return object;
  }
  wire::Value breakdown(const std::map<std::string, replay::JobFigures>& groups) {
    wire::Value object = wire::Value::object();
    for (const auto& [name, of] : groups) put(object, name, figures(of));
    return object;
  }
  wire::Value run(const replay::SimulationRun& run) {
    const replay::Measures& m = run.measures;
    wire::Value measures = figures(m.all);
    whole(measures, "running", m.running);
    whole(measures, "waiting", m.waiting);
    whole(measures, "killed", m.killed);
    whole(measures, "failed", m.failed);
    whole(measures, "impossible", m.impossible);
    if (m.makespan) number(measures, "makespan", *m.makespan);
    number(measures, "gpuHoursCapacity", m.gpu_hours_capacity);
    number(measures, "gpuHoursAllocated", m.gpu_hours_allocated);
    number(measures, "gpuHoursUseful", m.gpu_hours_useful);
    number(measures, "gpuHoursLost", m.gpu_hours_lost);
    number(measures, "gpuHoursOverhead", m.gpu_hours_overhead);
    number(measures, "gpuHoursSlowdown", m.gpu_hours_slowdown);
    number(measures, "gpuAllocated", m.share(m.gpu_hours_allocated), 6);
    number(measures, "gpuUseful", m.share(m.gpu_hours_useful), 6);
    number(measures, "cpuAllocated", m.cpu_share_allocated, 6);
    number(measures, "identityResidue", m.residue(), 9);
    whole(measures, "podStarts", m.pod_starts);
    whole(measures, "attempts", m.attempts);
    whole(measures, "preemptions", m.preemptions);
    whole(measures, "nodeOutages", m.outages);
    whole(measures, "podsKilledByOutages", m.killed_pods);
    whole(measures, "failedAttempts", m.failed_attempts);
    whole(measures, "waitedADay", m.waited_a_day);
    if (m.jain) number(measures, "jain", *m.jain, 6);
    if (m.observed > 0) {
      whole(measures, "observedJobs", m.observed);
      number(measures, "observedWaitMean", m.observed_wait_mean);
    }
    wire::Value object = wire::Value::object();
    text(object, "policy", run.policy);
    whole(object, "seed", static_cast<std::uint64_t>(run.seed));
    text(object, "digest", fmt::format("{:016x}", run.digest));
    put(object, "measures", std::move(measures));
    put(object, "byQueue", breakdown(m.by_queue));
    put(object, "byPriority", breakdown(m.by_priority));
    put(object, "bySize", breakdown(m.by_size));
    put(object, "byDuration", breakdown(m.by_duration));
    return object;
  }
  wire::Value comparison(const replay::Comparison& compared) {
    const replay::Pairing& pairing = compared.pairing;
    wire::Value object = wire::Value::object();
    text(object, "measure", compared.measure);
    text(object, "a", compared.a);
    text(object, "b", compared.b);
    whole(object, "n", pairing.difference.n);
    number(object, "difference", pairing.difference.mean, 6);
    if (pairing.difference.half) number(object, "half", *pairing.difference.half, 6);
    whole(object, "aHigher", pairing.a_higher);
    whole(object, "bHigher", pairing.b_higher);
    number(object, "p", pairing.p, 6);
    number(object, "pHolm", pairing.p_holm, 6);
    object.set_member(arena_, "shown", wire::Value::boolean(pairing.shown()));
    return object;
  }
  wire::Value fgd(const replay::FgdRun& run) {
    wire::Value object = wire::Value::object();
    text(object, "list", run.list);
    text(object, "policy", run.policy);
    whole(object, "seed", static_cast<std::uint64_t>(run.seed));
    whole(object, "arrivals", run.arrivals);
    whole(object, "failedPods", run.failed);
    whole(object, "allocatedGpuMilli", static_cast<std::uint64_t>(run.allocated_gpu_milli));
    number(object, "ratio", run.ratio(), 2);
    if (run.published) number(object, "published", *run.published, 2);
    return object;
  }

 private:
  wire::Arena& arena_;
};

}  // namespace

wire::Document simulation_document(const SimulationReport& report) {
  wire::Document document;
  DocumentBuilder build(document.arena());
  wire::Value root = wire::Value::object();
  build.text(root, "version", version());
  build.put(root, "inputs", build.inputs(report.trace, report.nodes));
  std::vector<std::string> changes = report.trace.changes;
  changes.insert(changes.end(), report.nodes.changes.begin(), report.nodes.changes.end());
  build.put(root, "changes", build.texts(changes));
  if (!report.trace.notes.empty()) build.put(root, "notes", build.texts(report.trace.notes));
  trace::Counts invented = report.trace.invented;
  for (const auto& [kind, count] : report.nodes.invented) invented[kind] += count;
  build.put(root, "invented", build.counts(invented));
  build.put(root, "dropped", build.counts(report.trace.dropped));
  trace::Counts ignored = report.trace.ignored;
  for (const auto& [kind, count] : report.nodes.ignored) ignored[kind] += count;
  build.put(root, "ignored", build.counts(ignored));
  build.put(root, "cluster", build.cluster(report.nodes));
  wire::Value runs = wire::Value::array();
  for (const auto& run : report.result.runs) build.push(runs, build.run(run));
  build.put(root, "runs", std::move(runs));
  wire::Value comparisons = wire::Value::array();
  for (const auto& one : report.result.comparisons) build.push(comparisons, build.comparison(one));
  build.put(root, "comparisons", std::move(comparisons));
  document.set_root(std::move(root));
  return document;
}

wire::Document fgd_document(std::span<const replay::FgdRun> runs) {
  wire::Document document;
  DocumentBuilder build(document.arena());
  wire::Value root = wire::Value::object();
  build.text(root, "version", version());
  build.text(root, "study", "fgd");
  wire::Value list = wire::Value::array();
  for (const auto& run : runs) build.push(list, build.fgd(run));
  build.put(root, "runs", std::move(list));
  document.set_root(std::move(root));
  return document;
}

}  // namespace tutti::cli
