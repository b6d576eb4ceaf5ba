// ReplicaOrder: the replicas of a set that guarantees some of them (tutti.dev/guaranteed-replicas),
// each with the request it waits by, in the order in which they are guaranteed: the lowest index
// first, where they have one, else the oldest.
#pragma once

#include "base/std.h"
#include "controllers/cluster.h"
#include "controllers/queues/queued_owners.h"
#include "model/pod.h"

namespace tutti::controllers {

// How many the set guarantees; absent: it does not say, or nothing that is a number.
std::optional<std::int32_t> guaranteed_replicas(const model::Object& set);

// The set above the object that says how many replicas it guarantees; null: there is none.
const model::Object* guaranteeing_set(const model::ObjectMeta& meta, const FindObject& find);

// Requests of the set's replicas that run or wait, whether they exist yet or not.
std::vector<model::ObjectKey> replicas_of(const model::Object& set, const Cluster& cluster);

// What the annotation tutti.dev/tenure says on the request of a replica of the set; empty: it is
// none of them.
std::string_view tenure_of_replica(const model::ObjectKey& request, const model::Object& set,
                                   const Cluster& cluster);

}  // namespace tutti::controllers
