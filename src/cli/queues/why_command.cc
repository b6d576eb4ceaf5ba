// tutti why: the record of what was decided about something, after a run.
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
#include "expect/work.h"
#include "explain/document/verdict_value.h"
#include "model/group.h"
#include "queues/decision_record.h"
#include "session/queue_view.h"

namespace tutti::cli {
namespace {

// What was typed, "KIND/NAME" or "NAME"; the kind in lower case.
struct Words {
  std::string kind;
  std::string name;
};

Words split(const std::string& text) {
  const std::size_t slash = text.find('/');
  if (slash == std::string::npos) return {{}, text};
  Words words{text.substr(0, slash), text.substr(slash + 1)};
  std::ranges::transform(words.kind, words.kind.begin(),
                         [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
  return words;
}

bool names_requests(const std::string& kind) {
  return kind == "kwl" || is_name_or_plural(kind, "Workload");
}

// The request that is meant: the Workload, or the one made for what people name; null: there is
// none.
const queues::RequestLine* find_request(const queues::QueueReport& report, const std::string& text,
                                        const std::string& ns) {
  const Words words = split(text);
  const std::string name = ns + "/" + words.name;
  for (const queues::RequestLine& line : report.requests) {
    const std::string_view object = line.object;
    const std::string_view kind = object.substr(0, object.find(' '));
    const bool any = words.kind.empty();
    if (line.name == name && (any || names_requests(words.kind))) return &line;
    if (object.substr(kind.size() + 1) == name && (any || is_name_or_plural(words.kind, kind))) {
      return &line;
    }
  }
  return nullptr;
}

// The root of the groups that a pod or group is in, as decisions name it.
std::string root_of(const store::Store& objects, const std::string& ns, const std::string& group) {
  std::string entity = fmt::format("PodGroup {}/{}", ns, group);
  const auto leaf = objects.find<model::PodGroup>(ns, group);
  std::string parent = leaf != nullptr ? leaf->parent : std::string();
  // Trees are shallow; the bound ends the walk in a cycle.
  for (int level = 0; level < 8 && !parent.empty(); ++level) {
    const auto above = objects.find<model::CompositePodGroup>(ns, parent);
    if (above == nullptr) break;
    entity = fmt::format("CompositePodGroup {}/{}", ns, parent);
    parent = above->parent;
  }
  return entity;
}

void add_pod(const store::Store& objects, const model::Pod& pod, queues::Placing& into) {
  const std::string name = pod.meta.ns + "/" + pod.meta.name;
  const std::string& group = pod.spec->scheduling_group;
  into.pods.insert(name);
  into.entities.insert(group.empty() ? "Pod " + name : root_of(objects, pod.meta.ns, group));
}

// Pods, groups, and what pods are made of, where no queue rules.
Result<queues::Why> answer_without_queue(const session::Session& session,
                                         const queues::DecisionRecord& record,
                                         const WhyOptions& options) {
  TUTTI_ASSIGN(const ExplainTarget target, parse_target(options.object));
  TUTTI_ASSIGN(const model::ObjectKey key, find_target(session, target, options.ns));
  const store::Store& objects = session.objects();
  queues::Placing placing{.entities = {}, .pods = {}, .state = session.standing(key).state};
  if (key.kind == model::Kind::pod) {
    add_pod(objects, *objects.find<model::Pod>(key.ns, key.name), placing);
  } else if (key.kind == model::Kind::pod_group) {
    placing.entities.insert(root_of(objects, key.ns, key.name));
    for (const auto& object : objects.objects(model::Kind::pod)) {
      const auto& pod = model::as<model::Pod>(*object);
      const bool member = pod.meta.ns == key.ns && pod.spec->scheduling_group == key.name;
      if (member) placing.pods.insert(pod.meta.ns + "/" + pod.meta.name);
    }
  } else if (key.kind == model::Kind::composite_pod_group) {
    placing.entities.insert(fmt::format("CompositePodGroup {}/{}", key.ns, key.name));
  } else if (const auto work = objects.get(key)) {
    for (const model::Pod* pod : expect::pods_made_of(objects, *work)) {
      add_pod(objects, *pod, placing);
    }
  }
  return queues::why(record, placing, explain::text_of(session.verdict(key).object));
}

Result<queues::Why> answer(const session::Session& session, const queues::DecisionRecord& record,
                           const queues::QueueReport& report, const WhyOptions& options) {
  const queues::RequestLine* asked = find_request(report, options.object, options.ns);
  const bool of_request = !options.other.empty() || names_requests(split(options.object).kind);
  if (asked == nullptr && !of_request) return answer_without_queue(session, record, options);
  const queues::RequestLine* other =
      options.other.empty() ? nullptr : find_request(report, options.other, options.ns);
  const bool other_missing = other == nullptr && !options.other.empty();
  if (asked == nullptr || other_missing) {
    return Error{Error::Code::invalid,
                 fmt::format("no request of a queue is, or was made for, '{}' in namespace {}",
                             brief_line(asked == nullptr ? options.object : options.other),
                             brief_line(options.ns))};
  }
  const core::RequestTable& table = session.scheduler().broker().requests();
  const std::string entity = "Workload " + asked->name;
  queues::Why why = queues::why(record, table, entity, asked->object);
  if (other == nullptr) return why;
  why.other = other->object;
  why.difference = queues::difference(record, table, entity, "Workload " + other->name);
  return why;
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
  record.follow(session->scheduler().broker().requests());
  TUTTI_TRY(session->run_to_present(options.session.until));
  const queues::QueueReport report = session::queue_report(*session);
  TUTTI_ASSIGN(const queues::Why why, answer(*session, record, report, options));
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
