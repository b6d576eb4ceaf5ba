// Replicas of an inference service, from the log of its requests: what an autoscaler would have
// wanted at the end of every window.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "base/time.h"
#include "trace/job.h"

namespace tutti::trace {

struct ReadOptions;
struct Unpacked;

// Tokens per second of one replica, and how their number follows the load.
struct ReplicaModel {
  std::int64_t prefill_rate = 0;  // tokens of the context; 0: not given, and there is no default
  std::int64_t decode_rate = 0;   // generated tokens
  Millis window{60'000};
  std::int64_t target_percent = 70;  // of its time that a replica is to be busy
  std::int64_t least = 1;
  std::int64_t most = 1000;
  Millis cooldown{300'000};  // of fewer wished for, before one goes
  // What one replica asks for.
  std::int64_t milli_cpu = 0;
  std::int64_t gpus = 1;
  std::int32_t gang = 1;  // pods of one replica
  std::int32_t priority = 0;
};

// "prefill=2000,decode=50,window=1m,target=0.7,min=1,max=64,cooldown=5m,gpus=1,cpu=8,gang=1,
// priority=0"; only the first two are needed.
Result<ReplicaModel> parse_replicas(std::string_view text);

// TIMESTAMP,ContextTokens,GeneratedTokens: one request a row.
bool looks_like_requests(std::string_view text);
// All files are one service. Each replica is a job from the window in which it was wished for to
// the one in which it was let go.
Status read_requests(std::span<Unpacked> files, const ReadOptions& options, Trace& trace);

}  // namespace tutti::trace
