// What the daemon answers at its health and metrics addresses, in the form kube components use.
//
//   /livez, /healthz   is the process worth keeping?    ping, loop, leaderElection
//   /readyz            does it know the cluster?        these, informer-sync, one check a watch,
//                                                       shutdown
//
// A replica that stands by is ready: leading is not a matter of health.
#pragma once

#include <functional>

#include "base/std.h"
#include "base/time.h"
#include "net/http_server.h"

namespace tutti::daemon {

// The daemon's state at the moment of the question.
struct Health {
  struct Watch {
    std::string resource;  // "pods"
    bool synced = false;
    bool healthy = false;   // in touch with the server
    std::string trouble{};  // one line; empty while all is well
  };
  std::vector<Watch> watches{};
  Millis loop_lag{0};  // how late the loop came to its last timer
  bool leading = false;
  // Since the last successful renewal was sent; empty before the first and without leader election.
  std::optional<Millis> since_renewal{};
  Millis lease_duration{15'000};
  bool stopping = false;
};

// GET and HEAD of the addresses above (with ?verbose: every check) and of /metrics; 405 for other
// methods there, 404 for everything else. `metrics_text` is asked only for /metrics.
net::ServerResponse answer(const net::ServerRequest& request, const Health& health,
                           const std::function<std::string()>& metrics_text);

}  // namespace tutti::daemon
