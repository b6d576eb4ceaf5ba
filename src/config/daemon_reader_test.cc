#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <vector>

#include "config/scheduler_config.h"

namespace tutti::config {
namespace {

using namespace std::chrono_literals;

Result<DaemonConfig> parse_daemon(std::string_view body) {
  return parse_daemon_config(
      std::string("apiVersion: kubescheduler.config.k8s.io/v1\nkind: KubeSchedulerConfiguration\n")
          .append(body));
}

DaemonConfig must_parse_daemon(std::string_view body) {
  Result<DaemonConfig> config = parse_daemon(body);
  EXPECT_TRUE(config.ok()) << (config.ok() ? "" : config.error().message);
  return config.ok() ? *std::move(config) : DaemonConfig{};
}

TEST(DaemonConfig, electsALeaderUnlessTold) {
  const LeaderElection election = must_parse_daemon("").leader_election;

  EXPECT_TRUE(election.enabled);
  EXPECT_EQ(election.ns, "kube-system");
  EXPECT_EQ(election.name, "tutti");
  EXPECT_EQ(election.lease_duration, 15s);
  EXPECT_EQ(election.renew_deadline, 10s);
  EXPECT_EQ(election.retry_period, 2s);
}

TEST(DaemonConfig, readsLeaderElection) {
  const LeaderElection election = must_parse_daemon(R"(
leaderElection:
  leaderElect: true
  leaseDuration: 1m30s
  renewDeadline: 60s
  retryPeriod: 500ms
  resourceLock: leases
  resourceName: kube-scheduler
  resourceNamespace: tutti-system
)")
                                      .leader_election;

  EXPECT_EQ(election.lease_duration, 90s);
  EXPECT_EQ(election.renew_deadline, 60s);
  EXPECT_EQ(election.retry_period, 500ms);
  EXPECT_EQ(election.name, "kube-scheduler");
  EXPECT_EQ(election.ns, "tutti-system");
}

TEST(DaemonConfig, readsTheClientConnection) {
  const DaemonConfig config = must_parse_daemon(
      "clientConnection: {kubeconfig: /etc/tutti.conf, qps: 50.5, burst: 100, "
      "contentType: application/json, acceptContentTypes: ''}\n"
      "profiles: [{schedulerName: a}, {schedulerName: b}]\n");

  EXPECT_EQ(config.client.kubeconfig, "/etc/tutti.conf");
  EXPECT_EQ(config.client.qps, 50.5);
  EXPECT_EQ(config.client.burst, 100);
  ASSERT_EQ(config.scheduler.profiles.size(), 2U);
  EXPECT_EQ(config.scheduler.profiles[1].scheduler_name, "b");
}

TEST(DaemonConfig, doesNotMindPeriodsOfAnElectionThatIsOff) {
  EXPECT_FALSE(
      must_parse_daemon("leaderElection: {leaderElect: false, leaseDuration: 1s, resourceName: ''}")
          .leader_election.enabled);
}

TEST(DaemonConfig, namesLineAndFieldOfWhatItRefuses) {
  struct Refusal {
    std::string body, message;
  };
  const std::vector<Refusal> refusals = {
      {"leaderElection: {leaderElect: 'yes'}",
       "line 3: leaderElection.leaderElect: expected a boolean, found a string"},
      {"leaderElection:\n  leaseDuration: 15",
       "line 4: leaderElection.leaseDuration: expected a string, found an integer"},
      {"leaderElection:\n  retryPeriod: 0s",
       "line 4: leaderElection.retryPeriod: must be above 0 and at most 24h, is 0s"},
      {"leaderElection: {leaseDuration: 10s}",
       "line 3: leaderElection.leaseDuration: must be above renewDeadline (10s) in whole seconds, "
       "is 10s"},
      {"leaderElection: {leaseDuration: 10.9s}",
       "line 3: leaderElection.leaseDuration: must be above renewDeadline (10s) in whole seconds"},
      {"leaderElection: {leaseDuration: 25h}",
       "line 3: leaderElection.leaseDuration: must be above 0 and at most 24h, is 25h0m0s"},
      {"leaderElection: {retryPeriod: 9s}",
       "line 3: leaderElection.renewDeadline: must be above 1.2 times retryPeriod (9s), is 10s"},
      {"leaderElection: {resourceLock: endpoints}",
       "line 3: leaderElection.resourceLock: must be leases"},
      {"leaderElection: {resourceName: Tutti}", "line 3: leaderElection.resourceName: "},
      {"leaderElection: {resourceNamespace: a.b}", "line 3: leaderElection.resourceNamespace: "},
      {"leaderElection: {leaderelect: true}", "line 3: leaderElection.leaderelect: unknown field"},
      {"clientConnection: {qps: fast}",
       "line 3: clientConnection.qps: expected a number, found a string"},
      {"clientConnection: {burst: -1}",
       "line 3: clientConnection.burst: must be at least 0, is -1"},
      {"clientConnection: {server: x}", "line 3: clientConnection.server: unknown field"},
      {"metricsBindAddress: 0.0.0.0:10251",
       "line 3: metricsBindAddress: not part of v1; use --bind-address and --port"},
  };
  for (const auto& [body, message] : refusals) {
    SCOPED_TRACE(body);
    const auto config = parse_daemon(body);
    ASSERT_FALSE(config.ok());
    EXPECT_TRUE(config.error().message.starts_with(message)) << config.error().message;
  }
}

TEST(DaemonConfig, isCheckedInWorldsThatDoNotHeedIt) {
  EXPECT_FALSE(parse_config("apiVersion: kubescheduler.config.k8s.io/v1\n"
                            "kind: KubeSchedulerConfiguration\n"
                            "leaderElection: {resourceLock: configmaps}\n")
                   .ok());
}

TEST(DaemonConfig, standsBesideTheConfigurationOfQueues) {
  const std::string queues =
      "apiVersion: config.kueue.x-k8s.io/v1beta2\nkind: Configuration\nfairSharing: {}\n";
  const DaemonConfig both = must_parse_daemon("podMaxBackoffSeconds: 7\n---\n" + queues);
  ASSERT_TRUE(both.kueue);
  EXPECT_EQ(both.kueue->quota.fair_sharing.size(), 2U);
  EXPECT_EQ(both.scheduler.max_backoff, 7s);

  const auto alone = parse_daemon_config(queues);
  ASSERT_TRUE(alone.ok());
  EXPECT_TRUE(alone->kueue);
  EXPECT_EQ(alone->scheduler.profiles.size(), 1U);

  const auto twice = parse_daemon_config(queues + "---\n" + queues);
  ASSERT_FALSE(twice.ok());
  EXPECT_EQ(twice.error().message,
            "line 5: a second document; one configuration of queues was expected");
}

}  // namespace
}  // namespace tutti::config
