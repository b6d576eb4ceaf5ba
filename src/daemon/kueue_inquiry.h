// What is asked of a cluster that serves Kueue's kinds: its manager's Lease and configuration.
#pragma once

#include <functional>

#include "base/result.h"
#include "base/std.h"
#include "config/kueue_config.h"
#include "daemon/watch/kueue_presence.h"
#include "kube/client/api_client.h"

namespace tutti::daemon {

using LeaseHandler = std::function<void(Result<std::optional<KueueLease>>)>;
// An error: it cannot be read, now or at all.
void ask_kueue_lease(kube::ApiClient& client, LeaseHandler handler);

using KueueConfigHandler = std::function<void(Result<std::optional<config::KueueConfig>>)>;
// The ConfigMap kueue-manager-config; nothing: there is none, or it may not be read. An error: it
// is no configuration.
void ask_kueue_config(kube::ApiClient& client, KueueConfigHandler handler);

}  // namespace tutti::daemon
