// Binding conditions: whether the devices of an allocated claim are ready for a pod to bind.
#pragma once

#include "base/std.h"
#include "model/device.h"

namespace tutti::devices {

struct Readiness {
  enum class State : std::uint8_t { ready, waiting, failed };
  State state = State::ready;
  std::string text;  // "device POOL/NAME of resource claim C …"; empty when ready
};

// Requires an allocation. Failed: some device reports one of its failure conditions. Ready: all of
// them report all of their binding conditions.
Readiness readiness(const model::ResourceClaim& claim);

}  // namespace tutti::devices
