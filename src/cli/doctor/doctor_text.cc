#include "cli/doctor/doctor_text.h"

#include <fmt/format.h>

#include "base/text.h"
#include "terminal/table.h"

namespace tutti::cli {
namespace {

using doctor::Severity;

terminal::Tint tint_of(Severity severity) {
  if (severity == Severity::error) return terminal::Tint::bad;
  return severity == Severity::warning ? terminal::Tint::waiting : terminal::Tint::faint;
}

std::string totals(std::span<const doctor::Finding> findings) {
  std::string text;
  for (const Severity each : {Severity::error, Severity::warning, Severity::info}) {
    const std::size_t count = doctor::count(findings, each);
    if (count == 0) continue;
    const bool plural = count != 1 && each != Severity::info;
    text +=
        fmt::format("{}{} {}{}", text.empty() ? "" : ", ", count, word(each), plural ? "s" : "");
  }
  return text;
}

// Commands are left whole, so that they can be pasted; prose is folded.
std::string cure_of(const doctor::Finding& finding, const terminal::Layout& layout) {
  if (finding.fix.empty()) return {};
  const bool command = finding.fix.starts_with("kubectl ") || finding.fix.starts_with("tutti ");
  const std::string fix = printable(finding.fix);
  return command ? "      " + fix + "\n" : terminal::wrapped("cure: " + fix, 4, layout.columns);
}

}  // namespace

std::string doctor_text(std::span<const doctor::Finding> findings, const terminal::Layout& layout) {
  if (findings.empty()) return "nothing found\n";
  std::string page;
  for (const doctor::Finding& finding : findings) {
    terminal::Table line({"", "", ""});
    const std::string object = printable(text_of(finding.object));
    line.add({{std::string(word(finding.severity)), tint_of(finding.severity)},
              {finding.code},
              {object}});
    const std::string text = line.text(layout);
    // Without headings: the first line of the table is theirs.
    page += text.substr(text.find('\n') + 1);
    page += terminal::wrapped(printable(finding.summary), 4, layout.columns);
    page += cure_of(finding, layout);
  }
  const std::size_t all = findings.size();
  return page +
         fmt::format("\n{} {} ({})\n", all, all == 1 ? "finding" : "findings", totals(findings));
}

}  // namespace tutti::cli
