// Report: the answers of `tutti capacity` as plain values. make_report() finds them, walk() hands
// them to a JSON or YAML writer.
#pragma once

#include <functional>

#include "base/std.h"
#include "base/time.h"
#include "capacity/backfill.h"
#include "capacity/copy/cluster_copy.h"
#include "capacity/copy/levels.h"
#include "capacity/copy/shape.h"
#include "capacity/copy/waiting.h"
#include "capacity/device_use.h"
#include "capacity/evictions.h"
#include "capacity/gang_capacity.h"
#include "capacity/holdings.h"
#include "capacity/pending_time.h"
#include "capacity/promised_starts.h"
#include "capacity/quota_cover.h"
#include "core/scheduler/scheduler.h"
#include "explain/explain.h"
#include "explain/verdict/verdict.h"

namespace tutti::capacity {

struct ShapeRoom {
  Shape shape;
  std::vector<LevelCapacity> levels;  // in the order of Report::levels
  std::size_t pooled = 0;             // see pooled_room()
};

struct Report {
  Instant at;
  std::size_t nodes = 0;
  std::size_t pods = 0;  // on nodes
  std::vector<Level> levels;
  std::vector<ShapeRoom> shapes;
  std::size_t more_shapes = 0;  // of the work, not looked at
  std::string by;               // the node label that divides the devices; empty: none
  std::vector<DeviceUse> devices;
  std::vector<IncompleteGroup> incomplete;
  Queue queue;
  std::vector<PendingCost> pending;  // most pod time first
  Backfill head;
  std::vector<PromisedRoom> reservations;  // of queues with backfill
  std::vector<Eviction> evictions;
  QuotaCover quota;
  // How many more pods would be on nodes had the same work come to a scheduler that packs GPUs.
  // Whoever can play it again says so; 0: none, or nobody looked.
  std::size_t more_if_packed = 0;
};

std::size_t pods_on_nodes(const core::Cluster& cluster);

// What is looked at unless a question says otherwise.
inline constexpr std::size_t kShapesShown = 10;
inline constexpr std::size_t kWaitingExplained = 100;

struct Question {
  const core::Scheduler& scheduler;
  explain::Sources sources;  // of the same scheduler
  Instant now;
  std::vector<Shape> shapes{};        // none: those of the work, at most kShapesShown
  std::vector<std::string> levels{};  // keys beyond those found
  PendingTime* pending = nullptr;     // of the run up to now, if it was watched
  std::string by{};                   // a node label that divides the devices; empty: none does
};

// `twin` is one of the question's scheduler, and is left as it was.
Report make_report(const Question& question, ClusterCopy& twin);

// What the time that something waits is put down to: its blocker, and the resource or topology key
// that is the matter, where there is one.
PendingTime::Reason pending_reason(const explain::Verdict& verdict);

// "nvidia.com/gpu (H100)", or "nvidia.com/gpu (no gpu.product)" where nodes lack the label.
std::string name_of(const DeviceUse& use, const std::string& by);

// Whether the group or pod waits although the free total would do.
bool fragmented(const Waiting& waiting);

// What people call the work of that name, "PodGroup ns/name" or "Pod ns/name": "Job ml/pretrain"
// where they wrote a Job; the name itself where they wrote that.
using NameInUse = std::function<std::string(const std::string& name)>;

// Lets the report speak of work in the words of those who wrote it.
void rename_work(Report& report, const NameInUse& name_in_use);

// All fields, empty ones too, under stable names; see docs/guides/capacity.md.
void walk(const Report& report, explain::FieldSink& sink);

}  // namespace tutti::capacity
