// What the broker is told beside Kueue's own configuration, as plain values: the arguments of the
// plugin Broker. config/broker_args reads them.
#pragma once

#include <array>

#include "base/std.h"
#include "base/time.h"

namespace tutti::core {

// Who may start before somebody that waits for room and was there first; tutti.dev/backfill.
enum class BackfillMode : std::uint8_t {
  none,          // whoever fits
  easy,          // who does not delay the first that waits
  conservative,  // who delays nobody that waits
};
inline constexpr std::array<std::string_view, 3> kBackfillModes = {"none", "easy", "conservative"};

struct BackfillArgs {
  BackfillMode mode = BackfillMode::none;  // of queues that do not say
  // After this time room is collected for a head whose start cannot be known; 0: never.
  Millis drain_after = std::chrono::hours(24);
  // What is kept for a head is the very places found for it, not room for it somewhere.
  bool keeps_places = false;
  bool operator==(const BackfillArgs&) const = default;
};

struct BrokerArgs {
  BackfillArgs backfill{};
  bool operator==(const BrokerArgs&) const = default;
};

}  // namespace tutti::core
