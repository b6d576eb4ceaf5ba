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

constexpr std::array<std::string_view, 6> kNames = {"generic",  "openb", "philly",
                                                    "tiresias", "muri",  "swf"};
constexpr std::string_view kSwf = "swf";

// In the order of asking: the first whose columns are all there.
const std::array<CsvFormat, 5>& csv_formats() {
  static const std::array<CsvFormat, 5> formats = {{
      {"generic", {"id", "submit"}, read_generic},
      {"openb", {"name", "cpu_milli", "memory_mib", "num_gpu", "gpu_milli"}, read_openb},
      {"philly", {"timestamp", "duration", "num_gpus"}, read_philly},
      {"muri", {"job_id", "num_gpu", "submit_time", "duration", "iteration_time"}, read_muri},
      {"tiresias", {"job_id", "num_gpu", "submit_time", "duration"}, read_tiresias},
  }};
  return formats;
}

bool has_all(const Table& table, std::span<const std::string_view> columns) {
  return std::ranges::all_of(columns, [&](std::string_view name) { return table.has(name); });
}

void add(Counts& sum, const Counts& more) {
  for (const auto& [kind, count] : more) sum[kind] += count;
}

Error in_file(const std::string& path, std::string_view problem) {
  return {Error::Code::malformed, fmt::format("{}: {}", path, problem)};
}

Result<const CsvFormat*> format_of(const Table& table, const std::string& wanted) {
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
                                             fmt::join(kNames, ", ")));
  }
  return in_file(table.file(),
                 fmt::format("the columns ({}) are those of no format that is known; --format "
                             "names one of {}",
                             brief_line(fmt::format("{}", fmt::join(table.columns(), ", "))),
                             fmt::join(kNames, ", ")));
}

Result<Table> table_of(const std::string& path, std::string text, bool swf) {
  return swf ? swf_table(path, text) : Table::read(path, std::move(text));
}

Status read_rows(const Table& table, const CsvFormat& format, const ReadOptions& options,
                 Trace& trace, Input& input) {
  for (const Row& row : table.rows()) {
    Cells cells(table, row);
    ReadJob read = row.problem.empty() ? format.read(cells, table, options) : ReadJob{};
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

Status read_file(File file, const ReadOptions& options, Trace& trace) {
  Input input{.path = file.path, .sha256 = sha256(file.bytes), .format = {}};
  Result<std::string> text = unpacked(std::move(file.bytes));
  if (!text.ok()) return std::move(text).error().within(file.path);
  const bool swf = options.format == kSwf || (options.format.empty() && looks_like_swf(*text));
  TUTTI_ASSIGN(const Table table, table_of(file.path, *std::move(text), swf));
  CsvFormat format{kSwf, {}, read_swf};
  if (!swf) {
    TUTTI_ASSIGN(const CsvFormat* known, format_of(table, options.format));
    format = *known;
  }
  input.format = format.name;
  TUTTI_TRY(read_rows(table, format, options, trace, input));
  trace.inputs.push_back(std::move(input));
  return ok_status();
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

Result<Trace> read_trace(std::vector<File> files, const ReadOptions& options) {
  Trace trace;
  for (File& file : files) TUTTI_TRY(read_file(std::move(file), options, trace));
  TUTTI_TRY(check_ids(trace.jobs));
  std::ranges::stable_sort(trace.jobs, {}, &Job::submit);
  if (!options.keep_time_zero) count_from_first(trace.jobs);
  return trace;
}

Result<NodeList> read_nodes(File file, const ReadOptions& options) {
  NodeList list;
  Input input{.path = file.path, .sha256 = sha256(file.bytes), .format = {}};
  Result<std::string> text = unpacked(std::move(file.bytes));
  if (!text.ok()) return std::move(text).error().within(file.path);
  TUTTI_ASSIGN(const Table table, Table::read(file.path, *std::move(text)));
  const bool openb = table.has("sn") && table.has("cpu_milli");
  if (!openb && !table.has("name")) {
    return in_file(file.path,
                   "expected a node list: the columns name, cpu, memory, gpu …, or sn, "
                   "cpu_milli, memory_mib, gpu");
  }
  input.format = openb ? "openb" : "generic";
  std::unordered_set<std::string> names;
  for (const Row& row : table.rows()) {
    Cells cells(table, row);
    Counts ignored;
    Node node;
    if (row.problem.empty()) {
      node = openb ? read_openb_node(cells) : read_generic_node(cells, table, ignored);
      if (!names.insert(node.name).second) cells.fail(openb ? "sn" : "name", "given twice");
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
  list.inputs.push_back(std::move(input));
  return list;
}

}  // namespace tutti::trace
