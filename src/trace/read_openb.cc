// Alibaba's: cluster-trace-gpu-v2023, one pod per row with shares of GPUs; Lingjun's topology.
#include <algorithm>
#include <string>

#include "trace/formats.h"

namespace tutti::trace {
namespace {

constexpr std::int64_t kMilliMax = std::int64_t{1} << 40;
constexpr std::int64_t kMebibytesMax = std::int64_t{1} << 30;
constexpr std::int64_t kOpenbPods = 1001;  // per node, in the cluster that was published

void read_times(Cells& cells, const Table& table, ReadJob& read) {
  Job& job = read.job;
  if (!table.has("creation_time")) {
    ++read.invented["submit: the order of the rows"];
    ++read.invented["duration: for ever"];
    return;
  }
  job.submit = cells.required("creation_time", cells.seconds("creation_time"));
  const auto deleted = cells.seconds("deletion_time");
  const auto scheduled = cells.seconds("scheduled_time");
  if (!deleted) {
    ++read.invented["duration: for ever"];
    return;
  }
  if (!scheduled) ++read.invented["duration: of pods that were never scheduled"];
  job.observed_start = scheduled;
  job.observed_end = deleted;
  job.duration = *deleted - scheduled.value_or(job.submit);
  if (*job.duration < Millis{0}) cells.fail("deletion_time", "expected a time after the start");
}

}  // namespace

ReadJob read_openb(Cells& cells, const Table& table, const ReadOptions&) {
  ReadJob read;
  Job& job = read.job;
  job.id = cells.required("name", cells.text("name").empty()
                                      ? std::nullopt
                                      : std::optional(std::string(cells.text("name"))));
  job.milli_cpu = cells.required("cpu_milli", cells.whole("cpu_milli", 0, kMilliMax));
  job.memory = kMiB * cells.required("memory_mib", cells.whole("memory_mib", 0, kMebibytesMax));
  const std::int64_t gpus = cells.required("num_gpu", cells.whole("num_gpu", 0, kGpusMax));
  const std::int64_t milli = cells.required("gpu_milli", cells.whole("gpu_milli", 0, kMilliMax));
  job.gpu_milli = gpus * std::min(milli, kGpu);
  if (gpus > 1 && milli < kGpu) cells.fail("gpu_milli", "expected whole GPUs where there are many");
  std::string_view models = gpus == 0 ? std::string_view{} : cells.text("gpu_spec");
  while (!models.empty()) {
    const std::size_t end = std::min(models.find('|'), models.size());
    job.models.emplace_back(models.substr(0, end));
    models.remove_prefix(std::min(end + 1, models.size()));
  }
  for (const std::string_view column : {"qos", "pod_phase"}) {
    if (const auto text = cells.text(column); !text.empty()) job.labels.emplace_back(column, text);
  }
  read_times(cells, table, read);
  return read;
}

Node read_openb_node(Cells& cells) {
  Node node;
  node.name = cells.required(
      "sn", cells.text("sn").empty() ? std::nullopt : std::optional(std::string(cells.text("sn"))));
  node.milli_cpu = cells.required("cpu_milli", cells.whole("cpu_milli", 0, kMilliMax));
  node.memory = kMiB * cells.required("memory_mib", cells.whole("memory_mib", 0, kMebibytesMax));
  node.gpus = cells.required("gpu", cells.whole("gpu", 0, kGpusMax));
  node.model = cells.text("model");
  node.pods = kOpenbPods;
  return node;
}

// Alibaba's Lingjun topology of 2023: a host in each row, under its three layers of switches. How
// many GPUs a host has is not in it.
Node read_lingjun_node(Cells& cells, const ReadOptions& options) {
  Node node;
  const auto text = [&](std::string_view column) {
    return cells.required(column, cells.text(column).empty()
                                      ? std::nullopt
                                      : std::optional(std::string(cells.text(column))));
  };
  node.name = text("ip");
  node.gpus = options.gpus_per_node;
  node.levels = {{"core", text("DSW")}, {"block", text("PSW")}, {"rack", text("ASW")}};
  return node;
}

}  // namespace tutti::trace
