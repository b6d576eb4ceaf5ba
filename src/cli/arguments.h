// Parts of the command line that several commands have, and commands whose options fill a file.
// What parsing throws is caught in command_line.cc.
#pragma once

#include "base/std.h"
#include "cli/simulate/options.h"
#include "session/manifests/list_writer.h"

namespace CLI {
class App;
}  // namespace CLI

namespace tutti::cli {

// What is wrong with a duration; empty: nothing.
std::string duration_problem(const std::string& text);
void add_format_option(CLI::App& command, session::Format& format);

void add_simulate(CLI::App& app, SimulateOptions& options);
// Parts of that: what is read, and what is changed of it.
void add_simulation_input(CLI::App& command, SimulateOptions& options);
void add_trace_changes(CLI::App& command, SimulateOptions& options);

}  // namespace tutti::cli
