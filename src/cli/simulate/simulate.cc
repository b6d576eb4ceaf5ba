#include "cli/simulate/simulate.h"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <utility>

#include "cli/input/exit_code.h"
#include "cli/output/write_value.h"
#include "cli/simulate/read_input.h"
#include "cli/simulate/simulation_report.h"
#include "replay/simulation.h"

namespace tutti::cli {
namespace {

// A file under another name until it is whole.
class PerJobFile {
 public:
  explicit PerJobFile(const std::string& path) : path_(path) {
    if (path_.empty()) return;
    file_.open(unfinished(), std::ios::binary | std::ios::trunc);
    file_ << "policy,seed,id,submit,start,end,wait,attempts,places\n";
  }
  PerJobFile(const PerJobFile&) = delete;
  PerJobFile& operator=(const PerJobFile&) = delete;
  ~PerJobFile() {
    if (!path_.empty()) std::remove(unfinished().c_str());
  }

  Status add(const replay::Policy& policy, std::int64_t seed, const trace::Trace& trace,
             const trace::NodeList& nodes, std::span<const replay::JobOutcome> outcomes) {
    if (path_.empty()) return ok_status();
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      file_ << per_job_line(policy.name, seed, trace.jobs[i], outcomes[i], nodes.nodes);
    }
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
  TUTTI_ASSIGN(const ReadInput read, read_input(options, streams.in));
  const trace::Trace& trace = read.trace;
  const trace::NodeList& nodes = read.nodes;
  PerJobFile per_job(options.per_job);
  playing.finished = [&](const replay::Policy& policy, std::int64_t seed,
                         std::span<const replay::JobOutcome> outcomes) {
    return per_job.add(policy, seed, trace, nodes, outcomes);
  };
  TUTTI_ASSIGN(const replay::SimulationResult result, replay::simulate(trace, nodes, playing));
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
