// Logs of training jobs that say how many GPUs a job had, and when: Philly, Muri, Tiresias, Gavel.
#include <fmt/core.h>

#include <algorithm>
#include <cmath>
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
  job.model = cells.text("model_name");
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
  job.model = cells.text("model_name");
  return read;
}

// The log has steps; how long they take on a V100 is measured elsewhere.
ReadJob read_gavel_msr(Cells& cells, const Table&, const ReadOptions& options) {
  constexpr std::int64_t kStepsMax = std::int64_t{1} << 50;
  constexpr std::string_view kReference = "v100";
  ReadJob read;
  Job& job = read.job;
  job.queue = cells.text("vc");
  job.submit = cells.required("arrival_time_s", cells.seconds("arrival_time_s"));
  const std::int64_t steps =
      cells.required("total_steps", cells.whole("total_steps", 0, kStepsMax));
  const std::int64_t gpus =
      cells.required("scale_factor_gpus", cells.whole("scale_factor_gpus", 1, kGpusMax));
  lay_out_gpus(job, gpus, options.gpus_per_node);
  job.model = cells.text("job_type");
  const auto rate = options.rates.alone(kReference, job.model, gpus);
  if (!rate) {
    cells.fail("job_type",
               fmt::format("expected a type whose steps per second on {} {} are in --profiles "
                           "(gavel_simulation_throughputs.json), found '{}'",
                           gpus, kReference, job.model));
    return read;
  }
  const double millis = std::round(1000 * static_cast<double>(steps) / *rate);
  if (millis > 1e15) cells.fail("total_steps", "expected less work");
  job.duration = Millis{static_cast<std::int64_t>(std::min(millis, 1e15))};
  ++read.invented["model: types that the authors of the trace made up"];
  return read;
}

}  // namespace tutti::trace
