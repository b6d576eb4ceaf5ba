// What a configuration file says: how to decide, and beyond that to a scheduler of a real cluster.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "config/kueue_config.h"
#include "core/framework/config.h"

namespace tutti::config {

// Content types are accepted and not kept: everything is JSON.
struct ClientConnection {
  std::string kubeconfig;  // a path; empty: look in the usual places
  double qps = 0;          // calls a second on average; 0 or less: as many as the server takes
  int burst = 100;
};

// The Lease by which replicas agree who acts.
struct LeaderElection {
  bool enabled = true;
  std::string ns = "kube-system";
  std::string name = "tutti";
  Millis lease_duration = std::chrono::seconds(15);
  Millis renew_deadline = std::chrono::seconds(10);
  Millis retry_period = std::chrono::seconds(2);
};

struct DaemonConfig {
  core::SchedulerConfig scheduler;
  ClientConnection client;
  LeaderElection leader_election;
  std::optional<KueueConfig> kueue;  // Kueue's Configuration, where the file has it, too
};

}  // namespace tutti::config
