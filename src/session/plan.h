// Plan: what would become of work that is not there yet, on a cluster as it is. Everything happens
// in a world of its own; nothing outside changes.
//
//   manifests ──> the cluster's part: played and come to rest
//            └──> the part asked about: played on top ──> now? evicting whom? when? how many more?
#pragma once

#include <map>

#include "base/result.h"
#include "base/std.h"
#include "explain/verdict/verdict.h"
#include "model/object.h"
#include "session/options.h"
#include "terminal/streams.h"

namespace tutti::session {

struct PlanAnswer {
  enum class Runs : std::uint8_t { now, after_eviction, later, unknown };

  model::ObjectKey key;
  explain::ObjectName object;
  Runs runs = Runs::unknown;
  std::optional<Millis> in;                                 // from now; absent: not known
  std::vector<std::string> bases;                           // of `in`, see RunForecast
  std::vector<std::pair<std::string, std::string>> places;  // "ns/pod" → node, of those with one
  std::string domain;                                       // "rack=r1,r2" that they are in
  std::vector<std::string> evicts;  // "ns/pod", or "Workload ns/name" of one that leaves whole
  std::map<std::string, std::size_t> evicted;  // the same by what people wrote: pods of each
  explain::Verdict verdict;                    // of the present instant, with ways unless it runs
};
// now, afterEviction, later, unknown
std::string_view name(PlanAnswer::Runs runs);

struct Plan {
  Millis now{0};                    // of the cluster's script
  std::vector<PlanAnswer> answers;  // in order of kinds and names
  // With --count: so many of all that was asked about fit at once, one after the other and without
  // evicting anyone; and what keeps the next from running.
  std::optional<std::size_t> copies;
  std::string limit;
};

Result<Plan> make_plan(const PlanOptions& options, terminal::Streams& streams);

}  // namespace tutti::session
