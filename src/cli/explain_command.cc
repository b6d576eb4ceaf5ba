// tutti explain: the verdict of one object after a run.
#include <fmt/format.h>

#include <memory>
#include <utility>

#include "base/text.h"
#include "cli/cluster_access.h"
#include "cli/cluster_reading.h"
#include "cli/commands.h"
#include "cli/file_roles.h"
#include "cli/kind_names.h"
#include "cli/live_verdict.h"
#include "cli/session.h"
#include "cli/write_value.h"
#include "core/decision.h"
#include "explain/document/verdict_value.h"
#include "explain/text.h"
#include "model/job.h"

namespace tutti::cli {
namespace {

Error misuse(std::string message) { return {Error::Code::invalid, std::move(message)}; }

Result<model::ObjectKey> parse_object(const std::string& text, const std::string& ns) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos || slash + 1 == text.size()) {
    return misuse(fmt::format("'{}' is not of the form KIND/NAME, e.g. podgroup/train", text));
  }
  const std::optional<model::Kind> kind = kind_named(text.substr(0, slash));
  const bool explained =
      kind == model::Kind::pod || kind == model::Kind::job || kind == model::Kind::pod_group ||
      kind == model::Kind::composite_pod_group || kind == model::Kind::resource_claim;
  if (!explained) {
    return misuse(
        fmt::format("'{}' cannot be explained; pod, job, podgroup, compositepodgroup and "
                    "resourceclaim can",
                    text.substr(0, slash)));
  }
  return model::ObjectKey{*kind, ns, text.substr(slash + 1), {}};
}

void print(const explain::Verdict& verdict, Format format, Streams& streams) {
  if (format == Format::table) {
    streams.out << explain::render_text(verdict);
    return;
  }
  wire::Document document;
  write_value(verdict_value(verdict, document), format, streams.out);
}

// Lets time pass: what else is to be asked of the session was asked before.
Status look_ahead(Session& session, const model::ObjectKey& key, explain::Verdict& verdict) {
  const bool waits =
      verdict.state != explain::State::running && verdict.state != explain::State::invalid;
  if (!waits) return ok_status();
  const Millis now = session.elapsed();
  TUTTI_ASSIGN(const std::optional<Foresight> foresight, session.foresee(key));
  if (!foresight) {
    verdict.next = "unknown: nothing that runs or is planned is known to let it run";
    return ok_status();
  }
  verdict.next = text_of(*foresight, now);
  if (verdict.state == explain::State::preempting) return ok_status();
  verdict.ways.insert(verdict.ways.begin(), {"wait", "wait: it runs " + verdict.next});
  return ok_status();
}

class Evictions final : public core::DecisionListener {
 public:
  void decided(const core::Decision& decision) override {
    any_ = any_ || decision.kind == core::Decision::Kind::preempting;
  }
  bool any() const { return any_; }

 private:
  bool any_ = false;
};

// A suspended Job has no pods to rehearse with, so it is resumed in a world of its own.
Status add_resume_way(const sim::Script& script, const ExplainOptions& options,
                      const model::Job& job, Streams& streams, explain::Verdict& verdict) {
  Evictions evictions;
  TUTTI_ASSIGN(const std::unique_ptr<Session> world,
               Session::open(script, options.session, streams, &evictions));
  TUTTI_TRY(world->run_to_present(options.session.until));
  auto resumed = std::make_shared<model::Job>(job);
  resumed->suspend = false;
  const model::ObjectKey key = model::key_of(job);
  world->play({{{world->elapsed(), sim::Action::Verb::update, key, resumed}}, {}});
  TUTTI_TRY(world->run_until(world->elapsed()));
  if (evictions.any() || world->verdict(key).state != explain::State::running) return ok_status();
  const explain::PatchStep step{"replace", "/spec/suspend", explain::Datum::flag(false)};
  verdict.ways.insert(
      verdict.ways.begin(),
      {"resume", "resume it: let spec.suspend be false", {{{{"Job", key.ns, key.name}}, {step}}}});
  return ok_status();
}

Status explain(ExplainOptions options, const Surroundings& surroundings, Streams& streams) {
  TUTTI_ASSIGN(model::ObjectKey key,
               parse_object(options.object, options.ns.empty() ? "default" : options.ns));
  if (options.live) {
    TUTTI_ASSIGN(const kube::Access access, find_access(options.cluster, {}, surroundings));
    if (options.ns.empty() && !access.ns.empty()) key.ns = access.ns;
    TUTTI_TRY(add_cluster(options.cluster, surroundings, streams.err, options.session.manifests));
  }
  if (options.session.manifests.none()) {
    TUTTI_ASSIGN(const std::string page, live_verdict(key, options, surroundings));
    streams.out << page;
    return ok_status();
  }
  TUTTI_TRY(check_file_roles(options.session, {}, {}));
  TUTTI_ASSIGN(const sim::Script script, load_script(options.session.manifests, streams));
  TUTTI_ASSIGN(std::unique_ptr<Session> session,
               Session::open(script, options.session, streams, nullptr));
  TUTTI_TRY(session->run_to_present(options.session.until));
  if (!session->knows(key)) {
    return Error{Error::Code::not_found,
                 fmt::format("there is no {} at {} (-n sets the namespace)", model::describe(key),
                             format_duration(session->elapsed()))};
  }
  explain::Verdict verdict = session->verdict(key);
  verdict.ways = session->ways(key);
  verdict.preemption = session->evictions(key);
  const auto job = key.kind == model::Kind::job
                       ? session->objects().find<model::Job>(key.ns, key.name)
                       : nullptr;
  if (job != nullptr && job->suspend) {
    TUTTI_TRY(add_resume_way(script, options, *job, streams, verdict));
  }
  TUTTI_TRY(look_ahead(*session, key, verdict));
  print(verdict, options.format, streams);
  return ok_status();
}

}  // namespace

ExitCode explain_command(const ExplainOptions& options, const Surroundings& surroundings,
                         Streams& streams) {
  const Status status = explain(options, surroundings, streams);
  if (status.ok()) return ExitCode::done;
  streams.err << printable_lines(status.error().message) << '\n';
  return exit_code_for(status.error());
}

}  // namespace tutti::cli
