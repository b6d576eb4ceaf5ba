// From files to a trace.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "trace/column_map.h"
#include "trace/job.h"
#include "trace/requests.h"
#include "trace/step_rates.h"

namespace tutti::trace {

struct ReadOptions;

// A file, unpacked. Its reader counts its rows.
struct Unpacked {
  Input input;
  std::string text;
};

// A format that is more than rows of one file: all its files are read together.
struct Source {
  std::string_view name;
  bool (*recognises)(std::string_view text);
  // Null: the files say nothing of jobs, or of nodes. Errors are a line that begins with the file.
  Status (*read_jobs)(std::span<Unpacked> files, const ReadOptions& options, Trace& trace);
  Status (*read_nodes)(std::span<Unpacked> files, const ReadOptions& options, NodeList& nodes);
};

// What becomes of work that had not ended when the log was written.
enum class Unfinished : std::uint8_t {
  censor,   // it runs for ever: it holds its place to the end
  elapsed,  // it runs as long as it had; what had not started is dropped
  drop
};

struct ReadOptions {
  std::string format = {};      // empty: by what the file looks like
  bool skip_bad_rows = false;   // count them instead of refusing the file
  bool keep_time_zero = false;  // else the earliest submit becomes 0
  // Where a format says how many GPUs a job has and not how they lie: at most this many in a pod.
  std::int64_t gpus_per_node = 8;
  // How the columns of rows are to be read as those of the generic format.
  std::optional<ColumnMap> map = {};
  Unfinished unfinished = Unfinished::censor;
  // Attempts of one Slurm job are one job, as long as the last of them.
  bool join_requeues = false;
  StepRates rates = {};        // for gavel-msr
  ReplicaModel replicas = {};  // for azure-llm
  // Formats that other modules know, asked before the built-in ones.
  std::span<const Source> sources = {};
};

// What is counted of lists of nodes that do not say how many GPUs there are.
inline constexpr std::string_view kInventedGpus = "GPUs of hosts: --gpus-per-node";

struct File {
  std::string path;
  std::string bytes;  // gzip is unpacked
};

// All files as one trace. Errors are one line that begins with file, line and column.
Result<Trace> read_trace(std::vector<File> files, const ReadOptions& options);
// All files as one list. CSV is the generic format, openb's or lingjun's, by the header.
Result<NodeList> read_nodes(std::vector<File> files, const ReadOptions& options);

// The names of formats that need no other module, for messages and help.
std::span<const std::string_view> format_names();

}  // namespace tutti::trace
