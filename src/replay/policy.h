// Policy: a name, and the configuration of the scheduler that it stands for.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "core/framework/config.h"

namespace tutti::replay {

struct Policy {
  enum class Order : std::uint8_t { fifo, priority };
  std::string name;  // as given
  Order order = Order::fifo;
  std::string place = "default";
  bool preempts = false;

  // Whether its scores look at single devices, so that GPUs must be counted in thousandths.
  bool looks_at_devices() const;
  bool wants_typical_pods() const { return place == "fgd" || place == "fgd-blend"; }
};

// "fgd", "default", or "order=fifo,start=best-effort,place=fgd,preempt=off". A bare name is that of
// a placement, in the order of arrival. Errors say what there is.
Result<Policy> parse_policy(std::string_view text);

// Several, joined with '+' or given one by one with ','; a ',' before NAME=VALUE goes on with the
// same policy.
Result<std::vector<Policy>> parse_policies(std::string_view text);

// The words for places, for messages and help.
std::span<const std::string_view> place_names();

// `typical`: what fgd expects, of `all_pods` pods in all.
core::SchedulerConfig scheduler_config(const Policy& policy, std::uint64_t seed,
                                       std::vector<core::TypicalPod> typical,
                                       std::int64_t all_pods);

}  // namespace tutti::replay
