#include "trace/read.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <unordered_set>
#include <utility>

#include "base/text.h"
#include "trace/formats.h"
#include "trace/gzip.h"

namespace tutti::trace {
namespace {

constexpr std::array<std::string_view, 8> kNames = {"generic", "openb",     "philly",    "tiresias",
                                                    "muri",    "gavel-msr", "azure-llm", "swf"};
constexpr std::string_view kSwf = "swf";

// In the order of asking: the first whose columns are all there.
const std::array<CsvFormat, 6>& csv_formats() {
  static const std::array<CsvFormat, 6> formats = {{
      {"generic", {"id", "submit"}, read_generic},
      {"openb", {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}, read_openb},
      {"philly", {"timestamp", "duration", "num_gpus"}, read_philly},
      {"muri", {"job_id", "num_gpu", "submit_time", "duration", "iteration_time"}, read_muri},
      {"tiresias", {"job_id", "num_gpu", "submit_time", "duration"}, read_tiresias},
      {"gavel-msr",
       {"vc", "job_type", "arrival_time_s", "total_steps", "scale_factor_gpus"},
       read_gavel_msr},
  }};
  return formats;
}

bool has_all(const Table& table, std::span<const std::string_view> columns) {
  return std::ranges::all_of(columns, [&](std::string_view name) { return table.has(name); });
}

// Whether the work of all pods, in milliseconds, is beyond what is counted with.
bool too_much_work(const Job& job) {
  constexpr std::int64_t kPodMillisMax = std::int64_t{1} << 60;
  return job.duration && job.duration->count() > kPodMillisMax / job.replicas;
}

constexpr Source kRequests = {"azure-llm", looks_like_requests, read_requests, nullptr};

std::vector<std::string_view> all_names(const ReadOptions& options) {
  std::vector<std::string_view> names(kNames.begin(), kNames.end());
  for (const Source& source : options.sources) names.push_back(source.name);
  return names;
}

const Source* source_of(std::string_view text, const ReadOptions& options) {
  const auto meant = [&](const Source& source) {
    return options.format.empty() ? source.recognises(text) : options.format == source.name;
  };
  const auto at = std::ranges::find_if(options.sources, meant);
  if (at != options.sources.end()) return &*at;
  return meant(kRequests) ? &kRequests : nullptr;
}

Error in_file(const std::string& path, std::string_view problem) {
  return {Error::Code::malformed, fmt::format("{}: {}", path, problem)};
}

Result<const CsvFormat*> format_of(const Table& table, const ReadOptions& options) {
  const std::string& wanted = options.format;
  for (const CsvFormat& format : csv_formats()) {
    const bool fits = has_all(table, format.columns);
    if (wanted == format.name && !fits) {
      return in_file(table.file(), fmt::format("format {} needs the columns {}", format.name,
                                               fmt::join(format.columns, ", ")));
    }
    if (wanted.empty() ? fits : wanted == format.name) return &format;
  }
  if (!wanted.empty()) {
    return in_file(table.file(), fmt::format("there is no format '{}'; there are {}", wanted,
                                             fmt::join(all_names(options), ", ")));
  }
  return in_file(table.file(),
                 fmt::format("the columns ({}) are those of no format that is known; --format "
                             "names one of {}",
                             brief_line(fmt::format("{}", fmt::join(table.columns(), ", "))),
                             fmt::join(all_names(options), ", ")));
}

Result<Table> table_of(const std::string& path, std::string text, bool swf) {
  return swf ? swf_table(path, text) : Table::read(path, std::move(text));
}

Status read_file(Unpacked file, const ReadOptions& options, Trace& trace) {
  const std::string& path = file.input.path;
  const bool swf = options.format == kSwf ||
                   (options.format.empty() && !options.map && looks_like_swf(file.text));
  TUTTI_ASSIGN(Table table, table_of(path, std::move(file.text), swf));
  CsvFormat format{kSwf, {}, read_swf};
  if (options.map) {
    format = csv_formats().front();
    TUTTI_ASSIGN(table, options.map->apply(std::move(table)));
  }
  if (!swf) {
    TUTTI_ASSIGN(const CsvFormat* known, format_of(table, options));
    format = *known;
  }
  file.input.format = format.name;
  TUTTI_TRY(read_rows(table, format, options, trace, file.input));
  trace.inputs.push_back(std::move(file.input));
  return ok_status();
}

Result<std::vector<Unpacked>> unpack(std::vector<File> files) {
  std::vector<Unpacked> made;
  for (File& file : files) {
    Input input{.path = file.path, .sha256 = sha256(file.bytes), .format = {}};
    Result<std::string> text = unpacked(std::move(file.bytes));
    if (!text.ok()) return std::move(text).error().within(file.path);
    made.push_back({std::move(input), *std::move(text)});
  }
  return made;
}

// Takes the files of a source out of the others, in their order.
std::vector<Unpacked> take_of(const Source& source, std::vector<Unpacked>& files,
                              const ReadOptions& options) {
  std::vector<Unpacked> taken;
  std::vector<Unpacked> others;
  for (Unpacked& file : files) {
    auto& into = source_of(file.text, options) == &source ? taken : others;
    file.input.format = source.name;
    into.push_back(std::move(file));
  }
  files = std::move(others);
  return taken;
}

Status check_ids(const std::vector<Job>& jobs) {
  std::unordered_set<std::string_view> seen;
  for (const Job& job : jobs) {
    if (seen.insert(job.id).second) continue;
    return Error{Error::Code::malformed,
                 fmt::format("two jobs are called '{}'", brief_line(job.id))};
  }
  return ok_status();
}

void count_from_first(std::vector<Job>& jobs) {
  if (jobs.empty()) return;
  const Millis zero = jobs.front().submit;
  for (Job& job : jobs) {
    job.submit -= zero;
    if (job.observed_start) *job.observed_start -= zero;
    if (job.observed_end) *job.observed_end -= zero;
  }
}

}  // namespace

std::span<const std::string_view> format_names() { return kNames; }

void add(Counts& sum, const Counts& more) {
  for (const auto& [kind, count] : more) sum[kind] += count;
}

Status read_rows(const Table& table, const CsvFormat& format, const ReadOptions& options,
                 Trace& trace, Input& input) {
  for (const Row& row : table.rows()) {
    Cells cells(table, row);
    ReadJob read = row.problem.empty() ? format.read(cells, table, options) : ReadJob{};
    if (too_much_work(read.job)) cells.fail("duration", "expected less work for all pods together");
    if (!cells.problem().empty()) {
      if (!options.skip_bad_rows) return Error{Error::Code::malformed, cells.located_problem()};
      ++input.skipped;
      continue;
    }
    if (!read.dropped.empty()) {
      ++trace.dropped[read.dropped];
      continue;
    }
    add(trace.invented, read.invented);
    add(trace.ignored, read.ignored);
    ++input.rows;
    if (read.job.id.empty()) read.job.id = fmt::format("row-{}", trace.jobs.size() + 1);
    trace.jobs.push_back(std::move(read.job));
  }
  return ok_status();
}

Result<Trace> read_trace(std::vector<File> files, const ReadOptions& options) {
  Trace trace;
  TUTTI_ASSIGN(std::vector<Unpacked> left, unpack(std::move(files)));
  while (!left.empty()) {
    const Source* source = options.map ? nullptr : source_of(left.front().text, options);
    if (source == nullptr) {
      TUTTI_TRY(read_file(std::move(left.front()), options, trace));
      left.erase(left.begin());
      continue;
    }
    std::vector<Unpacked> together = take_of(*source, left, options);
    if (source->read_jobs == nullptr) {
      return in_file(together.front().input.path,
                     fmt::format("{} says nothing of jobs; give it as --nodes", source->name));
    }
    TUTTI_TRY(source->read_jobs(together, options, trace));
  }
  TUTTI_TRY(check_ids(trace.jobs));
  std::ranges::stable_sort(trace.jobs, {}, &Job::submit);
  if (!options.keep_time_zero) count_from_first(trace.jobs);
  return trace;
}

namespace {

struct NodeFormat {
  std::string_view name;
  std::string_view name_column;
};

Result<NodeFormat> node_format_of(const Table& table) {
  if (table.has("sn") && table.has("cpu_milli")) return NodeFormat{"openb", "sn"};
  if (table.has("ip") && table.has("DSW") && table.has("PSW") && table.has("ASW")) {
    return NodeFormat{"lingjun", "ip"};
  }
  if (table.has("name")) return NodeFormat{"generic", "name"};
  return in_file(table.file(),
                 "expected a node list: the columns name, cpu, memory, gpu …, or sn, "
                 "cpu_milli, memory_mib, gpu");
}

Status read_node_rows(Unpacked file, const ReadOptions& options, NodeList& list,
                      std::unordered_set<std::string>& names) {
  TUTTI_ASSIGN(const Table table, Table::read(file.input.path, std::move(file.text)));
  TUTTI_ASSIGN(const NodeFormat format, node_format_of(table));
  Input& input = file.input;
  input.format = format.name;
  for (const Row& row : table.rows()) {
    Cells cells(table, row);
    Counts ignored;
    Node node;
    if (row.problem.empty() && format.name == "openb") {
      node = read_openb_node(cells);
    } else if (row.problem.empty() && format.name == "lingjun") {
      node = read_lingjun_node(cells, options);
    } else if (row.problem.empty()) {
      node = read_generic_node(cells, table, ignored);
    }
    if (row.problem.empty() && !names.insert(node.name).second) {
      cells.fail(format.name_column, "given twice");
    }
    if (!cells.problem().empty()) {
      if (!options.skip_bad_rows) return Error{Error::Code::malformed, cells.located_problem()};
      ++input.skipped;
      continue;
    }
    add(list.ignored, ignored);
    ++input.rows;
    list.nodes.push_back(std::move(node));
  }
  if (format.name == "lingjun") list.invented[std::string(kInventedGpus)] += input.rows;
  list.inputs.push_back(std::move(input));
  return ok_status();
}

}  // namespace

Result<NodeList> read_nodes(std::vector<File> files, const ReadOptions& options) {
  NodeList list;
  TUTTI_ASSIGN(std::vector<Unpacked> left, unpack(std::move(files)));
  ReadOptions by_looks = options;
  by_looks.format.clear();
  std::unordered_set<std::string> names;
  while (!left.empty()) {
    const Source* source = source_of(left.front().text, by_looks);
    if (source == nullptr) {
      TUTTI_TRY(read_node_rows(std::move(left.front()), options, list, names));
      left.erase(left.begin());
      continue;
    }
    std::vector<Unpacked> together = take_of(*source, left, by_looks);
    if (source->read_nodes == nullptr) {
      return in_file(together.front().input.path,
                     fmt::format("{} says nothing of nodes; give it as --trace", source->name));
    }
    TUTTI_TRY(source->read_nodes(together, by_looks, list));
  }
  std::unordered_set<std::string_view> seen;
  for (const Node& node : list.nodes) {
    if (seen.insert(node.name).second) continue;
    return Error{Error::Code::malformed,
                 fmt::format("two nodes are called '{}'", brief_line(node.name))};
  }
  return list;
}

}  // namespace tutti::trace
