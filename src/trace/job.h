// Job and Node: what a trace is made of, whatever format it came in. Times count from the start of
// the trace, in milliseconds; amounts are whole numbers.
#pragma once

#include <map>

#include "base/std.h"
#include "base/time.h"

namespace tutti::trace {

inline constexpr std::int64_t kGpu = 1000;  // one device, in the thousandths of gpu_milli
inline constexpr std::int64_t kMiB = std::int64_t{1} << 20;

// A gang of equal pods.
struct Job {
  std::string id;
  Millis submit{0};
  std::optional<Millis> duration;  // alone and never interrupted; absent: for ever
  std::optional<Millis> limit;     // what was asked for; absent: the duration
  std::int32_t replicas = 1;
  std::int32_t minimum = 1;  // that run together or not at all
  // What one pod asks for.
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;          // bytes
  std::int64_t gpu_milli = 0;       // up to 1000: a share of one device; else whole ones
  std::vector<std::string> models;  // of devices that it may have; empty: any
  std::vector<std::pair<std::string, std::int64_t>> extra;  // other resources
  std::string queue = "default";
  std::string user = "default";
  std::string ns = "default";
  std::int32_t priority = 0;
  bool preemptible = true;
  std::string model;                       // what it computes: a key into profiles of slowdown
  std::optional<Millis> checkpoint_every;  // of work; absent: an attempt is all or nothing
  Millis checkpoint_cost{0};
  Millis restart_cost{0};             // of every attempt but the first
  std::optional<Millis> fails_after;  // every attempt
  std::int32_t restarts = 0;          // that may follow a failure
  std::string level;  // of topology that all pods are to be in one domain of; empty: any place
  std::optional<Millis> observed_start;
  std::optional<Millis> observed_end;
  std::vector<std::pair<std::string, std::string>> labels;  // columns that mean nothing to us

  std::int64_t total_gpu_milli() const { return gpu_milli * replicas; }
};

// From one time to another, or for ever.
struct Outage {
  Millis from{0};
  std::optional<Millis> to;
};

// A machine of the trace. Its devices are all of one model.
struct Node {
  std::string name;
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;  // bytes
  std::int64_t gpus = 0;
  std::string model;  // of its GPUs
  std::int64_t pods = 110;
  std::vector<std::pair<std::string, std::string>> levels;  // "rack" -> "r03"
  std::vector<std::pair<std::string, std::int64_t>> extra;  // other resources
  std::vector<Outage> down;
};

// What was read, for the report.
struct Input {
  std::string path;
  std::string sha256;
  std::string format;
  std::size_t rows = 0;  // that became jobs or nodes
  std::size_t skipped = 0;
};

// Counts by kind, in words for people: "duration of pods that never ran".
using Counts = std::map<std::string, std::size_t>;

// Jobs, and what became of the rows that they were read from: nothing is left out silently.
struct Trace {
  std::vector<Job> jobs;  // by submit, then in the order of the rows
  std::vector<Input> inputs;
  Counts invented;                   // values that the input does not have
  Counts dropped;                    // rows that are no jobs by the format's rules
  Counts ignored;                    // values that a replay does not act on
  std::vector<std::string> changes;  // what was done to it after reading, in words
  std::vector<std::string> notes;    // what else to know of the input, in sentences
};

// Nodes, and what became of their rows.
struct NodeList {
  std::vector<Node> nodes;
  std::vector<Input> inputs;
  Counts invented;
  Counts ignored;
  std::vector<std::string> changes;
};

}  // namespace tutti::trace
