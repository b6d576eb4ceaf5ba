#include "cli/input/expectation_files.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "expect/reader.h"
#include "session/manifests/file_text.h"

namespace tutti::cli {

Result<expect::Expectations> load_expectations(const std::vector<std::string>& paths,
                                               std::istream& in) {
  expect::Expectations all;
  std::vector<std::string> problems;
  for (std::size_t file = 0; file < paths.size(); ++file) {
    TUTTI_ASSIGN(const std::string text, session::read_input(paths[file], in));
    Result<expect::Expectations> read = expect::read_expectations(text);
    if (!read.ok()) {
      problems.push_back(session::at_place(paths[file], read.error().message));
      continue;
    }
    for (expect::Expectation& each : *read) {
      each.file = static_cast<std::uint32_t>(file);
      all.push_back(std::move(each));
    }
  }
  if (problems.empty()) return all;
  return Error{Error::Code::invalid, fmt::format("{}", fmt::join(problems, "\n"))};
}

ExitCode report_expectations(const std::vector<expect::Failure>& failures,
                             const expect::Expectations& expectations,
                             const std::vector<std::string>& files, terminal::Streams& streams) {
  for (const expect::Failure& failure : failures) {
    streams.err << fmt::format("{}:{}: {}\n", files[failure.file], failure.line,
                               brief_line(failure.message));
  }
  for (std::size_t file = 0; file < files.size(); ++file) {
    const auto is_of_file = [&](const auto& each) { return each.file == file; };
    const auto count = std::ranges::count_if(expectations, is_of_file);
    const auto failed = std::ranges::count_if(failures, is_of_file);
    const auto what = fmt::format("{} expectation{}", count, count == 1 ? "" : "s");
    streams.err << (failed == 0 ? fmt::format("{}: {} met\n", files[file], what)
                                : fmt::format("{}: {} difference{} in {}\n", files[file], failed,
                                              failed == 1 ? "" : "s", what));
  }
  return failures.empty() ? ExitCode::done : ExitCode::unexpected;
}

}  // namespace tutti::cli
