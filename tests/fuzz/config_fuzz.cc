// Any bytes as a scheduler configuration: refused with a message, or a configuration that keeps
// what core/framework/config.h promises.
#include <cstddef>
#include <cstdint>
#include <set>
#include <string>
#include <string_view>

#include "base/check.h"
#include "config/scheduler_config.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto config =
      tutti::config::parse_daemon_config({reinterpret_cast<const char*>(data), size});
  if (!config.ok()) {
    TUTTI_CHECK(!config.error().message.empty());
    return 0;
  }
  const tutti::core::SchedulerConfig& scheduler = config->scheduler;
  TUTTI_CHECK(!scheduler.profiles.empty());
  TUTTI_CHECK(scheduler.initial_backoff <= scheduler.max_backoff);
  std::set<std::string> names;
  for (const auto& profile : scheduler.profiles) {
    TUTTI_CHECK(names.insert(profile.scheduler_name).second);
  }
  const tutti::config::LeaderElection& election = config->leader_election;
  TUTTI_CHECK(!election.enabled || (election.lease_duration > election.renew_deadline &&
                                    election.renew_deadline > election.retry_period));
  return 0;
}
