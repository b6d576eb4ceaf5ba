// tutti run: schedules manifests in virtual time and shows what came of it.
#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/expectation_files.h"
#include "cli/input/file_roles.h"
#include "cli/output/comparison.h"
#include "cli/output/junit.h"
#include "cli/output/report.h"
#include "cli/output/timeline.h"
#include "session/expect_run.h"
#include "session/profiles.h"
#include "session/queue_view.h"
#include "session/session.h"

namespace tutti::cli {
namespace {

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
  Report report = make_report(session::scene_of(session), options.pods);
  const core::RequestTable& requests = session.scheduler().broker().requests();
  report.queues = queues::make_report(requests, session.now());
  streams.out << report_text(report, session.elapsed(), streams.layout);
}

void note_foreign_pods(const session::Session& session, terminal::Streams& streams) {
  const std::size_t count = session.foreign_pods();
  if (count == 0) return;
  streams.err << fmt::format("note: {} pod{} another scheduler and {} left alone\n", count,
                             count == 1 ? " names" : "s name", count == 1 ? "is" : "are");
}

Status write_junit(const std::string& path, const std::vector<std::string>& files,
                   const expect::Expectations& expectations,
                   const std::vector<expect::Failure>& failures) {
  if (path.empty()) return ok_status();
  std::ofstream file(path, std::ios::binary | std::ios::trunc);
  file << junit_text(files, expectations, failures);
  file.close();
  if (file) return ok_status();
  return Error{Error::Code::io, path + ": cannot be written"};
}

// Plays the same input once more with the other configuration, and prints how the two differ: after
// the tables, or as the one document.
Status print_comparison(const sim::Script& script, const session::Session& before,
                        const RunOptions& options, terminal::Streams& streams) {
  session::SessionOptions other = options.session;
  other.config = options.compare;
  TUTTI_ASSIGN(const std::unique_ptr<session::Session> after,
               session::Session::open(script, other, streams, nullptr));
  TUTTI_TRY(after->run_until(options.session.until));
  const Comparison made =
      compare(session::scene_of(before), session::scene_of(*after),
              session::config_name(options.session.config), session::config_name(options.compare));
  if (options.format == session::Format::table) {
    streams.out << '\n' << comparison_text(made, streams.layout);
  } else {
    write_comparison(made, options.format, streams.out);
  }
  return ok_status();
}

Result<ExitCode> run(const RunOptions& options, terminal::Streams& streams) {
  TUTTI_TRY(check_file_roles(options.session, options.expect, options.timeline));
  TUTTI_TRY(check_output_file(options.session, "--junit", options.junit));
  TUTTI_ASSIGN(const expect::Expectations expectations,
               load_expectations(options.expect, streams.in));
  TimelineFile timeline;
  session::SessionOptions session_options = options.session;
  session_options.manifests.keep_documents =
      options.format != session::Format::table && options.compare.empty();
  session_options.stop = streams.interrupts.came;
  if (streams.interrupts.listen) streams.interrupts.listen();
  TUTTI_ASSIGN(sim::Script script, session::load_script(session_options.manifests, streams));
  TUTTI_ASSIGN(std::unique_ptr<session::Session> session,
               session::Session::open(options.compare.empty() ? std::move(script) : script,
                                      session_options, streams, &timeline));
  TUTTI_TRY(check_kinds(options.kinds, session->strange_kinds()));
  if (!options.timeline.empty()) TUTTI_TRY(timeline.open(options.timeline, session->start()));
  TUTTI_ASSIGN(const std::vector<expect::Failure> failures,
               run_and_check(*session, expectations, options.session.until));
  note_foreign_pods(*session, streams);
  const bool table = options.format == session::Format::table;
  if (table || options.compare.empty()) print(*session, options, streams);
  TUTTI_TRY(timeline.close());
  if (streams.interrupts.came && streams.interrupts.came()) {
    streams.err << fmt::format("interrupted at {} of virtual time: this is how far it came\n",
                               format_duration(session->elapsed()));
    return ExitCode::failed;
  }
  if (!options.compare.empty()) TUTTI_TRY(print_comparison(script, *session, options, streams));
  if (options.expect.empty()) return ExitCode::done;
  TUTTI_TRY(write_junit(options.junit, options.expect, expectations, failures));
  return report_expectations(failures, expectations, options.expect, streams);
}

}  // namespace

ExitCode run_command(const RunOptions& options, terminal::Streams& streams) {
  const Result<ExitCode> code = run(options, streams);
  if (code.ok()) return *code;
  streams.err << printable_lines(code.error().message) << '\n';
  return exit_code_for(code.error());
}

}  // namespace tutti::cli
