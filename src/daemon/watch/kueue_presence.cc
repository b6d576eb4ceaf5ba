#include "daemon/watch/kueue_presence.h"

#include <algorithm>

#include "controllers/workloads/document.h"
#include "wire/json_reader.h"

namespace tutti::daemon {

using controllers::items_at;
using controllers::text_at;

Result<std::optional<KueueLease>> kueue_lease_in(const std::string& body) {
  std::optional<KueueLease> lease;
  TUTTI_TRY(wire::read_json(body, [&](wire::Document&& document) {
    for (const wire::Value& item : items_at(document.root(), {"items"})) {
      KueueLease found{.version = text_at(item, {"metadata", "resourceVersion"})};
      const auto renewed = parse_rfc3339(text_at(item, {"spec", "renewTime"}));
      if (renewed.ok()) found.renewed = *renewed;
      // The latest of several: somebody moved Kueue to another namespace.
      if (!lease || found.renewed > lease->renewed) lease = std::move(found);
    }
    return ok_status();
  }));
  return lease;
}

void KueuePresence::saw(const std::optional<KueueLease>& lease, Instant now) {
  const bool first = !known_ || unreadable_;
  known_ = true;
  unreadable_ = false;
  if (!lease) {
    version_.clear();
    renewed_.reset();
    return;
  }
  if (lease->version == version_) return;
  const bool judges = first || version_.empty();
  version_ = lease->version;
  renewed_ = judges ? std::min(lease->renewed.value_or(Instant{}), now) : now;
}

void KueuePresence::failed() {
  if (known_) return;
  known_ = true;
  unreadable_ = true;
}

bool KueuePresence::at_work(Instant now) const {
  return unreadable_ || (renewed_ && now - *renewed_ < kPatience);
}

core::Authority KueuePresence::authority(std::optional<core::BrokerMode> mode, Instant now) {
  const bool there = at_work(now);
  seen_at_work_ = seen_at_work_ || there;
  const auto usual = seen_at_work_ ? core::BrokerMode::observe : core::BrokerMode::own;
  return {mode.value_or(usual), there};
}

}  // namespace tutti::daemon
