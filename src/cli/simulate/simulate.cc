#include "cli/simulate/simulate.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "cli/input/exit_code.h"
#include "cli/input/version.h"
#include "cli/output/write_value.h"
#include "cli/simulate/read_input.h"
#include "cli/simulate/simulation_report.h"
#include "replay/page/page.h"
#include "replay/simulation.h"

namespace tutti::cli {
namespace {

constexpr std::string_view kPerJobHeader = "policy,seed,id,submit,start,end,wait,attempts,places\n";

// A file under another name until it is whole. Without a path it takes nothing.
class WholeFile {
 public:
  explicit WholeFile(const std::string& path) : path_(path) {
    if (!path_.empty()) file_.open(unfinished(), std::ios::binary | std::ios::trunc);
  }
  WholeFile(const WholeFile&) = delete;
  WholeFile& operator=(const WholeFile&) = delete;
  ~WholeFile() {
    if (!path_.empty()) std::remove(unfinished().c_str());
  }

  bool wanted() const { return !path_.empty(); }
  Status write(std::string_view text) {
    file_ << text;
    return file_ ? ok_status() : failed();
  }
  Status finish() {
    if (path_.empty()) return ok_status();
    file_.close();
    if (!file_ || std::rename(unfinished().c_str(), path_.c_str()) != 0) return failed();
    return ok_status();
  }

 private:
  std::string unfinished() const { return path_ + ".part"; }
  Error failed() const {
    return {Error::Code::io, fmt::format("{}: {}", path_, std::strerror(errno))};
  }

  std::string path_;
  std::ofstream file_;
};

Status add_rows(WholeFile& file, const replay::Policy& policy, std::int64_t seed,
                const ReadInput& read, std::span<const replay::JobOutcome> outcomes) {
  if (!file.wanted()) return ok_status();
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    TUTTI_TRY(file.write(
        per_job_line(policy.name, seed, read.trace.jobs[i], outcomes[i], read.nodes.nodes)));
  }
  return ok_status();
}

// "run 3 of 20, about 2m10s left": as long as those before it on average.
std::string runs_line(std::size_t done, std::size_t all, Millis elapsed) {
  std::string line = fmt::format("run {} of {}", done + 1, all);
  if (done == 0) return line;
  const auto left = std::chrono::duration_cast<std::chrono::seconds>(
      elapsed / static_cast<std::int64_t>(done) * static_cast<std::int64_t>(all - done));
  return line + fmt::format(", about {} left", format_duration(left));
}

}  // namespace

Status simulate(const SimulateOptions& options, terminal::Streams& streams) {
  if (options.traces.empty() && options.input.synth.empty()) {
    return misuse("needs a trace (--trace FILE or --synth SPEC), or --study");
  }
  replay::SimulationOptions playing;
  TUTTI_ASSIGN(playing.policies, replay::parse_policies(options.policies));
  if (!options.seeds.empty()) playing.seeds = options.seeds;
  playing.until = options.until;
  playing.enforce_limits = options.enforce_limits;
  playing.reserves_nodes = options.reserves_nodes;
  playing.failures = options.input.failures;
  TUTTI_ASSIGN(const ReadInput read, read_input(options, streams.in));
  const trace::Trace& trace = read.trace;
  const trace::NodeList& nodes = read.nodes;
  playing.slowdown = read.slowdown;
  WholeFile per_job(options.per_job);
  if (per_job.wanted()) TUTTI_TRY(per_job.write(kPerJobHeader));
  WholeFile page(options.report);
  playing.curves = page.wanted();
  playing.finished = [&](const replay::Policy& policy, std::int64_t seed,
                         std::span<const replay::JobOutcome> outcomes) {
    return add_rows(per_job, policy, seed, read, outcomes);
  };
  terminal::Progress progress(streams.err, streams.stopwatch);
  playing.progress = [&](std::size_t done, std::size_t all) {
    if (progress.silent()) return;
    progress.show([&] { return runs_line(done, all, streams.stopwatch()); });
  };
  TUTTI_ASSIGN(const replay::SimulationResult result, replay::simulate(trace, nodes, playing));
  progress.erase();
  if (page.wanted()) TUTTI_TRY(page.write(replay::page({trace, nodes, result, version()})));
  TUTTI_TRY(page.finish());
  TUTTI_TRY(per_job.finish());
  const SimulationReport report{trace, nodes, result};
  if (options.format == session::Format::table) {
    streams.out << simulation_text(report, streams.layout);
  } else {
    const wire::Document document = simulation_document(report);
    write_value(document.root(), options.format, streams.out);
  }
  return ok_status();
}

}  // namespace tutti::cli
