// tutti why: the record of what was decided about a request, after a run.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <memory>

#include "base/text.h"
#include "cli/input/cluster_reading.h"
#include "cli/input/explain_target.h"
#include "cli/input/file_roles.h"
#include "cli/output/kind_names.h"
#include "cli/output/write_value.h"
#include "cli/queues/queue_commands.h"
#include "explain/document/verdict_value.h"
#include "queues/decision_record.h"
#include "session/queue_view.h"

namespace tutti::cli {
namespace {

// The request that is meant: the Workload, or the one made for what people name.
Result<queues::RequestLine> find_request(const queues::QueueReport& report,
                                         const std::string& words, const std::string& ns) {
  TUTTI_ASSIGN(const ExplainTarget target, parse_target(words));
  const std::string name = ns + "/" + target.name;
  std::string word = target.kind;
  std::ranges::transform(word, word.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  const auto is_meant = [&](std::string_view object) {
    const std::string_view kind = object.substr(0, object.find(' '));
    return object.substr(kind.size() + 1) == name &&
           (word.empty() || is_name_or_plural(word, kind) || (kind == "Workload" && word == "kwl"));
  };
  std::vector<std::string_view> known;
  for (const queues::RequestLine& line : report.requests) {
    if (is_meant(line.object) || is_meant("Workload " + line.name)) return line;
    known.emplace_back(line.name);
  }
  const std::string_view meant = nearest_word(name, known);
  return Error{
      Error::Code::invalid,
      fmt::format("no request of a queue is, or was made for, {} '{}'{}",
                  target.kind.empty() ? "anything named" : brief_line(target.kind),
                  brief_line(name),
                  meant.empty() ? std::string() : fmt::format("; did you mean {}?", meant))};
}

Status tell_why(WhyOptions options, const terminal::ProcessEnvironment& surroundings,
                terminal::Streams& streams) {
  TUTTI_TRY(check_file_roles(options.session, {}, {}));
  if (options.live) {
    TUTTI_TRY(add_cluster(options.access, surroundings, streams.err, options.session.manifests));
  }
  queues::DecisionRecord record;
  TUTTI_ASSIGN(const std::unique_ptr<session::Session> session,
               session::Session::open(options.session, streams, &record));
  const core::RequestTable& table = session->scheduler().broker().requests();
  record.follow(table);
  TUTTI_TRY(session->run_to_present(options.session.until));
  const queues::QueueReport report = session::queue_report(*session);
  TUTTI_ASSIGN(const queues::RequestLine asked, find_request(report, options.object, options.ns));
  const std::string entity = "Workload " + asked.name;
  queues::Why why = queues::why(record, table, entity, asked.object);
  if (!options.other.empty()) {
    TUTTI_ASSIGN(const queues::RequestLine other, find_request(report, options.other, options.ns));
    why.other = other.object;
    why.difference = queues::difference(record, table, entity, "Workload " + other.name);
  }
  if (options.format == session::Format::table) {
    streams.out << terminal::wrapped(queues::text_of(why, session->start()), 0,
                                     streams.layout.columns);
    if (!why.other.empty()) {
      streams.out << terminal::wrapped(fmt::format("Not {}: {}.", why.other, why.difference), 0,
                                       streams.layout.columns);
    }
    return ok_status();
  }
  wire::Document document;
  const auto fill = [&](explain::FieldSink& sink) { queues::walk(why, session->start(), sink); };
  write_value(explain::walked_value(fill, document), options.format, streams.out);
  return ok_status();
}

}  // namespace

ExitCode why_command(const WhyOptions& options, const terminal::ProcessEnvironment& surroundings,
                     terminal::Streams& streams) {
  const Status status = tell_why(options, surroundings, streams);
  if (status.ok()) return ExitCode::done;
  streams.err << printable_lines(status.error().message) << '\n';
  return exit_code_for(status.error());
}

}  // namespace tutti::cli
