// Verdicts for requests that Kueue decides about: what it says, and whether what it admitted has
// places.
#pragma once

#include "base/std.h"
#include "core/broker/broker.h"
#include "explain/explain.h"
#include "explain/verdict/verdict.h"

namespace tutti::explain {

// Fills in state, blocker and sentence. Requires a request that is not ours.
void add_followed(Verdict& verdict, const Sources& sources, const core::RequestTable& table,
                  const core::Request& request);

// "8 example.com/gpu and 16 cpu": what a request holds of its quota; empty: nothing.
std::string held_text(const core::RequestTable& table, const core::Request& request);

// Whether the request was admitted, and one of its pods waits for a place.
bool lacks_place(const Sources& sources, const core::Request& request);

}  // namespace tutti::explain
