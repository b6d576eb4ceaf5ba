// The scenes, by name.
#pragma once

namespace tutti::bench {

void identical();
void different();
void gang();
void infeasible();
void scale();
void rack_gang();
void level_gang();
void waiting_gangs();
void huge_gang();
void memory();
void command();
void command_memory();

}  // namespace tutti::bench
