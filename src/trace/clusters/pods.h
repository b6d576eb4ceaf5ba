// From pods, whoever told of them, to jobs: gangs of equal pods.
#pragma once

#include <functional>
#include <map>

#include "base/std.h"
#include "trace/read.h"

namespace tutti::trace {

struct PodRecord {
  std::string ns;
  std::string name;
  std::string gang;                     // in its namespace; empty: alone
  std::optional<std::int32_t> minimum;  // of the gang; absent: all that are seen
  Job asks;                             // of one pod; its times and its id are not set
  Millis created{0};
  std::optional<Millis> started;
  std::optional<Millis> ended;
};

// Makes jobs of them. Pods of one gang that were there at the same time are one job; a pod that was
// created after a member had ended belongs to the next attempt, or wave, of the gang, which is a
// job of its own. Members that ask for different things are jobs of their own, too, and counted.
// `now`: when the log was written.
void add_gangs(std::vector<PodRecord> pods, Millis now, const ReadOptions& options, Trace& trace);

// Finds a label, or annotation, by its key; empty: there is none.
using FindLabel = std::function<std::string_view(std::string_view key)>;
// What of a pod's labels and annotations says to which gang it belongs.
std::string gang_by_labels(const FindLabel& label);

// Takes amounts by resource name into a job or a node: milli-cpu, bytes, else units. GPUs are
// whatever ends in /gpu and a few others; what no scheduler places by is left out.
void take_amount(Job& asks, std::string_view resource, std::int64_t amount);
void take_amount(Node& node, std::string_view resource, std::int64_t amount);

// Labels of nodes that name the model of their GPUs, the first that is there.
std::span<const std::string_view> model_labels();
// "topology.kubernetes.io/zone" is the level zone; empty: the label says nothing of topology.
std::string_view level_of(std::string_view label);

}  // namespace tutti::trace
