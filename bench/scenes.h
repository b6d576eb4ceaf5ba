// The scenes, by name.
#pragma once

namespace tutti::bench {

void identical();
void different();
void gang();
void infeasible();
void scale();
void selectors();
void memory();
void command();
void command_memory();

}  // namespace tutti::bench
