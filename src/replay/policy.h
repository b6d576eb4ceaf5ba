// Policy: a name, and the configuration of the scheduler that it stands for.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "core/framework/config.h"

namespace tutti::replay {

struct Policy {
  enum class Order : std::uint8_t { fifo, priority };
  // Which jobs start: whatever fits, as the scheduler's queue has it; or requests in one queue of
  // the broker's: heads alone, and whom a rule of backfill lets pass.
  enum class Start : std::uint8_t { best_effort, strict, easy, conservative };
  std::string name;  // as given
  Order order = Order::fifo;
  Start start = Start::best_effort;
  std::string place = "default";
  bool preempts = false;
  bool in_queue() const { return start != Start::best_effort; }
};

// "fgd", "default", or "order=fifo,start=best-effort,place=fgd,preempt=off". A bare name is that of
// a placement, in the order of arrival. Errors say what there is.
Result<Policy> parse_policy(std::string_view text);

// Several, joined with '+' or given one by one with ','; a ',' before NAME=VALUE goes on with the
// same policy.
Result<std::vector<Policy>> parse_policies(std::string_view text);

// `typical`: what fgd expects, of `all_pods` pods in all.
core::SchedulerConfig scheduler_config(const Policy& policy, std::uint64_t seed,
                                       std::vector<core::TypicalPod> typical,
                                       std::int64_t all_pods);

}  // namespace tutti::replay
