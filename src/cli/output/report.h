// What a run came to, as lines for people: one per workload in the words they wrote, one per pod
// that belongs to none, totals.
#pragma once

#include <map>

#include "base/std.h"
#include "base/time.h"
#include "expect/check.h"
#include "queues/queue_report.h"
#include "store/store.h"
#include "terminal/table.h"

namespace tutti::cli {

struct WorkloadLine {
  std::string name;    // "Job ml/pretrain"; a part of one is indented below it
  std::string policy;  // "gang 4", "basic", "gang 2 groups", "2 gangs", "pods"; "missing" when only
                       // pods name the group
  std::size_t placed = 0;
  std::optional<std::size_t> minimum;  // of a group that exists
  std::size_t total = 0;
  std::size_t waiting = 0;  // members without a node
  std::string queue;        // in Kueue's words
  std::string domain;       // "rack=r2" when the group keeps together by a key
  expect::Standing standing;
  bool part = false;  // of the workload above
};

struct PodLine {
  std::string name;
  std::string node;
  expect::Standing standing;
};

// Lone pods can be very many: their lines are kept as the rows that they will be.
class PodLines {
 public:
  void add(const PodLine& line);
  const terminal::Table& table() const { return table_; }
  // How many pods stand how.
  const std::map<std::string, std::size_t>& states() const { return states_; }

 private:
  terminal::Table table_{{"POD", "NODE", "STATE", "BLOCKER"}};
  std::map<std::string, std::size_t> states_;
};

struct Report {
  std::vector<WorkloadLine> workloads;
  PodLines pods;     // that belong to no workload
  PodLines members;  // the others, where they are asked for
  terminal::Table claims{{"CLAIM", "USED BY", "DEVICES"}};
  queues::QueueReport queues;  // filled in by whoever knows the broker
  std::size_t nodes = 0;
  std::size_t all_pods = 0;
  std::size_t placed_pods = 0;
};

// The scene is asked about all groups, those that only pods name too, and pods without one.
// `every_pod`: pods of workloads get lines of their own.
Report make_report(const expect::Scene& scene, bool every_pod = false);

// The table. `elapsed` is the virtual time at the end.
std::string report_text(const Report& report, Millis elapsed, const terminal::Layout& layout);

}  // namespace tutti::cli
