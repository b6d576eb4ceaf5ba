// Slurm's accounting: one row of `sacct -X -P` is one job, or one attempt of it.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>

#include "base/text.h"
#include "trace/cells.h"
#include "trace/clusters/sources.h"
#include "trace/clusters/tres.h"
#include "trace/formats.h"

namespace tutti::trace {
namespace {

// What docs/guides/simulate.md asks sacct for; with -n there is no header that says so.
constexpr std::array<std::string_view, 17> kColumns = {
    "JobIDRaw", "User",      "Account", "Partition", "QOS",        "Priority",
    "Submit",   "Eligible",  "Start",   "End",       "ElapsedRaw", "TimelimitRaw",
    "ReqTRES",  "AllocTRES", "NNodes",  "State",     "ExitCode"};
constexpr std::array<std::string_view, 5> kNeeded = {"JobIDRaw", "Submit", "Start", "ElapsedRaw",
                                                     "State"};
constexpr std::string_view kRequeue = "#";  // 17#2 is the second attempt of job 17

bool is_nothing(std::string_view text) {
  return text.empty() || text == "Unknown" || text == "None" || text == "N/A";
}

// Local time without a zone, or seconds since 1970. Nothing where there is none yet.
std::optional<Millis> slurm_time(Cells& cells, std::string_view column) {
  const std::string_view text = cells.text(column);
  if (is_nothing(text)) return std::nullopt;
  if (const auto time = parse_time(std::string(text) + "Z")) return time;
  return cells.time(column);
}

// The first word: "CANCELLED by 1000", "COMPLETED".
std::string_view state_of(const Cells& cells) {
  const std::string_view text = cells.text("State");
  return text.substr(0, std::min(text.find_first_of(" +"), text.size()));
}

bool has_ended(std::string_view state) {
  constexpr std::string_view kOpen[] = {"PENDING",  "RUNNING",  "SUSPENDED",   "COMPLETING",
                                        "RESIZING", "REQUEUED", "CONFIGURING", "STOPPED"};
  return std::ranges::find(kOpen, state) == std::end(kOpen);
}

// Amounts of the whole job, divided among its pods.
void share_out(Cells& cells, const Tres& tres, ReadJob& read) {
  constexpr std::int64_t kNodesMax = 100'000;
  Job& job = read.job;
  std::int64_t pods = tres.nodes;
  if (pods == 0 && !is_nothing(cells.text("NNodes"))) {
    pods = cells.whole("NNodes", 0, kNodesMax).value_or(0);
  }
  pods = std::clamp<std::int64_t>(pods, 1, kNodesMax);
  if (tres.gpus % pods != 0) {
    ++read.invented["shape: GPUs that do not divide by the nodes"];
    while (tres.gpus % pods != 0) --pods;
  }
  const auto each = [&](std::int64_t total) { return (total + pods - 1) / pods; };
  job.replicas = job.minimum = static_cast<std::int32_t>(pods);
  job.milli_cpu = each(tres.milli_cpu);
  job.memory = each(tres.memory);
  job.gpu_milli = tres.gpus / pods * kGpu;
  if (!tres.model.empty()) job.models = {tres.model};
  for (const auto& [name, amount] : tres.others) job.extra.emplace_back(name, each(amount));
  if (tres.several_models) ++read.ignored["GPU models: of jobs with several"];
}

void read_limit(Cells& cells, ReadJob& read) {
  const std::string_view text = cells.text("TimelimitRaw");
  if (is_nothing(text) || text == "UNLIMITED" || text == "Partition_Limit") return;
  constexpr std::int64_t kMinutesMax = std::int64_t{366} * 24 * 60 * 100;
  const auto minutes = cells.whole("TimelimitRaw", 0, kMinutesMax);
  if (minutes) read.job.limit = std::chrono::minutes(*minutes);
}

void read_priority(Cells& cells, ReadJob& read) {
  constexpr std::int64_t kPriorityMax = 1'000'000'000;
  constexpr std::int64_t kSlurmMax = (std::int64_t{1} << 32) - 1;
  if (is_nothing(cells.text("Priority"))) return;
  const std::int64_t priority = cells.whole("Priority", 0, kSlurmMax).value_or(0);
  if (priority > kPriorityMax) ++read.invented["priority: 1000000000, the most there is"];
  read.job.priority = static_cast<std::int32_t>(std::min(priority, kPriorityMax));
}

void read_end(Cells& cells, const ReadOptions& options, ReadJob& read) {
  Job& job = read.job;
  const std::string_view state = state_of(cells);
  constexpr std::int64_t kSecondsMax = std::int64_t{366} * 24 * 3600 * 100;
  const auto elapsed = cells.whole("ElapsedRaw", 0, kSecondsMax);
  if (has_ended(state)) {
    if (!job.observed_start || (state == "CANCELLED" && elapsed.value_or(0) == 0)) {
      read.dropped = "ended before the start";
    } else {
      job.duration = std::chrono::seconds(cells.required("ElapsedRaw", elapsed));
    }
    return;
  }
  job.observed_end.reset();
  if (options.unfinished == Unfinished::censor) {
    ++read.invented["duration: for ever, of jobs that had not ended"];
  } else if (options.unfinished == Unfinished::elapsed && job.observed_start) {
    ++read.invented["duration: so far, of jobs that had not ended"];
    job.duration = std::chrono::seconds(elapsed.value_or(0));
  } else {
    read.dropped = "not ended";
  }
}

ReadJob read_sacct_row(Cells& cells, const Table& table, const ReadOptions& options) {
  ReadJob read;
  Job& job = read.job;
  job.id = cells.required("JobIDRaw", is_nothing(cells.text("JobIDRaw"))
                                          ? std::nullopt
                                          : std::optional(std::string(cells.text("JobIDRaw"))));
  const auto submit = slurm_time(cells, "Submit");
  const auto eligible = slurm_time(cells, "Eligible");
  job.submit = cells.required("Submit", eligible ? eligible : submit);
  if (!eligible) ++read.invented["eligible: the time of submit"];
  job.observed_start = slurm_time(cells, "Start");
  job.observed_end = slurm_time(cells, "End");
  if (cells.text("State").empty()) cells.fail("State", "expected a state, found nothing");
  const std::string_view asked = cells.text("ReqTRES").empty() ? "AllocTRES" : "ReqTRES";
  if (const auto tres = parse_tres(cells.text(asked))) {
    share_out(cells, *tres, read);
  } else {
    cells.fail(asked, fmt::format("expected resources such as cpu=4,mem=8G,node=1,gres/gpu=2, "
                                  "found '{}'",
                                  brief_line(cells.text(asked))));
  }
  read_limit(cells, read);
  read_priority(cells, read);
  if (const auto text = cells.text("Account"); !text.empty()) job.queue = text;
  if (const auto text = cells.text("User"); !text.empty()) job.user = text;
  for (const std::string_view column : {"Submit", "Partition", "QOS", "State", "ExitCode"}) {
    const auto text = cells.text(column);
    if (table.has(column) && !text.empty()) job.labels.emplace_back(column, text);
  }
  read_end(cells, options, read);
  return read;
}

// Attempts of one job have one id; they come in the order of rows.
void tell_attempts_apart(std::vector<Job>& jobs, std::size_t first, bool join, Trace& trace) {
  std::map<std::string, std::vector<std::size_t>> attempts;
  for (std::size_t i = first; i < jobs.size(); ++i) attempts[jobs[i].id].push_back(i);
  std::vector<bool> gone(jobs.size());
  for (const auto& [id, rows] : attempts) {
    for (std::size_t i = 1; i < rows.size(); ++i) {
      if (!join) {
        jobs[rows[i]].id = fmt::format("{}{}{}", id, kRequeue, i + 1);
        continue;
      }
      Job& last = jobs[rows[i]];
      const Job& before = jobs[rows[i - 1]];
      last.submit = std::min(last.submit, before.submit);
      if (before.observed_start) last.observed_start = before.observed_start;
      gone[rows[i - 1]] = true;
      ++trace.dropped["attempts before the last, of jobs that were requeued"];
    }
  }
  std::size_t kept = first;
  for (std::size_t i = first; i < jobs.size(); ++i) {
    if (gone[i]) continue;
    if (kept != i) jobs[kept] = std::move(jobs[i]);
    ++kept;
  }
  jobs.resize(kept);
}

std::string_view first_line(std::string_view text) {
  return text.substr(0, std::min(text.find('\n'), text.size()));
}

}  // namespace

bool looks_like_sacct(std::string_view text) {
  const std::string_view line = first_line(text);
  if (line.find("JobID") != std::string_view::npos && line.find('|') != std::string_view::npos) {
    return true;
  }
  const bool number = !line.empty() && line.front() >= '0' && line.front() <= '9';
  return number && std::ranges::count(line, '|') + 1 == std::ssize(kColumns);
}

Status read_sacct(std::span<Unpacked> files, const ReadOptions& options, Trace& trace) {
  const std::size_t first = trace.jobs.size();
  for (Unpacked& file : files) {
    const bool header = first_line(file.text).find("JobID") != std::string_view::npos;
    const std::span<const std::string_view> columns = kColumns;
    TUTTI_ASSIGN(const Table table,
                 Table::from_separated(file.input.path, std::move(file.text), '|',
                                       header ? columns.subspan(0, 0) : columns));
    for (const std::string_view column : kNeeded) {
      if (table.has(column)) continue;
      return Error{Error::Code::malformed,
                   fmt::format("{}:1: sacct needs the columns {}; there is no {}", file.input.path,
                               fmt::join(kNeeded, ", "), column)};
    }
    TUTTI_TRY(read_rows(table, {"sacct", {}, read_sacct_row}, options, trace, file.input));
    trace.inputs.push_back(file.input);
  }
  tell_attempts_apart(trace.jobs, first, options.join_requeues, trace);
  return ok_status();
}

}  // namespace tutti::trace
