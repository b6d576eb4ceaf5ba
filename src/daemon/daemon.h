// Daemon: the scheduler of a real cluster.
//
//   API server ──watch──> Reflectors ──> MemoryGroups ──> Scheduler::observe ─┐
//        ^                                                                    v
//        └──────────────── ClusterWriter <── decisions ── SchedulingLoop ── Scheduler ──┘
//
// Kueue's kinds are watched where the cluster serves them; Kueue's Lease says whether its manager
// is at work, and that, with marks on the queues, who decides about which tree of them.
//
// Everything runs on one loop. Replicas that do not lead observe and decide nothing, so that the
// one that takes over knows the cluster already; one that stops leading ends, and whoever started
// it starts it again.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "core/scheduler/scheduler.h"
#include "daemon/watch/group_sources.h"
#include "kube/access/access.h"
#include "kube/client/rate_limit.h"
#include "kube/lease/election.h"
#include "telemetry/log.h"

namespace tutti::daemon {

// The port that serves health, metrics and verdicts.
inline constexpr std::uint16_t kDefaultPort = 10259;

struct DaemonOptions {
  kube::Access access;
  core::SchedulerConfig config;
  std::vector<core::Profile> profiles;
  std::optional<kube::ElectionConfig> election;  // empty: the only replica
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = kDefaultPort;  // 0: one that is free
  bool explain_to_all = false;        // verdicts are for peers on loopback only otherwise
  GroupInMemory group_in_memory = GroupInMemory::automatic;
  std::optional<core::QuotaConfig> quota;  // Kueue's Configuration, where a file has it
  std::string instance;                    // who we are in events: "tutti-HOST"
  std::string version;
  std::uint64_t seed = 0;  // of jitter
  kube::RateLimit pace;    // of calls to the API server
};

// Runs until SIGTERM or SIGINT, which let bindings under way end and give the lease up, or until
// the lease is lost, which is an error, as is an address that cannot be listened at. An API server
// that cannot be reached or says no is not: the daemon reports itself not ready and tries on.
Status run_daemon(DaemonOptions options, telemetry::Log& log);

}  // namespace tutti::daemon
