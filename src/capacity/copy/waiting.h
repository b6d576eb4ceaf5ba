// What waits, in the order in which it is tried, each with its verdict.
#pragma once

#include <set>

#include "base/std.h"
#include "base/time.h"
#include "core/scheduler/scheduler.h"
#include "core/shapes/ids.h"
#include "explain/explain.h"
#include "explain/verdict/verdict.h"

namespace tutti::capacity {

// A root group with waiting members, or lone pods of one shape, namespace and priority, or a
// request in a queue whose pods are yet to come.
struct Waiting {
  core::GroupId root;    // invalid: lone pods, or a request
  core::PodId pod;       // the first to have come; invalid: a request
  std::string name;      // "PodGroup ns/name", "Pod ns/name"; of a request "Job ns/name"
  std::size_t pods = 0;  // that wait; of lone pods, how many are alike
  std::int32_t priority = 0;
  Millis waited{0};  // since the first of them was created
  // How many more members it needs, and how many of them fit now, at most, in one place where it
  // must be in one.
  std::size_t needs = 1;
  std::size_t fits = 0;
  explain::Verdict verdict;
};

struct Queue {
  std::vector<Waiting> lines;  // highest priority first, then oldest, then by name
  std::size_t more = 0;        // that wait behind these and were not looked at
  std::size_t more_pods = 0;   // of them
  // Everything that waits, each lone pod by itself: "PodGroup ns/name", "Pod ns/name".
  std::set<std::string> names{};
};

// The names of what is in the queue, "PodGroup ns/name", "Pod ns/name", in the order in which it is
// tried. What is held before the queue is not among them.
std::vector<std::string> waiting_order(const core::Scheduler& scheduler);

// At most `most` lines: every verdict takes a look at all nodes.
Queue waiting_work(const core::Scheduler& scheduler, const explain::Sources& sources, Instant now,
                   std::size_t most);

}  // namespace tutti::capacity
