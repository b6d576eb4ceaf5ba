// The scenes, by name.
#pragma once

namespace tutti::bench {

void identical();
void different();
void gang();
void infeasible();
void preemption();
void scale();
void selectors();
void rack_gang();
void level_gang();
void waiting_gangs();
void huge_gang();
void memory();
void command();
void command_memory();
void capacity();
void explain_ways();
void verdicts();
void claims();
void claim_gang();
void jobs();
void queues();
void backfill();

}  // namespace tutti::bench
