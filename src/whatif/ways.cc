#include "whatif/ways.h"

namespace tutti::whatif {

std::vector<explain::Way> find_ways(core::Scheduler& scheduler, Instant now, const Asker& asker,
                                    const Neighbours& neighbours) {
  Rehearsal rehearsal(scheduler, now, asker, neighbours);
  Ways ways;
  add_held_ways(rehearsal, ways);
  add_pod_ways(rehearsal, ways);
  add_topology_ways(rehearsal, ways);
  add_minimum_ways(rehearsal, ways);
  add_request_ways(rehearsal, ways);
  add_priority_way(rehearsal, ways);
  add_cordon_way(rehearsal, ways);
  add_device_way(rehearsal, ways);
  add_free_way(rehearsal, ways);
  return ways;
}

}  // namespace tutti::whatif
