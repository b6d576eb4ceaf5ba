// Upkeep: `tutti controllers`, the process.
//
//   discovery ──> parts, a line each in the log ──> watches ──> controllers, while we lead
//
// Everything runs on one loop. A cluster that serves nothing of what is kept up is asked again
// every minute.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "kube/access/access.h"
#include "kube/lease/election.h"
#include "telemetry/log.h"

namespace tutti::upkeep {

inline constexpr std::uint16_t kDefaultPort = 10260;

struct UpkeepOptions {
  kube::Access access;
  std::optional<kube::ElectionConfig> election;  // empty: the only replica
  std::vector<std::string> parts;                // none: all that the cluster lacks
  std::string bind_address = "127.0.0.1";
  std::uint16_t port = kDefaultPort;  // of health and metrics; 0: one that is free
  std::string instance;               // who we are in events
  std::string version;
  std::uint64_t seed = 0;  // of jitter
};

// Runs until SIGTERM or SIGINT, which let writes under way end and give the lease up, or until the
// lease is lost, which is an error, as is an address that cannot be listened at. An API server that
// cannot be reached or says no is not: it is asked again.
Status run_upkeep(UpkeepOptions options, telemetry::Log& log);

}  // namespace tutti::upkeep
