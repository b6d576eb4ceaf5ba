// The topology domains that pods ended up in, in the words of all tables: "rack=r2,r3".
#pragma once

#include "base/std.h"
#include "expect/check.h"
#include "model/pod.h"

namespace tutti::session {

// The key that the pod asks for beyond its group's, required or preferred; empty: none.
std::string wanted_key(const model::Pod& pod);

// Every domain of the key that one of the pods is in; the one that they share, if there is one.
// Empty without a key, and while none of them has a node.
std::string domain_text(const expect::Scene& scene, const std::string& key,
                        std::span<const model::Pod* const> pods);

}  // namespace tutti::session
