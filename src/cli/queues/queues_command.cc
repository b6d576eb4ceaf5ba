// tutti queues: the quota tree, who waits in it, and when they will begin.
#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "cli/input/cluster_reading.h"
#include "cli/input/file_roles.h"
#include "cli/output/queue_text.h"
#include "cli/output/write_value.h"
#include "cli/queues/queue_commands.h"
#include "explain/document/verdict_value.h"
#include "session/queue_view.h"

namespace tutti::cli {
namespace {

std::string no_queue(const queues::QueueReport& report, const std::string& name) {
  std::vector<std::string_view> known;
  for (const queues::QueueLine& queue : report.queues) known.emplace_back(queue.name);
  const std::string_view meant = nearest_word(name, known);
  return fmt::format("there is no queue '{}'{}", brief_line(name),
                     meant.empty() ? std::string() : fmt::format("; did you mean '{}'?", meant));
}

Status show_queues(QueuesOptions options, const terminal::ProcessEnvironment& surroundings,
                   terminal::Streams& streams) {
  TUTTI_TRY(check_file_roles(options.session, {}, {}));
  if (options.live) {
    TUTTI_TRY(add_cluster(options.access, surroundings, streams.err, options.session.manifests));
  }
  TUTTI_ASSIGN(const std::unique_ptr<session::Session> session,
               session::Session::open(options.session, streams, nullptr));
  TUTTI_TRY(session->run_to_present(options.session.until));
  queues::QueueReport report = session::queue_report(*session);
  if (!options.name.empty()) {
    if (report.find(options.name) == nullptr) {
      return Error{Error::Code::invalid, no_queue(report, options.name)};
    }
    report = queues::part_of(report, options.name);
  }
  TUTTI_TRY(session::foresee_starts(*session, report));
  if (options.format == session::Format::table) {
    streams.out << queues_text(report, streams.layout);
    if (!options.name.empty()) streams.out << '\n' << waiting_text(report, streams.layout);
    return ok_status();
  }
  wire::Document document;
  write_value(explain::walked_value([&](explain::FieldSink& sink) { queues::walk(report, sink); },
                                    document),
              options.format, streams.out);
  return ok_status();
}

}  // namespace

ExitCode queues_command(const QueuesOptions& options,
                        const terminal::ProcessEnvironment& surroundings,
                        terminal::Streams& streams) {
  const Status status = show_queues(options, surroundings, streams);
  if (status.ok()) return ExitCode::done;
  streams.err << printable_lines(status.error().message) << '\n';
  return exit_code_for(status.error());
}

}  // namespace tutti::cli
