// The ways out of waiting: the smallest single changes that let a pod or group run now, each
// rehearsed. In the order of what they cost the asker:
//
//   1. what it has to do anyway   removeGate, createPods, createGroup   (Held)
//   2. preferences it gives up    tolerate, nodeSelector, nodeAffinity, podAffinity,
//                                 podAntiAffinity, spread, hostPort
//   3. closeness it gives up      widenTopology, dropTopology
//   4. size it gives up           minCount, request; of claims matchAttribute, distinctAttribute,
//                                 deviceSelector, deviceCount, deviceClass
//   5. what others pay for        scheduling (of a Job), priority
//   6. what someone else must do  uncordon, repairDevice, free
#pragma once

#include "base/std.h"
#include "explain/verdict/verdict.h"
#include "explain/verdict/way.h"
#include "whatif/headroom.h"
#include "whatif/rehearsal.h"

namespace tutti::whatif {

// Requires an asker that waits or is held. The scheduler is as before afterwards.
std::vector<explain::Way> find_ways(core::Scheduler& scheduler, Instant now, const Asker& asker,
                                    const Neighbours& neighbours);

// What evicting others would do for it now, at what cost and for what gain, with everyone on a node
// who is refused and why. Requires an asker that waits, and is empty while it cannot be tried.
explain::Preemption find_evictions(core::Scheduler& scheduler, Instant now, const Asker& asker);

// --- one family each; they append what works, and rehearse nothing that counting rules out -------
using Ways = std::vector<explain::Way>;
void add_held_ways(Rehearsal& rehearsal, Ways& ways);
void add_missing_group_way(Rehearsal& rehearsal, Ways& ways);
void add_spelling_ways(Rehearsal& rehearsal, Ways& ways);
void add_pod_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways);
void add_request_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways);
void add_topology_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways);
void add_minimum_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways);
void add_claim_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways);
void add_job_priority_way(Rehearsal& rehearsal, Ways& ways);
void add_priority_way(Rehearsal& rehearsal, Ways& ways);
void add_cordon_way(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways);
void add_device_way(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways);
void add_free_way(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways);

}  // namespace tutti::whatif
