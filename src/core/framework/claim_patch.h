// What the scheduler's writes make of a claim, by the rules of the API server.
#pragma once

#include "base/time.h"
#include "core/framework/ports.h"
#include "model/device.h"

namespace tutti::core {

// Whether the write may happen: an allocation is never replaced, and nothing is added to a claim
// that is being deleted or has no allocation.
bool allows(const model::ResourceClaim& claim, const ClaimPatch& patch);

// Requires that it may. The allocation goes, and the finalizer with it, when the last user does.
void apply(model::ResourceClaim& claim, const ClaimPatch& patch, Instant now);

}  // namespace tutti::core
