// From files to a trace.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "trace/job.h"

namespace tutti::trace {

struct ReadOptions {
  std::string format = {};      // empty: by what the file looks like
  bool skip_bad_rows = false;   // count them instead of refusing the file
  bool keep_time_zero = false;  // else the earliest submit becomes 0
  // Where a format says how many GPUs a job has and not how they lie: at most this many in a pod.
  std::int64_t gpus_per_node = 8;
};

struct File {
  std::string path;
  std::string bytes;  // gzip is unpacked
};

// All files as one trace. Errors are one line that begins with file, line and column.
Result<Trace> read_trace(std::vector<File> files, const ReadOptions& options);
// The generic format or openb's, by the header.
Result<NodeList> read_nodes(File file, const ReadOptions& options);

// The names of formats, for messages and help.
std::span<const std::string_view> format_names();

}  // namespace tutti::trace
