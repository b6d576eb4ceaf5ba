// Elastic requests: Jobs that can do with fewer pods than they asked for. Each pod beyond what such
// a request needs may leave, and come back, by itself.
#pragma once

#include "base/std.h"
#include "core/requests/request.h"
#include "quota/tree.h"

namespace tutti::core {

// The pod set that may have more or fewer pods while it runs; absent: none may.
std::optional<std::size_t> elastic_set(const model::AdmissionRequest& request);
// Pods that the request was promised and that are still to run, if it may have fewer; else 0.
std::int64_t elastic_pods(const Request& request);
// How many of those it can do without.
std::int64_t surplus_of(const Request& request);
// Pods that it would like to have beyond those it was promised.
std::int64_t wanted_more(const Request& request);

// What is charged for a promise, less what has ended for good; nothing for opportunistic work.
// `at_least`: pods by set that count although they are promised no more; empty: none are.
std::vector<quota::Charge> charges_of(quota::Tree& tree, const Request& request,
                                      std::span<const PodSetPromise> promise,
                                      std::span<const std::int64_t> at_least = {});
// What one pod of the set is charged.
std::vector<quota::Charge> charges_of_pod(quota::Tree& tree, const PodSetPromise& promise);

// Gives the set of the promise another number of pods.
void resize(PodSetPromise& promise, std::int64_t count);

}  // namespace tutti::core
