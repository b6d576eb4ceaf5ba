// Any bytes as a trace of any format, a list of nodes, a column map, a filter and a cluster or
// trace made up: refused with a message, or read into jobs and nodes that keep the promises of
// trace/job.h; bad rows that are skipped never cost good ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "trace/clusters/sources.h"
#include "trace/filter.h"
#include "trace/read.h"
#include "trace/synthesis.h"
#include "trace/topology.h"

namespace {

using namespace tutti;

void check_jobs(const trace::Trace& read) {
  TUTTI_CHECK(std::ranges::is_sorted(read.jobs, {}, &trace::Job::submit));
  for (const trace::Job& job : read.jobs) {
    TUTTI_CHECK(job.replicas >= 1 && job.minimum >= 1 && job.minimum <= job.replicas);
    TUTTI_CHECK(job.milli_cpu >= 0 && job.memory >= 0 && job.gpu_milli >= 0);
    TUTTI_CHECK(!job.duration || *job.duration >= Millis{0});
  }
}

// What an export becomes is asked for in all ways.
trace::ReadOptions reading(bool skip, trace::Unfinished unfinished) {
  trace::ReadOptions options;
  options.skip_bad_rows = skip;
  options.unfinished = unfinished;
  options.join_requeues = skip;
  options.sources = trace::cluster_sources();
  options.replicas.prefill_rate = 1000;
  options.replicas.decode_rate = 50;
  options.replicas.most = 10;
  options.replicas.window = std::chrono::hours(24 * 365);
  return options;
}

void check_nodes(const trace::NodeList& list) {
  for (const trace::Node& node : list.nodes) {
    TUTTI_CHECK(node.milli_cpu >= 0 && node.memory >= 0 && node.gpus >= 0 && node.pods >= 0);
  }
}

// The text as a map of itself.
void check_map(const std::string& text) {
  const auto map = trace::ColumnMap::parse("f", text);
  TUTTI_CHECK(map.ok() || !map.error().message.empty());
  if (!map.ok()) return;
  trace::ReadOptions options;
  options.map = *map;
  const auto read = trace::read_trace({{"f", "a,b,c\n1,2,3\n4,,x\n"}}, options);
  TUTTI_CHECK(read.ok() || !read.error().message.empty());
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto strict = trace::read_trace({{"f", text}}, reading(false, trace::Unfinished::censor));
  if (strict.ok()) check_jobs(*strict);
  TUTTI_CHECK(strict.ok() || !strict.error().message.empty());
  const auto skipping = trace::read_trace({{"f", text}}, reading(true, trace::Unfinished::elapsed));
  TUTTI_CHECK(!strict.ok() || skipping.ok());
  if (skipping.ok()) check_jobs(*skipping);
  const auto nodes = trace::read_nodes({{"f", text}}, reading(false, trace::Unfinished::drop));
  TUTTI_CHECK(nodes.ok() || !nodes.error().message.empty());
  if (nodes.ok()) check_nodes(*nodes);
  check_map(text);
  const auto rates = trace::StepRates::parse("f", text);
  TUTTI_CHECK(rates.ok() || !rates.error().message.empty());
  const auto filter = trace::JobFilter::parse(text);
  if (filter.ok() && skipping.ok()) {
    for (const trace::Job& job : skipping->jobs) filter->accepts(job);
  }
  // Large products are slow and say nothing new.
  constexpr std::size_t kDigits = 4;
  if (std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; }) <=
      static_cast<std::ptrdiff_t>(kDigits * 2)) {
    const auto made = trace::make_nodes(text);
    TUTTI_CHECK(made.ok() || !made.error().message.empty());
    const auto jobs = trace::make_jobs(text, 8);
    TUTTI_CHECK(jobs.ok() || !jobs.error().message.empty());
  }
  return 0;
}
