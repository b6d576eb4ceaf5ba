#include "telemetry/process_figures.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <fstream>
#include <optional>
#include <sstream>
#include <string>
#include <system_error>

namespace tutti::telemetry {

namespace {

// Places in /proc/PID/stat, counted from 0 after the command, which is the second field there.
constexpr std::size_t kUserTicks = 11;
constexpr std::size_t kSystemTicks = 12;
constexpr std::size_t kStartTicks = 19;
constexpr std::size_t kVirtualBytes = 20;
constexpr std::size_t kResidentPages = 21;
constexpr std::size_t kFields = 22;

std::optional<std::uint64_t> to_number(std::string_view text) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view next_word(std::string_view& text) {
  text.remove_prefix(std::min(text.find_first_not_of(" \n"), text.size()));
  const std::string_view word = text.substr(0, text.find_first_of(" \n"));
  text.remove_prefix(word.size());
  return word;
}

// The command may hold anything, spaces and brackets too, so fields are counted from its last ')'.
std::optional<std::array<std::string_view, kFields>> fields_after_command(std::string_view stat) {
  const std::size_t bracket = stat.rfind(')');
  if (bracket == std::string_view::npos) return std::nullopt;
  stat.remove_prefix(bracket + 1);
  std::array<std::string_view, kFields> fields;
  for (std::string_view& field : fields) field = next_word(stat);
  return fields;
}

std::optional<std::uint64_t> boot_time_seconds(std::string_view system_stat) {
  constexpr std::string_view kLabel = "\nbtime ";
  const std::size_t line = system_stat.find(kLabel);
  if (line == std::string_view::npos) return std::nullopt;
  system_stat.remove_prefix(line + kLabel.size());
  return to_number(next_word(system_stat));
}

// Files of proc have no size; they are read to their end.
Result<std::string> read_all(const std::filesystem::path& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Error{Error::Code::io, "cannot read " + path.string()};
  return text.str();
}

Result<std::uint64_t> count_entries(const std::filesystem::path& folder) {
  std::error_code error;
  std::uint64_t count = 0;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end;
       at.increment(error)) {
    ++count;
  }
  if (error) return Error{Error::Code::io, folder.string() + ": " + error.message()};
  return count;
}

std::uint64_t max_fds() {
  rlimit limit{};
  return getrlimit(RLIMIT_NOFILE, &limit) == 0 ? limit.rlim_cur : 0;
}

}  // namespace

Result<ProcessFigures> parse_process_stat(std::string_view process_stat,
                                          std::string_view system_stat, KernelUnits units) {
  const Error malformed{Error::Code::malformed, "unexpected text in /proc"};
  const auto fields = fields_after_command(process_stat);
  const auto boot = boot_time_seconds(system_stat);
  if (!fields || !boot) return malformed;
  const auto user = to_number((*fields)[kUserTicks]);
  const auto system = to_number((*fields)[kSystemTicks]);
  const auto start = to_number((*fields)[kStartTicks]);
  const auto bytes = to_number((*fields)[kVirtualBytes]);
  const auto pages = to_number((*fields)[kResidentPages]);
  if (!user || !system || !start || !bytes || !pages) return malformed;
  ProcessFigures figures;
  figures.cpu_seconds = static_cast<double>(*user + *system) / units.ticks_per_second;
  figures.start_time_seconds =
      static_cast<double>(*boot) + static_cast<double>(*start) / units.ticks_per_second;
  figures.resident_bytes = *pages * units.page_bytes;
  figures.virtual_bytes = *bytes;
  return figures;
}

Result<ProcessFigures> read_process_figures(const std::filesystem::path& proc) {
  TUTTI_ASSIGN(const std::string process_stat, read_all(proc / "self" / "stat"));
  TUTTI_ASSIGN(const std::string system_stat, read_all(proc / "stat"));
  const KernelUnits units{.ticks_per_second = static_cast<double>(sysconf(_SC_CLK_TCK)),
                          .page_bytes = static_cast<std::uint64_t>(sysconf(_SC_PAGESIZE))};
  TUTTI_ASSIGN(ProcessFigures figures, parse_process_stat(process_stat, system_stat, units));
  TUTTI_ASSIGN(const std::uint64_t entries, count_entries(proc / "self" / "fd"));
  figures.open_fds = entries - 1;  // one of them was open for counting
  figures.max_fds = max_fds();
  return figures;
}

}  // namespace tutti::telemetry
