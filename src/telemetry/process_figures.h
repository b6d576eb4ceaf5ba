// What the kernel says about this process, in the figures that every Prometheus client reports.
#pragma once

#include <filesystem>

#include "base/result.h"
#include "base/std.h"

namespace tutti::telemetry {

struct ProcessFigures {
  double cpu_seconds = 0;         // user and system
  double start_time_seconds = 0;  // since the Unix epoch
  std::uint64_t resident_bytes = 0;
  std::uint64_t virtual_bytes = 0;
  std::uint64_t open_fds = 0;
  std::uint64_t max_fds = 0;
};

// What the kernel counts in.
struct KernelUnits {
  double ticks_per_second = 100;
  std::uint64_t page_bytes = 4096;
};

// CPU, memory and start of a process from the texts of its /proc/PID/stat and of /proc/stat. The
// file descriptors are left at zero.
Result<ProcessFigures> parse_process_stat(std::string_view process_stat,
                                          std::string_view system_stat, KernelUnits units);

// Reads the figures of this process, from a mounted proc file system.
Result<ProcessFigures> read_process_figures(const std::filesystem::path& proc = "/proc");

}  // namespace tutti::telemetry
