// What came of a simulation, as tables for people and as a document.
#pragma once

#include "base/std.h"
#include "replay/simulation.h"
#include "replay/studies/fgd.h"
#include "terminal/layout.h"
#include "trace/job.h"
#include "wire/document.h"

namespace tutti::cli {

struct SimulationReport {
  const trace::Trace& trace;
  const trace::NodeList& nodes;
  const replay::SimulationResult& result;
};

std::string simulation_text(const SimulationReport& report, const terminal::Layout& layout);
wire::Document simulation_document(const SimulationReport& report);

// A row of --per-job, with its line end. Empty cells are what never happened.
std::string per_job_line(std::string_view policy, std::int64_t seed, const trace::Job& job,
                         const replay::JobOutcome& outcome, std::span<const trace::Node> nodes);

// Ours beside the published figures: a row for every list, a column for every policy.
std::string fgd_text(std::span<const replay::FgdRun> runs, const terminal::Layout& layout);
wire::Document fgd_document(std::span<const replay::FgdRun> runs);

}  // namespace tutti::cli
