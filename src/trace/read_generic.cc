// The generic format: one row is one gang of equal pods, or one node.
#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string>

#include "trace/formats.h"

namespace tutti::trace {
namespace {

constexpr std::string_view kKnown[] = {
    "id",        "submit",   "duration",     "limit",       "replicas",         "min",
    "cpu",       "memory",   "gpu",          "gpu_milli",   "gpu_model",        "extra",
    "queue",     "user",     "namespace",    "priority",    "preemptible",      "topology",
    "group",     "model",    "fails_after",  "after",       "checkpoint_every", "checkpoint_cost",
    "group_min", "restarts", "restart_cost", "after_delay", "observed_start",   "observed_end"};
// What says something that a replay does not act on yet.
constexpr std::string_view kIgnored[] = {"group", "after"};
constexpr std::string_view kKnownOfNodes[] = {"name", "cpu",   "memory", "gpu", "gpu_model",
                                              "pods", "extra", "taints", "down"};
constexpr std::string_view kLevelPrefix = "topology.";

std::vector<std::string> split(std::string_view text, char at) {
  std::vector<std::string> parts;
  for (std::size_t begin = 0; begin <= text.size();) {
    const std::size_t end = std::min(text.find(at, begin), text.size());
    if (end > begin) parts.emplace_back(text.substr(begin, end - begin));
    begin = end + 1;
  }
  return parts;
}

void read_gpus(Cells& cells, Job& job) {
  job.gpu_milli = cells.thousandths("gpu").value_or(0);
  if (const auto share = cells.whole("gpu_milli", 1, kGpu)) {
    if (job.gpu_milli != kGpu) cells.fail("gpu_milli", "expected only where gpu is 1");
    job.gpu_milli = *share;
  }
  if (job.gpu_milli > kGpu && job.gpu_milli % kGpu != 0) {
    cells.fail("gpu", "expected a part of one GPU, or whole ones");
  }
}

std::vector<std::pair<std::string, std::int64_t>> amounts_in(Cells& cells) {
  std::vector<std::pair<std::string, std::int64_t>> amounts;
  for (const std::string& part : split(cells.text("extra"), ';')) {
    const std::size_t equals = part.find('=');
    const auto amount = equals == std::string::npos
                            ? std::nullopt
                            : parse_thousandths(std::string_view(part).substr(equals + 1));
    if (!amount || *amount % kGpu != 0 || *amount < 0 || equals == 0) {
      cells.fail("extra", fmt::format("expected name=amount;name=amount, found '{}'", part));
      return {};
    }
    amounts.emplace_back(part.substr(0, equals), *amount / kGpu);
  }
  return amounts;
}

void read_topology(Cells& cells, ReadJob& read) {
  const std::string_view text = cells.text("topology");
  if (text.empty()) return;
  const std::size_t colon = text.find(':');
  const std::string_view word =
      colon == std::string_view::npos ? "required" : text.substr(colon + 1);
  if (colon == 0 || (word != "required" && word != "preferred")) {
    cells.fail("topology",
               fmt::format("expected LEVEL:required or LEVEL:preferred, found '{}'", text));
  } else if (word == "preferred") {
    ++read.ignored["topology: preferred"];
  } else {
    read.job.level = text.substr(0, colon);
  }
}

void read_attempts(Cells& cells, Job& job) {
  constexpr std::int64_t kRestartsMax = 1000;
  const auto above_zero = [&](std::string_view column) {
    const auto span = cells.seconds(column);
    if (span && *span == Millis{0}) cells.fail(column, "expected more than 0 seconds");
    return span;
  };
  job.checkpoint_every = above_zero("checkpoint_every");
  job.checkpoint_cost = cells.seconds("checkpoint_cost").value_or(Millis{0});
  job.restart_cost = cells.seconds("restart_cost").value_or(Millis{0});
  job.fails_after = above_zero("fails_after");
  job.restarts = static_cast<std::int32_t>(cells.whole("restarts", 0, kRestartsMax).value_or(0));
}

// "100-200;300-": seconds of the trace between which the node is down; without an end for ever.
void read_outages(Cells& cells, Node& node) {
  for (const std::string& part : split(cells.text("down"), ';')) {
    const std::size_t dash = part.find('-', 1);
    const std::string_view all = part;
    const auto from = parse_seconds(all.substr(0, std::min(dash, all.size())));
    const std::string_view until =
        dash == std::string::npos ? std::string_view{} : all.substr(dash + 1);
    const auto to = parse_seconds(until);
    const bool ordered = from && *from >= Millis{0} && (until.empty() || (to && *to > *from));
    if (!ordered || dash == std::string::npos) {
      cells.fail("down", fmt::format("expected FROM-TO;FROM- in seconds, found '{}'", part));
      return;
    }
    node.down.push_back({*from, until.empty() ? std::nullopt : to});
  }
}

void read_words(const Cells& cells, Job& job) {
  const auto take = [&](std::string_view column, std::string& into) {
    if (const std::string_view text = cells.text(column); !text.empty()) into = text;
  };
  take("queue", job.queue);
  take("user", job.user);
  take("namespace", job.ns);
}

}  // namespace

std::span<const std::string_view> generic_columns() { return kKnown; }

void lay_out_gpus(Job& job, std::int64_t gpus, std::int64_t gpus_per_node) {
  std::int64_t each = std::min(gpus, std::max<std::int64_t>(gpus_per_node, 1));
  while (each > 1 && gpus % each != 0) --each;
  job.gpu_milli = each * kGpu;
  job.replicas = job.minimum = static_cast<std::int32_t>(each == 0 ? 1 : gpus / each);
}

ReadJob read_generic(Cells& cells, const Table& table, const ReadOptions&) {
  ReadJob read;
  Job& job = read.job;
  job.id = cells.required(
      "id", cells.text("id").empty() ? std::nullopt : std::optional(std::string(cells.text("id"))));
  job.submit = cells.required("submit", cells.time("submit"));
  job.duration = cells.seconds("duration");
  if (!job.duration) ++read.invented["duration: for ever"];
  job.limit = cells.seconds("limit");
  job.replicas = static_cast<std::int32_t>(cells.whole("replicas", 1, kReplicasMax).value_or(1));
  job.minimum =
      static_cast<std::int32_t>(cells.whole("min", 1, job.replicas).value_or(job.replicas));
  job.milli_cpu = cells.thousandths("cpu").value_or(0);
  job.memory = cells.bytes("memory").value_or(0);
  read_gpus(cells, job);
  job.models = split(cells.text("gpu_model"), '|');
  job.extra = amounts_in(cells);
  read_words(cells, job);
  constexpr std::int64_t kPriorityMax = 1'000'000'000;
  job.priority =
      static_cast<std::int32_t>(cells.whole("priority", -kPriorityMax, kPriorityMax).value_or(0));
  job.preemptible = cells.truth("preemptible").value_or(true);
  if (!job.preemptible) ++read.ignored["preemptible: false"];
  read_topology(cells, read);
  job.model = cells.text("model");
  read_attempts(cells, job);
  job.observed_start = cells.time("observed_start");
  job.observed_end = cells.time("observed_end");
  for (const std::string_view column : kIgnored) {
    if (!cells.text(column).empty()) ++read.ignored[std::string(column)];
  }
  for (const std::string& column : table.columns()) {
    if (std::ranges::find(kKnown, column) != std::end(kKnown)) continue;
    if (const auto text = cells.text(column); !text.empty()) {
      job.labels.emplace_back(column, text);
    }
  }
  return read;
}

Node read_generic_node(Cells& cells, const Table& table, Counts& ignored) {
  Node node;
  node.name = cells.required("name", cells.text("name").empty()
                                         ? std::nullopt
                                         : std::optional(std::string(cells.text("name"))));
  node.milli_cpu = cells.thousandths("cpu").value_or(0);
  node.memory = cells.bytes("memory").value_or(0);
  node.gpus = cells.whole("gpu", 0, kGpusMax).value_or(0);
  node.model = cells.text("gpu_model");
  node.extra = amounts_in(cells);
  read_outages(cells, node);
  node.pods = cells.whole("pods", 0, std::numeric_limits<std::int32_t>::max()).value_or(node.pods);
  for (const std::string& column : table.columns()) {
    const std::string_view text = cells.text(column);
    if (text.empty()) continue;
    if (column.starts_with(kLevelPrefix)) {
      node.levels.emplace_back(column.substr(kLevelPrefix.size()), text);
    } else if (column == "taints" ||
               std::ranges::find(kKnownOfNodes, column) == std::end(kKnownOfNodes)) {
      ++ignored[column + " of nodes"];
    }
  }
  return node;
}

}  // namespace tutti::trace
