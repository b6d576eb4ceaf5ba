#include "daemon/kueue_inquiry.h"

#include <fmt/format.h>

#include <utility>

#include "daemon/writes/paths.h"
#include "wire/json_reader.h"

namespace tutti::daemon {
namespace {

constexpr Millis kLeasePatience = std::chrono::seconds(10);
constexpr int kConfigRetries = 5;

Result<std::optional<config::KueueConfig>> config_in(const std::string& body) {
  std::optional<std::string> text;
  TUTTI_TRY(wire::read_json(body, [&](wire::Document&& document) {
    text = config::kueue_config_in(document.root());
    return ok_status();
  }));
  if (!text) return std::optional<config::KueueConfig>();
  TUTTI_ASSIGN(config::KueueConfig parsed, config::parse_kueue_config(*text));
  return std::optional(std::move(parsed));
}

}  // namespace

void ask_kueue_lease(kube::ApiClient& client, LeaseHandler handler) {
  kube::Call call;
  call.path = fmt::format("{}/leases?fieldSelector=metadata.name%3D{}",
                          api_root("coordination.k8s.io/v1"), kKueueLease);
  call.timeout = kLeasePatience;
  client.call(std::move(call), [handler = std::move(handler)](const kube::Answer& answer) {
    if (!answer.ok()) return handler(Error{Error::Code::unavailable, answer.message});
    handler(kueue_lease_in(answer.body));
  });
}

void ask_kueue_config(kube::ApiClient& client, KueueConfigHandler handler) {
  kube::Call call;
  call.path = object_path("v1", "configmaps", "kueue-system", "kueue-manager-config");
  call.retries_max = kConfigRetries;
  client.call(std::move(call), [handler = std::move(handler)](const kube::Answer& answer) {
    if (!answer.ok()) return handler(std::optional<config::KueueConfig>());
    handler(config_in(answer.body));
  });
}

}  // namespace tutti::daemon
