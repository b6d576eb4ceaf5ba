// tutti explain: the verdict of one object after a run.
#include <fmt/format.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "answers/kueue_word.h"
#include "base/text.h"
#include "cli/commands.h"
#include "cli/input/cluster_access.h"
#include "cli/input/cluster_reading.h"
#include "cli/input/exit_code.h"
#include "cli/input/explain_target.h"
#include "cli/input/file_roles.h"
#include "cli/input/live_verdict.h"
#include "cli/output/write_value.h"
#include "core/framework/decision.h"
#include "explain/document/commands.h"
#include "explain/document/verdict_value.h"
#include "explain/verdict/text.h"
#include "model/job.h"
#include "session/session.h"

namespace tutti::cli {
namespace {

std::string page_of(const explain::Verdict& verdict, const terminal::Streams& streams) {
  return terminal::folded(explain::render_text(verdict, explain::commands_of),
                          streams.layout.columns);
}

void print(const explain::Verdict& verdict, session::Format format, terminal::Streams& streams) {
  if (format == session::Format::table) {
    streams.out << page_of(verdict, streams);
    return;
  }
  wire::Document document;
  write_value(verdict_value(verdict, document), format, streams.out);
}

// What is said where nothing is known to come.
std::string_view next_unknown(const explain::Verdict& verdict) {
  if (verdict.state != explain::State::impossible) {
    return "unknown: nothing that runs or is planned is known to let it run";
  }
  return verdict.blocker == explain::Blocker::quota
             ? "never, as long as neither it nor the quota changes"
             : "never, as long as neither it nor the nodes change";
}

// Lets time pass: what else is to be asked of the session was asked before.
Status look_ahead(session::Session& session, const model::ObjectKey& key,
                  explain::Verdict& verdict) {
  const bool waits =
      verdict.state != explain::State::running && verdict.state != explain::State::invalid;
  if (!waits) return ok_status();
  const Millis now = session.elapsed();
  TUTTI_ASSIGN(const std::optional<session::RunForecast> foresight, session.foresee(key));
  if (!foresight) {
    if (verdict.next.empty()) verdict.next = next_unknown(verdict);
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
                      const model::Job& job, terminal::Streams& streams,
                      explain::Verdict& verdict) {
  Evictions evictions;
  TUTTI_ASSIGN(const std::unique_ptr<session::Session> world,
               session::Session::open(script, options.session, streams, &evictions));
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

Status explain_one(const sim::Script& script, session::Session& session,
                   const ExplainOptions& options, const model::ObjectKey& key,
                   terminal::Streams& streams) {
  explain::Verdict verdict = session.verdict(key);
  verdict.ways = session.ways(key);
  verdict.preemption = session.evictions(key);
  verdict.ahead = session.ahead_of(key);
  const auto job =
      key.kind == model::Kind::job ? session.objects().find<model::Job>(key.ns, key.name) : nullptr;
  // Whoever decides about its queue would suspend it again.
  const bool queued = !session.request_of(key).empty() ||
                      (job != nullptr && !answers::kueue_queue_of(job->meta).empty());
  if (job != nullptr && job->suspend && !queued) {
    TUTTI_TRY(add_resume_way(script, options, *job, streams, verdict));
  }
  TUTTI_TRY(look_ahead(session, key, verdict));
  print(verdict, options.format, streams);
  return ok_status();
}

void print_all(const std::vector<explain::Verdict>& verdicts, session::Format format,
               terminal::Streams& streams) {
  if (format == session::Format::table) {
    if (verdicts.empty()) streams.out << "nothing waits\n";
    for (const explain::Verdict& verdict : verdicts) {
      if (&verdict != &verdicts.front()) streams.out << '\n';
      streams.out << page_of(verdict, streams);
    }
    return;
  }
  wire::Document document;
  wire::Value items = wire::Value::array();
  for (const explain::Verdict& verdict : verdicts) {
    items.push_back(document.arena(), verdict_value(verdict, document));
  }
  wire::Value list = wire::Value::object();
  list.set_member(document.arena(), "items", std::move(items));
  write_value(list, format, streams.out);
}

Status explain(ExplainOptions options, const terminal::ProcessEnvironment& surroundings,
               terminal::Streams& streams) {
  ExplainTarget target;
  if (!options.all) {
    TUTTI_ASSIGN(target, parse_target(options.object));
  }
  std::string ns = options.ns.empty() ? "default" : options.ns;
  if (options.live) {
    TUTTI_ASSIGN(const kube::Access access, find_access(options.cluster, {}, surroundings));
    if (options.ns.empty() && !access.ns.empty()) ns = access.ns;
    TUTTI_TRY(add_cluster(options.cluster, surroundings, streams.err, options.session.manifests));
  }
  if (options.session.manifests.none()) {
    TUTTI_ASSIGN(const std::string page, live_verdict(target, options, surroundings));
    streams.out << page;
    return ok_status();
  }
  TUTTI_TRY(check_file_roles(options.session, {}, {}));
  TUTTI_ASSIGN(const sim::Script script, session::load_script(options.session.manifests, streams));
  TUTTI_ASSIGN(std::unique_ptr<session::Session> session,
               session::Session::open(script, options.session, streams, nullptr));
  TUTTI_TRY(session->run_to_present(options.session.until));
  if (options.all) {
    print_all(all_that_wait(*session), options.format, streams);
    return ok_status();
  }
  TUTTI_ASSIGN(const model::ObjectKey key, find_target(*session, target, ns));
  return explain_one(script, *session, options, key, streams);
}

}  // namespace

ExitCode explain_command(const ExplainOptions& options,
                         const terminal::ProcessEnvironment& surroundings,
                         terminal::Streams& streams) {
  const Status status = explain(options, surroundings, streams);
  if (status.ok()) return ExitCode::done;
  streams.err << printable_lines(status.error().message) << '\n';
  return exit_code_for(status.error());
}

}  // namespace tutti::cli
