// Slurm's trackable resources: what a job, or a node, has of what.
#pragma once

#include "base/std.h"

namespace tutti::trace {

struct Tres {
  std::int64_t nodes = 0;
  std::int64_t milli_cpu = 0;
  std::int64_t memory = 0;  // bytes
  std::int64_t gpus = 0;
  std::string model;                                         // of the GPUs; empty: not said
  bool several_models = false;                               // the first is above
  std::vector<std::pair<std::string, std::int64_t>> others;  // "gres/NAME"
};

// "billing=8,cpu=8,gres/gpu:a100=4,gres/gpu=4,mem=62.5G,node=2": amounts of the whole job. What is
// no resource of nodes (billing, energy, licences) is passed over. Nothing if it is no such text.
std::optional<Tres> parse_tres(std::string_view text);

// "gpu:a100:8(S:0-1),shard:16(…)", or "(null)": what a node has, as sinfo writes it.
std::optional<Tres> parse_gres(std::string_view text);

// "64G", "4000M", "62.50G"; a number alone is MiB. Bytes.
std::optional<std::int64_t> parse_slurm_memory(std::string_view text);

}  // namespace tutti::trace
