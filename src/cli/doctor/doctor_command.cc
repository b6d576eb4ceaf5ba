// tutti doctor: what in a configuration cannot work, or is not used.
#include <fmt/format.h>

#include <memory>

#include "base/text.h"
#include "cli/doctor/doctor_command.h"
#include "cli/doctor/doctor_text.h"
#include "cli/input/cluster_reading.h"
#include "cli/input/explain_target.h"
#include "cli/input/file_roles.h"
#include "cli/output/write_value.h"
#include "doctor/examination.h"
#include "explain/document/verdict_value.h"
#include "session/session.h"
#include "session/work/work_verdict.h"

namespace tutti::cli {
namespace {

// Everything that says who may have quota, before anybody has it.
core::QuotaObjects quota_objects(const store::Store& objects) {
  core::QuotaObjects quota;
  for (std::size_t kind = 0; kind < model::kKindCount; ++kind) {
    if (!core::QuotaObjects::concerns(static_cast<model::Kind>(kind))) continue;
    for (const model::ObjectPtr& object : objects.objects(static_cast<model::Kind>(kind))) {
      quota.set(object);
    }
  }
  return quota;
}

std::vector<doctor::Finding> examine(session::Session& session, bool copied) {
  core::QuotaObjects quota = quota_objects(session.objects());
  return doctor::examine(
      {.objects = session.objects(),
       .scheduler = session.scheduler(),
       .quota = quota,
       .waiting = all_that_wait(session),
       .is_foreign = [&](const model::Pod& pod) { return session.is_foreign(pod); },
       .work_of =
           [&](const model::Object& made) {
             const model::ObjectPtr work = session::work_above(session.objects(), made);
             return session::name_of_work(work ? *work : made);
           },
       .copied = copied});
}

void print(std::span<const doctor::Finding> findings, session::Format format,
           terminal::Streams& streams) {
  if (format == session::Format::table) {
    streams.out << doctor_text(findings, streams.layout);
    return;
  }
  wire::Document document;
  write_value(explain::walked_value([&](explain::FieldSink& sink) { doctor::walk(findings, sink); },
                                    document),
              format, streams.out);
}

Result<ExitCode> diagnose(DoctorOptions options, const terminal::ProcessEnvironment& surroundings,
                          terminal::Streams& streams) {
  TUTTI_TRY(check_file_roles(options.session, {}, {}));
  if (options.live) {
    TUTTI_TRY(add_cluster(options.access, surroundings, streams.err, options.session.manifests));
  }
  TUTTI_ASSIGN(const sim::Script script, session::load_script(options.session.manifests, streams));
  const bool copied = script.taken_at.has_value();
  TUTTI_ASSIGN(const std::unique_ptr<session::Session> session,
               session::Session::open(script, options.session, streams, nullptr));
  TUTTI_TRY(session->run_to_present(options.session.until));
  const std::vector<doctor::Finding> findings = examine(*session, copied);
  print(findings, options.format, streams);
  if (options.fail_on.empty()) return ExitCode::done;
  const doctor::Severity bound = *doctor::severity_of(options.fail_on);
  const bool any = !findings.empty() && findings.front().severity <= bound;
  return any ? ExitCode::unexpected : ExitCode::done;
}

}  // namespace

ExitCode doctor_command(const DoctorOptions& options,
                        const terminal::ProcessEnvironment& surroundings,
                        terminal::Streams& streams) {
  const Result<ExitCode> code = diagnose(options, surroundings, streams);
  if (code.ok()) return *code;
  streams.err << printable_lines(code.error().message) << '\n';
  return exit_code_for(code.error());
}

}  // namespace tutti::cli
