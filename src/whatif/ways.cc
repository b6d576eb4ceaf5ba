#include "whatif/ways.h"

#include "explain/verdict/preemption.h"

namespace tutti::whatif {

std::vector<explain::Way> find_ways(core::Scheduler& scheduler, Instant now, const Asker& asker,
                                    const Neighbours& neighbours) {
  Rehearsal rehearsal(scheduler, now, asker, neighbours);
  if (asker.whole && rehearsal.too_many()) return {};
  const Headroom headroom(rehearsal, rehearsal.priority());
  Ways ways;
  add_held_ways(rehearsal, ways);
  add_missing_group_way(rehearsal, ways);
  add_spelling_ways(rehearsal, ways);
  add_pod_ways(rehearsal, headroom, ways);
  add_topology_ways(rehearsal, headroom, ways);
  add_minimum_ways(rehearsal, headroom, ways);
  add_request_ways(rehearsal, headroom, ways);
  add_claim_ways(rehearsal, headroom, ways);
  if (asker.whole && rehearsal.too_many_for_others()) return ways;
  add_job_priority_way(rehearsal, ways);
  add_priority_way(rehearsal, ways);
  add_cordon_way(rehearsal, headroom, ways);
  add_device_way(rehearsal, headroom, ways);
  add_free_way(rehearsal, headroom, ways);
  return ways;
}

explain::Preemption find_evictions(core::Scheduler& scheduler, Instant now, const Asker& asker) {
  const auto report = scheduler.rehearse(now).account({asker.pod, asker.group});
  return report == nullptr ? explain::Preemption{} : explain::describe(*report);
}

}  // namespace tutti::whatif
