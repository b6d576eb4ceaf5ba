// Refusals that are no proof: a search for devices ended before it had looked at everything. The
// answer is kept and given again without a search, so counting searches is not enough.
#pragma once

#include "core/framework/attempt.h"

namespace tutti::core {

bool rests_on_unproven(const Diagnosis& diagnosis);
// Whether the diagnosis of some class of members rests on what nobody proved.
bool rests_on_unproven(const Attempt& attempt);

}  // namespace tutti::core
