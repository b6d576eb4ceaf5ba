// tutti run: schedules manifests in virtual time and shows what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/file_roles.h"
#include "cli/output/report.h"
#include "cli/output/timeline.h"
#include "expect/reader.h"
#include "session/expect_run.h"
#include "session/manifests/file_text.h"
#include "session/session.h"

namespace tutti::cli {
namespace {

Result<expect::Expectations> load_expectations(const std::string& path, std::istream& in) {
  if (path.empty()) return expect::Expectations{};
  TUTTI_ASSIGN(const std::string text, session::read_input(path, in));
  Result<expect::Expectations> read = expect::read_expectations(text);
  if (read.ok()) return read;
  return Error{read.error().code, session::at_place(path, read.error().message)};
}

// Kinds that controllers make, so that no input need have them.
bool may_appear(const std::string& word) {
  return word == "resourceclaim" || word == "resourceclaims";
}

Status check_kinds(const KindFilter& filter, const std::set<std::string>& strange_kinds) {
  for (const std::string& word : filter.unknown_words()) {
    const bool known =
        may_appear(word) || std::ranges::any_of(strange_kinds, [&](const std::string& kind) {
          return is_name_or_plural(word, kind);
        });
    if (!known) {
      return Error{Error::Code::invalid, fmt::format("--kinds: there is no kind '{}'", word)};
    }
  }
  return ok_status();
}

Result<std::vector<expect::Failure>> run_and_check(session::Session& session,
                                                   const expect::Expectations& expectations,
                                                   std::optional<Millis> until) {
  Status status = ok_status();
  const expect::Scene scene = session::scene_of(session);
  const session::ExpectRun run{
      [&](std::optional<Millis> instant) {
        status = session.run_until(instant);
        return status.ok();
      },
      [&](const expect::Expectation& expectation) { return expect::check(expectation, scene); }};
  std::optional<std::vector<expect::Failure>> failures = run(expectations, until);
  if (!failures) return std::move(status).error();
  return *std::move(failures);
}

void print(const session::Session& session, const RunOptions& options, terminal::Streams& streams) {
  if (options.format != session::Format::table) {
    return write_objects(session.objects(), options.kinds, options.format, streams.out);
  }
  const Report report = make_report(session::scene_of(session), options.pods);
  streams.out << report_text(report, session.elapsed(), streams.layout);
}

void note_foreign_pods(const session::Session& session, terminal::Streams& streams) {
  const std::size_t count = session.foreign_pods();
  if (count == 0) return;
  streams.err << fmt::format("note: {} pod{} another scheduler and {} left alone\n", count,
                             count == 1 ? " names" : "s name", count == 1 ? "is" : "are");
}

ExitCode report_expectations(const std::vector<expect::Failure>& failures, std::size_t count,
                             const std::string& file, terminal::Streams& streams) {
  for (const expect::Failure& failure : failures) {
    streams.err << fmt::format("{}:{}: {}\n", file, failure.line, brief_line(failure.message));
  }
  if (failures.empty()) {
    streams.err << fmt::format("{}: {} expectation{} met\n", file, count, count == 1 ? "" : "s");
    return ExitCode::done;
  }
  streams.err << fmt::format("{}: {} difference{} in {} expectation{}\n", file, failures.size(),
                             failures.size() == 1 ? "" : "s", count, count == 1 ? "" : "s");
  return ExitCode::unexpected;
}

Result<ExitCode> run(const RunOptions& options, terminal::Streams& streams) {
  TUTTI_TRY(check_file_roles(options.session, options.expect, options.timeline));
  TUTTI_ASSIGN(const expect::Expectations expectations,
               load_expectations(options.expect, streams.in));
  TimelineFile timeline;
  session::SessionOptions session_options = options.session;
  session_options.manifests.keep_documents = options.format != session::Format::table;
  TUTTI_ASSIGN(std::unique_ptr<session::Session> session,
               session::Session::open(session_options, streams, &timeline));
  TUTTI_TRY(check_kinds(options.kinds, session->strange_kinds()));
  if (!options.timeline.empty()) TUTTI_TRY(timeline.open(options.timeline, session->start()));
  TUTTI_ASSIGN(const std::vector<expect::Failure> failures,
               run_and_check(*session, expectations, options.session.until));
  note_foreign_pods(*session, streams);
  print(*session, options, streams);
  TUTTI_TRY(timeline.close());
  if (options.expect.empty()) return ExitCode::done;
  return report_expectations(failures, expectations.size(), options.expect, streams);
}

}  // namespace

ExitCode run_command(const RunOptions& options, terminal::Streams& streams) {
  const Result<ExitCode> code = run(options, streams);
  if (code.ok()) return *code;
  streams.err << printable_lines(code.error().message) << '\n';
  return exit_code_for(code.error());
}

}  // namespace tutti::cli
