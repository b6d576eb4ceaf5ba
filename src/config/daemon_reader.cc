#include "config/daemon_reader.h"

#include <fmt/format.h>

#include <cstdint>
#include <limits>

#include "base/names.h"
#include "config/strict.h"

namespace tutti::config {
namespace {

using wire::Field;

constexpr Millis kLongest = std::chrono::hours(24);

// A duration above zero, and short enough for a Lease to say in seconds.
void read_duration(const Field& at, std::string_view name, Millis& out) {
  at.member(name, [&](const Field& field) {
    std::string text;
    read(field, text);
    if (!field.value().is_string()) return;
    const Result<Millis> duration = parse_duration(text);
    if (!duration.ok()) return field.fail(duration.error().message);
    if (*duration <= Millis::zero() || *duration > kLongest) {
      return field.fail(
          fmt::format("must be above 0 and at most 24h, is {}", format_duration(*duration)));
    }
    out = *duration;
  });
}

void read_rate(const Field& at, ClientConnection& out) {
  at.member("qps", [&out](const Field& field) {
    const wire::Value& value = field.value();
    if (!value.is_integer() && !value.is_number()) return field.fail_type("a number");
    out.qps = value.as_double();
  });
  read_within(at, "burst", 0, std::numeric_limits<std::int32_t>::max(), out.burst);
}

// A Lease says its duration in whole seconds, so that is what others wait; attempts come up to a
// fifth later than the period says.
void check_periods(const Field& at, const LeaderElection& election) {
  using std::chrono::seconds;
  if (std::chrono::floor<seconds>(election.lease_duration) <= election.renew_deadline) {
    at.fail_member("leaseDuration",
                   fmt::format("must be above renewDeadline ({}) in whole seconds, is {}",
                               format_duration(election.renew_deadline),
                               format_duration(election.lease_duration)));
  }
  if (election.renew_deadline * 5 <= election.retry_period * 6) {
    at.fail_member("renewDeadline", fmt::format("must be above 1.2 times retryPeriod ({}), is {}",
                                                format_duration(election.retry_period),
                                                format_duration(election.renew_deadline)));
  }
}

void check_names(const Field& at, const LeaderElection& election) {
  if (const auto problem = dns_subdomain_problem(election.name)) {
    at.fail_member("resourceName", *problem);
  }
  if (const auto problem = dns_label_problem(election.ns)) {
    at.fail_member("resourceNamespace", *problem);
  }
}

}  // namespace

ClientConnection read_client_connection(const Field& at) {
  only_members(at, {"kubeconfig", "acceptContentTypes", "contentType", "qps", "burst"});
  ClientConnection out;
  at("kubeconfig", out.kubeconfig);
  std::string content_type;
  at("acceptContentTypes", content_type);
  at("contentType", content_type);
  read_rate(at, out);
  return out;
}

LeaderElection read_leader_election(const Field& at) {
  only_members(at, {"leaderElect", "leaseDuration", "renewDeadline", "retryPeriod", "resourceLock",
                    "resourceName", "resourceNamespace"});
  LeaderElection out;
  at("leaderElect", out.enabled);
  read_duration(at, "leaseDuration", out.lease_duration);
  read_duration(at, "renewDeadline", out.renew_deadline);
  read_duration(at, "retryPeriod", out.retry_period);
  std::string lock = "leases";
  at("resourceLock", lock);
  at("resourceName", out.name);
  at("resourceNamespace", out.ns);
  if (!out.enabled) return out;
  if (lock != "leases") at.fail_member("resourceLock", "must be leases");
  check_periods(at, out);
  check_names(at, out);
  return out;
}

}  // namespace tutti::config
