// Any bytes as a trace, a list of nodes and a topology: refused with a message, or read into jobs
// and nodes that keep the promises of trace/job.h; bad rows that are skipped never cost good ones.
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "trace/read.h"
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

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string text(reinterpret_cast<const char*>(data), size);
  const auto strict = trace::read_trace({{"f", text}}, {});
  if (strict.ok()) check_jobs(*strict);
  TUTTI_CHECK(strict.ok() || !strict.error().message.empty());
  trace::ReadOptions lenient;
  lenient.skip_bad_rows = true;
  const auto skipping = trace::read_trace({{"f", text}}, lenient);
  TUTTI_CHECK(!strict.ok() || skipping.ok());
  if (skipping.ok()) check_jobs(*skipping);
  const auto nodes = trace::read_nodes({"f", text}, {});
  TUTTI_CHECK(nodes.ok() || !nodes.error().message.empty());
  // Large products are slow and say nothing new.
  constexpr std::size_t kDigits = 4;
  if (std::ranges::count_if(text, [](char c) { return c >= '0' && c <= '9'; }) <=
      static_cast<std::ptrdiff_t>(kDigits * 2)) {
    const auto made = trace::make_nodes(text);
    TUTTI_CHECK(made.ok() || !made.error().message.empty());
  }
  return 0;
}
