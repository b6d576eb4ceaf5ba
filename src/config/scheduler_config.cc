#include "config/scheduler_config.h"

#include <fmt/core.h>

#include <chrono>
#include <limits>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/daemon_reader.h"
#include "config/profile_reader.h"
#include "config/strict.h"
#include "wire/reader.h"

namespace tutti::config {
namespace {

using wire::Field;

constexpr std::string_view kApiVersion = "kubescheduler.config.k8s.io/v1";
constexpr std::string_view kKind = "KubeSchedulerConfiguration";
void expect_identity(const Field& at) {
  std::string api_version;
  std::string kind;
  at.required("apiVersion", api_version);
  at.required("kind", kind);
  if (at.failed()) return;
  if (api_version != kApiVersion) {
    at.fail_member("apiVersion", fmt::format("must be {}, is '{}'", kApiVersion, api_version));
  } else if (kind != kKind) {
    at.fail_member("kind", fmt::format("must be {}, is '{}'", kKind, kind));
  }
}

void check_ignored_parts(const Field& at) {
  std::int32_t parallelism = 1;
  read_within(at, "parallelism", 1, kNoLimit, parallelism);
  bool flag = false;
  for (const auto name :
       {"enableProfiling", "enableContentionProfiling", "delayCacheUntilActive"}) {
    at(name, flag);
  }
  at.list("extenders", [](const Field& item) {
    item.fail("extenders are not supported: write a plugin instead");
  });
}

void read_backoffs(const Field& at, core::SchedulerConfig& out) {
  std::int32_t initial = 1;
  std::int32_t most = 10;
  read_within(at, "podInitialBackoffSeconds", 1, kNoLimit, initial);
  read_within(at, "podMaxBackoffSeconds", 1, kNoLimit, most);
  if (most < initial) {
    at.fail_member(
        "podMaxBackoffSeconds",
        fmt::format("must be at least podInitialBackoffSeconds ({}), is {}", initial, most));
  }
  out.initial_backoff = std::chrono::seconds(initial);
  out.max_backoff = std::chrono::seconds(most);
}

void read_profiles(const Field& at, core::SchedulerConfig& out) {
  std::set<std::string> names;
  std::optional<core::BrokerArgs> broker;
  at.list("profiles", [&](const Field& item) {
    core::ProfileConfig profile = read_profile(item);
    if (profile.scheduler_name.empty()) item.fail_member("schedulerName", "must not be empty");
    if (!names.insert(profile.scheduler_name).second) {
      item.fail_member("schedulerName",
                       fmt::format("'{}' has a profile already", profile.scheduler_name));
    }
    if (profile.broker) {
      if (broker && *broker != *profile.broker) {
        item.fail_member("pluginConfig", "Broker has other arguments in a profile before");
      }
      broker = profile.broker;
    }
    out.profiles.push_back(std::move(profile));
  });
  out.broker = broker.value_or(core::BrokerArgs{});
  if (out.profiles.empty()) out.profiles.emplace_back();
}

// kube-scheduler's v1 has no place for these either; files from before it do.
void refuse_former_members(const Field& at) {
  for (const auto name : {"healthzBindAddress", "metricsBindAddress"}) {
    at.member(name, [](const Field& field) {
      field.fail("not part of v1; use --bind-address and --port of tutti scheduler");
    });
  }
}

DaemonConfig read_config(const Field& at) {
  DaemonConfig out;
  if (!at.expect_object()) return out;
  expect_identity(at);
  refuse_former_members(at);
  only_members(
      at, {"apiVersion", "kind", "profiles", "podInitialBackoffSeconds", "podMaxBackoffSeconds",
           "percentageOfNodesToScore", "parallelism", "leaderElection", "clientConnection",
           "enableProfiling", "enableContentionProfiling", "delayCacheUntilActive", "extenders"});
  check_ignored_parts(at);
  at.member("clientConnection",
            [&](const Field& field) { out.client = read_client_connection(field); });
  at.member("leaderElection",
            [&](const Field& field) { out.leader_election = read_leader_election(field); });
  read_backoffs(at, out.scheduler);
  std::int32_t percentage = 0;
  read_within(at, "percentageOfNodesToScore", 0, 100, percentage);
  if (percentage > 0) out.scheduler.percentage_of_nodes_to_score = percentage;
  read_profiles(at, out.scheduler);
  return out;
}

}  // namespace

Result<DaemonConfig> parse_daemon_config(std::string_view text) {
  std::optional<DaemonConfig> scheduler;
  std::optional<KueueConfig> queues;
  TUTTI_TRY(wire::read_documents(text, [&](wire::Document&& document) -> Status {
    const bool of_queues = is_kueue_config(document.root());
    if (of_queues ? queues.has_value() : scheduler.has_value()) {
      return Error{Error::Code::invalid,
                   fmt::format("line {}: a second document; one configuration{} was expected",
                               document.root().line(), of_queues ? " of queues" : "")};
    }
    wire::FieldErrors errors;
    const Field at(document.root(), errors);
    if (of_queues) {
      queues = read_kueue_config(at);
    } else {
      scheduler = read_config(at);
    }
    return wire::to_status(errors);
  }));
  if (!scheduler && !queues) {
    return Error{Error::Code::invalid, "no configuration: the file is empty"};
  }
  DaemonConfig out = scheduler ? *std::move(scheduler) : DaemonConfig{default_config(), {}, {}, {}};
  out.kueue = std::move(queues);
  return out;
}

Result<core::SchedulerConfig> parse_config(std::string_view text) {
  TUTTI_ASSIGN(DaemonConfig config, parse_daemon_config(text));
  return std::move(config.scheduler);
}

core::SchedulerConfig default_config() {
  core::SchedulerConfig config;
  config.profiles.emplace_back().scheduler_name = "tutti";
  return config;
}

}  // namespace tutti::config
