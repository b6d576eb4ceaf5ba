#include "cli/simulate/read_input.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>
#include <utility>

#include "cli/input/exit_code.h"
#include "session/manifests/file_text.h"
#include "trace/clusters/sources.h"
#include "trace/gzip.h"
#include "trace/node_changes.h"
#include "trace/synthesis.h"
#include "trace/topology.h"

namespace tutti::cli {
namespace {

constexpr const char* kGavelRates = "gavel_simulation_throughputs.json";

Result<std::vector<trace::File>> files_of(const std::vector<std::string>& paths, std::istream& in) {
  std::vector<trace::File> files;
  for (const std::string& path : paths) {
    TUTTI_ASSIGN(std::string bytes, session::read_input(path, in));
    files.push_back({path == "-" ? "standard input" : path, std::move(bytes)});
  }
  return files;
}

// The file of a folder, plain or with .gz; nothing if there is none.
Result<std::optional<std::string>> text_in(const std::string& folder, const std::string& name,
                                           std::istream& in) {
  for (const char* const suffix : {"", ".gz"}) {
    const std::string path = fmt::format("{}/{}{}", folder, name, suffix);
    std::error_code unreadable;
    if (!std::filesystem::exists(path, unreadable)) continue;
    TUTTI_ASSIGN(std::string bytes, session::read_input(path, in));
    Result<std::string> text = trace::unpacked(std::move(bytes));
    if (!text.ok()) return std::move(text).error().within(path);
    return std::optional(*std::move(text));
  }
  return std::optional<std::string>();
}

Result<trace::ReadOptions> reading_of(const SimulateOptions& options, std::istream& in) {
  trace::ReadOptions reading;
  reading.format = options.trace_format;
  reading.skip_bad_rows = options.skip_bad_rows;
  reading.keep_time_zero = options.keep_time_zero;
  reading.unfinished = options.input.unfinished;
  reading.join_requeues = options.input.join_requeues;
  reading.sources = trace::cluster_sources();
  if (!options.input.map.empty()) {
    TUTTI_ASSIGN(const std::string text, session::read_input(options.input.map, in));
    TUTTI_ASSIGN(reading.map, trace::ColumnMap::parse(options.input.map, text));
  }
  if (!options.input.profiles.empty()) {
    TUTTI_ASSIGN(const auto text, text_in(options.input.profiles, kGavelRates, in));
    const std::string path = fmt::format("{}/{}", options.input.profiles, kGavelRates);
    if (text) {
      TUTTI_ASSIGN(reading.rates, trace::StepRates::parse(path, *text));
    }
  }
  if (!options.input.replicas.empty()) {
    TUTTI_ASSIGN(reading.replicas, trace::parse_replicas(options.input.replicas));
  }
  return reading;
}

Result<trace::NodeList> read_cluster(const SimulateOptions& options, trace::ReadOptions reading,
                                     std::istream& in) {
  if (options.nodes.empty() == options.topology.empty()) {
    return misuse("give the cluster by --nodes FILE or --topology SPEC");
  }
  trace::NodeList list;
  if (!options.topology.empty()) {
    TUTTI_ASSIGN(list, trace::make_nodes(options.topology));
  } else {
    TUTTI_ASSIGN(std::vector<trace::File> files, files_of(options.nodes, in));
    reading.map.reset();
    reading.gpus_per_node = options.input.gpus_per_node.value_or(0);
    TUTTI_ASSIGN(list, trace::read_nodes(std::move(files), reading));
    const bool unsaid = list.invented.contains(std::string(trace::kInventedGpus));
    if (unsaid && !options.input.gpus_per_node) {
      return misuse("the list of nodes does not say how many GPUs they have: --gpus-per-node N");
    }
  }
  if (list.nodes.empty()) return Error{Error::Code::malformed, "the cluster has no nodes"};
  for (const std::string& spec : options.input.added_nodes) {
    TUTTI_TRY(trace::add_nodes(list, spec));
  }
  if (options.input.removed_nodes > 0) {
    TUTTI_TRY(trace::remove_nodes(list, options.input.removed_nodes));
  }
  for (const std::string& spec : options.input.drains) TUTTI_TRY(trace::drain_nodes(list, spec));
  if (!options.input.outages.empty()) {
    TUTTI_ASSIGN(std::vector<trace::File> files, files_of({options.input.outages}, in));
    TUTTI_TRY(trace::add_outages(list, std::move(files.front())));
  }
  return list;
}

// Profiles are read for the models that jobs have.
Result<trace::StepTimes> read_step_times(const std::string& folder, const trace::Trace& trace,
                                         std::istream& in) {
  trace::StepTimes times;
  std::set<std::string> models;
  for (const trace::Job& job : trace.jobs) models.insert(job.model);
  for (const std::string& model : models) {
    if (model.empty() || model.find('/') != std::string::npos) continue;
    const std::string placements = fmt::format("pollux_{}_placements.csv", model);
    const std::string scalability = fmt::format("pollux_{}_scalability.csv", model);
    TUTTI_ASSIGN(auto near, text_in(folder, placements, in));
    TUTTI_ASSIGN(auto far, text_in(folder, scalability, in));
    if (near) TUTTI_TRY(times.add_placements(model, folder + "/" + placements, *std::move(near)));
    if (far) TUTTI_TRY(times.add_scalability(model, folder + "/" + scalability, *std::move(far)));
  }
  return times;
}

// What is measured of the jobs' models; jobs of others are counted.
Status read_slowdown(const SimulateOptions& options, const trace::StepRates& rates, ReadInput& read,
                     std::istream& in) {
  std::size_t unknown = 0;
  std::size_t known = 0;
  if (!options.input.profiles.empty() && !options.input.ideal_places) {
    TUTTI_ASSIGN(trace::StepTimes times, read_step_times(options.input.profiles, read.trace, in));
    read.slowdown = std::make_shared<const replay::SlowdownModel>(std::move(times), rates);
  }
  for (const trace::Job& job : read.trace.jobs) {
    if (job.model.empty()) continue;
    ++(read.slowdown && read.slowdown->knows(job) ? known : unknown);
  }
  if (unknown > 0) {
    read.trace.ignored[read.slowdown ? "model: no profile knows it" : "model: no --profiles"] +=
        unknown;
  }
  if (known > 0) {
    read.trace.notes.push_back(
        fmt::format("{} jobs take longer where their places are slower, as measured.", known));
  }
  return ok_status();
}

Result<trace::Trace> read_jobs(const SimulateOptions& options, const trace::ReadOptions& reading,
                               std::istream& in) {
  if (options.traces.empty()) return trace::make_jobs(options.input.synth, reading.gpus_per_node);
  if (!options.input.synth.empty()) return misuse("give --trace or --synth, not both");
  TUTTI_ASSIGN(std::vector<trace::File> files, files_of(options.traces, in));
  return trace::read_trace(std::move(files), reading);
}

}  // namespace

Result<ReadInput> read_input(const SimulateOptions& options, std::istream& in) {
  ReadInput read;
  TUTTI_ASSIGN(trace::ReadOptions reading, reading_of(options, in));
  TUTTI_ASSIGN(read.nodes, read_cluster(options, reading, in));
  std::int64_t most = 0;
  for (const trace::Node& node : read.nodes.nodes) most = std::max(most, node.gpus);
  reading.gpus_per_node = options.input.gpus_per_node.value_or(most);
  TUTTI_ASSIGN(read.trace, read_jobs(options, reading, in));
  trace::Changes changes = options.changes;
  changes.capacity = trace::capacity_of(read.nodes.nodes);
  if (!options.input.filter.empty()) {
    TUTTI_ASSIGN(changes.filter, trace::JobFilter::parse(options.input.filter));
  }
  trace::change(read.trace, changes);
  TUTTI_TRY(read_slowdown(options, reading.rates, read, in));
  if (!options.input.key.empty()) {
    TUTTI_ASSIGN(const std::string key, session::read_input(options.input.key, in));
    trace::anonymise(read.trace, key);
  }
  return read;
}

}  // namespace tutti::cli
