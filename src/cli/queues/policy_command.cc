// tutti policy: who may evict whom, as a table, one cell with its reason, or checked.
#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "cli/input/cluster_reading.h"
#include "cli/input/expectation_files.h"
#include "cli/input/file_roles.h"
#include "cli/output/queue_text.h"
#include "cli/output/write_value.h"
#include "cli/queues/queue_commands.h"
#include "explain/document/verdict_value.h"
#include "session/queue_view.h"

namespace tutti::cli {
namespace {

using expect::QueuePriority;

Status only_rights(const expect::Expectations& expectations,
                   const std::vector<std::string>& files) {
  for (const expect::Expectation& each : expectations) {
    if (std::holds_alternative<expect::EvictExpectation>(each.what)) continue;
    return Error{Error::Code::invalid,
                 fmt::format("{}:{}: {}: policy runs nothing; it checks 'evict' alone",
                             files[each.file], each.line, each.title)};
  }
  return ok_status();
}

Status check_queue(const core::QuotaObjects& objects, const char* option,
                   const std::string& queue) {
  if (objects.queue(queue) != nullptr) return ok_status();
  std::vector<std::string_view> known;
  for (const auto& [name, each] : objects.queues()) known.emplace_back(name);
  const std::string_view meant = nearest_word(queue, known);
  return Error{
      Error::Code::invalid,
      fmt::format("{}: there is no ClusterQueue '{}'{}", option, brief_line(queue),
                  meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", meant))};
}

void walk_cell(const QueuePriority& from, const QueuePriority& to, const queues::Right& right,
               const std::string& why, explain::FieldSink& sink) {
  const auto put = [&](std::string_view field, std::string_view text) {
    sink.field(field);
    sink.text(text);
  };
  const auto put_side = [&](std::string_view field, const QueuePriority& side) {
    sink.field(field);
    sink.open_object();
    put("queue", side.queue);
    sink.field("priority");
    sink.number(side.priority);
    sink.close_object();
  };
  sink.open_object();
  put_side("from", from);
  put_side("to", to);
  put("rule", word(right.rule));
  if (right.beyond != queues::Rule::never) put("whenBorrowing", word(right.beyond));
  if (right.only_newer) {
    sink.field("onlyNewer");
    sink.flag(true);
  }
  put("summary", why);
  sink.close_object();
}

Status explain_cell(core::QuotaObjects& objects, const core::QuotaConfig& config,
                    const PolicyOptions& options, terminal::Streams& streams) {
  const QueuePriority from = *expect::parse_queue_priority(options.from);
  const QueuePriority to = *expect::parse_queue_priority(options.to);
  TUTTI_TRY(check_queue(objects, "--from", from.queue));
  TUTTI_TRY(check_queue(objects, "--to", to.queue));
  queues::Rights rights(objects, config);
  const queues::Right right = rights.of(from.queue, from.priority, to.queue, to.priority);
  const std::string why = rights.why(from.queue, from.priority, to.queue, to.priority);
  if (options.format != session::Format::table) {
    wire::Document document;
    const auto fill = [&](explain::FieldSink& sink) { walk_cell(from, to, right, why, sink); };
    write_value(explain::walked_value(fill, document), options.format, streams.out);
    return ok_status();
  }
  const bool never = right.rule == queues::Rule::never;
  const std::string rule =
      never ? std::string("never") : fmt::format("yes, by {}", word(right.rule));
  streams.out << terminal::wrapped(
      fmt::format("{} may evict {}: {}. {}.", from.text(), to.text(), rule, why), 0,
      streams.layout.columns);
  return ok_status();
}

void print(const queues::RightsTable& table, const PolicyOptions& options,
           terminal::Streams& streams) {
  if (options.format == session::Format::table) {
    streams.out << rights_text(table, streams.layout);
    return;
  }
  wire::Document document;
  write_value(
      explain::walked_value([&](explain::FieldSink& sink) { queues::walk(table, sink); }, document),
      options.format, streams.out);
}

Result<ExitCode> show_policy(PolicyOptions options,
                             const terminal::ProcessEnvironment& surroundings,
                             terminal::Streams& streams) {
  TUTTI_TRY(check_file_roles(options.session, options.expect, {}));
  TUTTI_ASSIGN(const expect::Expectations expectations,
               load_expectations(options.expect, streams.in));
  TUTTI_TRY(only_rights(expectations, options.expect));
  if (options.live) {
    TUTTI_TRY(add_cluster(options.access, surroundings, streams.err, options.session.manifests));
  }
  TUTTI_ASSIGN(const std::unique_ptr<session::Session> session,
               session::Session::open(options.session, streams, nullptr));
  TUTTI_TRY(session->run_to_present(options.session.until));
  core::QuotaObjects objects;
  session::add_quota_objects(session->objects(), objects);
  const core::QuotaConfig& config = session->scheduler().broker().requests().config();
  if (!options.from.empty()) {
    TUTTI_TRY(explain_cell(objects, config, options, streams));
  } else {
    print(queues::make_rights(objects, config, session::priorities_of(session->objects())), options,
          streams);
  }
  if (options.expect.empty()) return ExitCode::done;
  const expect::Scene scene = session::scene_of(*session);
  std::vector<expect::Failure> failures;
  for (const expect::Expectation& each : expectations) {
    for (expect::Failure& failure : expect::check(each, scene)) {
      failure.file = each.file;
      failures.push_back(std::move(failure));
    }
  }
  return report_expectations(failures, expectations, options.expect, streams);
}

}  // namespace

ExitCode policy_command(const PolicyOptions& options,
                        const terminal::ProcessEnvironment& surroundings,
                        terminal::Streams& streams) {
  const Result<ExitCode> code = show_policy(options, surroundings, streams);
  if (code.ok()) return *code;
  streams.err << printable_lines(code.error().message) << '\n';
  return exit_code_for(code.error());
}

}  // namespace tutti::cli
