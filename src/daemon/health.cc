#include "daemon/health.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "base/text.h"
#include "daemon/writes/target.h"
#include "telemetry/metrics.h"

namespace tutti::daemon {

namespace {

// Later than this the loop is not just busy: probes, leases and watches suffer.
constexpr Millis kLoopLagMax{10'000};
// How long a leader may be seen to hold an expired lease before it is better restarted.
constexpr Millis kExpiredLeaseMax{20'000};

struct Check {
  std::string name;
  std::string problem;  // empty: passed
};
using Checks = std::vector<Check>;

std::string loop_problem(const Health& health) {
  if (health.loop_lag <= kLoopLagMax) return {};
  return fmt::format("{} late", format_duration(health.loop_lag));
}

std::string lease_problem(const Health& health) {
  if (!health.leading || !health.since_renewal) return {};
  if (*health.since_renewal <= health.lease_duration + kExpiredLeaseMax) return {};
  return fmt::format("leads, but renewed its lease {} ago", format_duration(*health.since_renewal));
}

std::string sync_problem(const Health& health) {
  std::string missing;
  for (const Health::Watch& watch : health.watches) {
    if (watch.synced) continue;
    missing += (missing.empty() ? "" : ", ") + watch.resource;
  }
  return missing.empty() ? missing : "not yet listed: " + missing;
}

std::string watch_problem(const Health::Watch& watch) {
  if (watch.healthy) return {};
  return watch.trouble.empty() ? "not in touch with the API server" : watch.trouble;
}

Checks live_checks(const Health& health) {
  return {{"ping", {}}, {"loop", loop_problem(health)}, {"leaderElection", lease_problem(health)}};
}

Checks ready_checks(const Health& health) {
  Checks checks = live_checks(health);
  checks.push_back({"informer-sync", sync_problem(health)});
  for (const Health::Watch& watch : health.watches) {
    checks.push_back({"watch-" + watch.resource, watch_problem(watch)});
  }
  checks.push_back({"shutdown", health.stopping ? "stopping" : ""});
  return checks;
}

std::string list_of(const Checks& checks) {
  std::string text;
  for (const Check& check : checks) {
    text += check.problem.empty()
                ? fmt::format("[+]{} ok\n", check.name)
                : fmt::format("[-]{} failed: {}\n", check.name, brief_line(check.problem));
  }
  return text;
}

net::ServerResponse report(std::string_view name, const Checks& checks, bool verbose) {
  const bool passed =
      std::ranges::all_of(checks, [](const Check& check) { return check.problem.empty(); });
  if (!passed) {
    return {.status = 500, .body = fmt::format("{}{} check failed\n", list_of(checks), name)};
  }
  if (!verbose) return {.body = "ok"};
  return {.body = fmt::format("{}{} check passed\n", list_of(checks), name)};
}

net::ServerResponse health_report(const Target& target, const Health& health) {
  const bool ready = target.path == "/readyz";
  return report(target.path.substr(1), ready ? ready_checks(health) : live_checks(health),
                parameter(target.query, "verbose").has_value());
}

}  // namespace

net::ServerResponse answer(const net::ServerRequest& request, const Health& health,
                           const std::function<std::string()>& metrics_text) {
  const Target target = split(request.target);
  const bool metrics = target.path == "/metrics";
  const bool probe =
      target.path == "/healthz" || target.path == "/livez" || target.path == "/readyz";
  if (!metrics && !probe) return {.status = 404, .body = "not found\n"};
  if (request.method != "GET" && request.method != "HEAD") {
    return {.status = 405, .body = "only GET is answered here\n"};
  }
  if (probe) return health_report(target, health);
  return {.content_type = std::string(telemetry::kMetricsContentType), .body = metrics_text()};
}

}  // namespace tutti::daemon
