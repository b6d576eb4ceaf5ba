// The Standard Workload Format of the Parallel Workloads Archive: eighteen numbers a line, -1 for
// what is not known, comments behind a semicolon. A job is one pod with all its processors: the
// machine is one pool.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string>

#include "trace/formats.h"

namespace tutti::trace {
namespace {

constexpr std::array<std::string_view, 18> kFields = {
    "job",    "submit",     "wait",     "run",       "processors", "cpu_time",
    "memory", "req_procs",  "req_time", "req_mem",   "status",     "user",
    "group",  "executable", "queue",    "partition", "preceding",  "think_time"};
constexpr std::string_view kBlanks = " \t\r";

}  // namespace

bool looks_like_swf(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    const std::size_t first = line.find_first_not_of(kBlanks);
    if (first == std::string_view::npos) continue;
    if (line[first] == ';') return true;
    return line.find(',') == std::string_view::npos && line[first] >= '0' && line[first] <= '9';
  }
  return false;
}

Result<Table> swf_table(std::string file, const std::string& text) {
  std::string csv = fmt::format("{}\n", fmt::join(kFields, ","));
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find('\n', begin), text.size());
    const std::string_view line = std::string_view(text).substr(begin, end - begin);
    begin = end + 1;
    const std::string_view data = line.substr(0, std::min(line.find(';'), line.size()));
    for (std::size_t at = data.find_first_not_of(kBlanks), from = at; at < data.size(); from = at) {
      const std::size_t stop = std::min(data.find_first_of(kBlanks, at), data.size());
      csv += data.substr(at, stop - at);
      at = std::min(data.find_first_not_of(kBlanks, stop), data.size());
      if (at < data.size() && from <= at) csv += ',';
    }
    csv += '\n';  // an empty line, too: lines keep their numbers but for the header
  }
  return Table::from_csv(std::move(file), std::move(csv));
}

ReadJob read_swf(Cells& cells, const Table&, const ReadOptions&) {
  constexpr std::int64_t kMost = std::int64_t{1} << 40;
  constexpr std::int64_t kCancelled = 5;
  constexpr std::int64_t kKiB = 1024;
  ReadJob read;
  Job& job = read.job;
  const auto field = [&](std::string_view name) {
    return cells.required(name, cells.whole(name, -1, kMost));
  };
  job.id = cells.text("job");
  job.submit = cells.required("submit", cells.seconds("submit"));
  const std::int64_t run = field("run");
  const std::int64_t asked = field("req_procs");
  const std::int64_t processors = asked > 0 ? asked : field("processors");
  constexpr std::int64_t kMilli = 1000;
  job.milli_cpu = std::max<std::int64_t>(processors, 0) * kMilli;
  const std::int64_t memory = field("req_mem") > 0 ? field("req_mem") : field("memory");
  if (memory > 0) job.memory = memory * kKiB * std::max<std::int64_t>(processors, 0);
  job.duration = std::chrono::seconds(std::max<std::int64_t>(run, 0));
  if (const std::int64_t limit = field("req_time"); limit > 0) {
    job.limit = std::chrono::seconds(limit);
  } else {
    ++read.invented["limit: the run time"];
  }
  if (const std::int64_t wait = field("wait"); wait >= 0) {
    job.observed_start = job.submit + std::chrono::seconds(wait);
  }
  job.user = cells.text("user");
  job.queue = cells.text("queue");
  if (field("preceding") > 0) ++read.ignored["preceding job"];
  if (processors <= 0) read.dropped = "no processors";
  if (run <= 0) {
    read.dropped = field("status") == kCancelled ? "cancelled before the start" : "no run time";
  }
  return read;
}

}  // namespace tutti::trace
