// Logs of training jobs that say how many GPUs a job had, and when: Philly, Muri, Tiresias.
#include <string>

#include "trace/formats.h"

namespace tutti::trace {

ReadJob read_philly(Cells& cells, const Table&, const ReadOptions& options) {
  ReadJob read;
  Job& job = read.job;
  job.submit = cells.required("timestamp", cells.time("timestamp"));
  job.duration = cells.required("duration", cells.seconds("duration"));
  const std::int64_t gpus = cells.required("num_gpus", cells.whole("num_gpus", 0, kGpusMax));
  lay_out_gpus(job, gpus, options.gpus_per_node);
  if (const auto cluster = cells.text("cluster"); !cluster.empty()) job.queue = cluster;
  return read;
}

ReadJob read_muri(Cells& cells, const Table&, const ReadOptions& options) {
  ReadJob read;
  Job& job = read.job;
  job.id = cells.text("job_id");
  job.submit = cells.required("submit_time", cells.millis("submit_time"));
  job.duration = cells.required("duration", cells.millis("duration"));
  const std::int64_t gpus = cells.required("num_gpu", cells.whole("num_gpu", 0, kGpusMax));
  lay_out_gpus(job, gpus, options.gpus_per_node);
  constexpr std::int64_t kPriorityMax = 1'000'000;
  job.priority = static_cast<std::int32_t>(cells.whole("priority", 0, kPriorityMax).value_or(0));
  if (!cells.text("model_name").empty()) ++read.ignored["model_name"];
  return read;
}

ReadJob read_tiresias(Cells& cells, const Table&, const ReadOptions& options) {
  ReadJob read;
  Job& job = read.job;
  job.id = cells.text("job_id");
  job.submit = cells.required("submit_time", cells.seconds("submit_time"));
  job.duration = cells.required("duration", cells.seconds("duration"));
  const std::int64_t gpus = cells.required("num_gpu", cells.whole("num_gpu", 0, kGpusMax));
  lay_out_gpus(job, gpus, options.gpus_per_node);
  if (!cells.text("model_name").empty()) ++read.ignored["model_name"];
  return read;
}

}  // namespace tutti::trace
