// The built-in formats: each turns the rows of one file into jobs.
#pragma once

#include "base/result.h"
#include "base/std.h"
#include "trace/cells.h"
#include "trace/job.h"
#include "trace/read.h"

namespace tutti::trace {

// What one row says, and what was made up or passed over for it.
struct ReadJob {
  Job job;
  Counts invented;
  Counts ignored;
  std::string dropped;  // why the row is no job by the format's rules; empty: it is one
};

struct CsvFormat {
  std::string_view name;
  // The columns that it needs, by which it is known.
  std::vector<std::string_view> columns;
  ReadJob (*read)(Cells& cells, const Table& table, const ReadOptions& options);
};

// The columns of the generic format, and their order.
std::span<const std::string_view> generic_columns();

ReadJob read_generic(Cells& cells, const Table& table, const ReadOptions& options);
ReadJob read_openb(Cells& cells, const Table& table, const ReadOptions& options);
ReadJob read_philly(Cells& cells, const Table& table, const ReadOptions& options);
ReadJob read_muri(Cells& cells, const Table& table, const ReadOptions& options);
ReadJob read_tiresias(Cells& cells, const Table& table, const ReadOptions& options);
ReadJob read_gavel_msr(Cells& cells, const Table& table, const ReadOptions& options);

Node read_generic_node(Cells& cells, const Table& table, Counts& ignored);
Node read_openb_node(Cells& cells);
Node read_lingjun_node(Cells& cells, const ReadOptions& options);

// Every row of the table as a job of that format. What was counted goes to the trace and the input.
Status read_rows(const Table& table, const CsvFormat& format, const ReadOptions& options,
                 Trace& trace, Input& input);
// Adds counts by kind.
void add(Counts& sum, const Counts& more);

// The Standard Workload Format as rows, one column for each of its fields.
Result<Table> swf_table(std::string file, const std::string& text);
bool looks_like_swf(std::string_view text);
ReadJob read_swf(Cells& cells, const Table& table, const ReadOptions& options);

// Divides so many GPUs among equal pods: one, if a node has as many; else pods of the largest
// divisor that a node has.
void lay_out_gpus(Job& job, std::int64_t gpus, std::int64_t gpus_per_node);

inline constexpr std::int64_t kReplicasMax = 1'000'000;
inline constexpr std::int64_t kGpusMax = 1'000'000;

}  // namespace tutti::trace
