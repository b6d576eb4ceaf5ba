// What was asked for of `tutti simulate`, as plain values.
#pragma once

#include "base/std.h"
#include "base/time.h"
#include "replay/outages.h"
#include "session/manifests/list_writer.h"
#include "trace/changes.h"
#include "trace/read.h"

namespace tutti::cli {

// How the files are to be read, and what is made of what they say.
struct SimulationInput {
  std::string map;       // path of a column map; empty: none
  std::string profiles;  // folder of measured slowdowns; empty: none
  std::string key;       // path of the key of pseudonyms; empty: names stay
  std::string synth;     // a trace made up; empty: none
  std::string filter;
  std::string replicas;  // how fast one is, where requests are read
  trace::Unfinished unfinished = trace::Unfinished::censor;
  bool join_requeues = false;
  std::optional<std::int64_t> gpus_per_node;
  std::vector<std::string> added_nodes;  // "10xNODE"
  std::int64_t removed_nodes = 0;
  std::vector<std::string> drains;  // "n1,n2@36h"
  std::string outages;              // path; empty: none
  replay::FailureModel failures;
  bool ideal_places = false;  // measured slowdowns are not played
};

struct SimulateOptions {
  std::vector<std::string> traces;  // paths
  std::string trace_format;         // empty: by the header
  std::vector<std::string> nodes;   // paths
  std::string topology;             // a cluster made up; empty: none
  SimulationInput input;
  std::string policies = "default";
  std::vector<std::int64_t> seeds;  // empty: one
  std::optional<Millis> until;
  trace::Changes changes;
  bool skip_bad_rows = false;
  bool keep_time_zero = false;
  bool enforce_limits = false;
  bool reserves_nodes = false;
  session::Format format = session::Format::table;
  std::string per_job;             // path; empty: none
  std::string report;              // path of a page; empty: none
  std::string study;               // "fgd"; empty: none
  std::string data;                // the folder of the study's inputs
  std::vector<std::string> lists;  // of the study; empty: default
  std::size_t workers = 0;         // threads of the study; 0: as many as there are cores
  bool policies_given = false;
};

// "42", "1,5" or "42..51"; nothing if it is none of these.
std::optional<std::vector<std::int64_t>> parse_seeds(std::string_view text);

}  // namespace tutti::cli
