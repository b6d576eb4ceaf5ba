// What the broker is told beside Kueue's own configuration, as plain values: the arguments of the
// plugin Broker. config/broker_args reads them.
#pragma once

#include "base/std.h"

namespace tutti::core {

// Who decides about trees of queues that nobody marks. observe: Kueue, and we read. check: Kueue,
// and then we say whether there are places. own: we, where Kueue is not at work.
enum class BrokerMode : std::uint8_t { own, observe, check };

struct BrokerArgs {
  std::optional<BrokerMode> mode{};  // absent: observe where Kueue is at work, own elsewhere
  bool operator==(const BrokerArgs&) const = default;
};

}  // namespace tutti::core
