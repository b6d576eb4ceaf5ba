#include "cli/output/junit.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>

#include "base/text.h"

namespace tutti::cli {
namespace {

// Several expectations of one file may begin on one line: what failed is told by the file's first
// of them.
bool is_of(const expect::Failure& failure, const expect::Expectation& expectation) {
  return failure.file == expectation.file && failure.line == expectation.line;
}

}  // namespace

std::string junit_text(const std::vector<std::string>& files,
                       const expect::Expectations& expectations,
                       const std::vector<expect::Failure>& failures) {
  std::string page = "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n";
  auto out = std::back_inserter(page);
  for (std::size_t file = 0; file < files.size(); ++file) {
    std::string cases;
    std::size_t count = 0;
    std::size_t failed = 0;
    for (const expect::Expectation& expectation : expectations) {
      if (expectation.file != file) continue;
      ++count;
      std::vector<std::string> messages;
      for (const expect::Failure& failure : failures) {
        if (is_of(failure, expectation)) messages.push_back(markup_text(failure.message));
      }
      cases +=
          fmt::format("    <testcase classname=\"{}\" name=\"line {}: {}\"",
                      markup_text(files[file]), expectation.line, markup_text(expectation.title));
      if (messages.empty()) {
        cases += "/>\n";
        continue;
      }
      ++failed;
      cases += fmt::format(">\n      <failure message=\"{}\">{}</failure>\n    </testcase>\n",
                           messages.front(), fmt::join(messages, "\n"));
    }
    fmt::format_to(out,
                   "  <testsuite name=\"{}\" tests=\"{}\" failures=\"{}\">\n{}  </testsuite>\n",
                   markup_text(files[file]), count, failed, cases);
  }
  return page + "</testsuites>\n";
}

}  // namespace tutti::cli
