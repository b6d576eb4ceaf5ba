#include "session/queue_view.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/requests/pod_set_amounts.h"
#include "model/cluster.h"
#include "model/quota.h"
#include "session/run_forecast.h"

namespace tutti::session {
namespace {

using queues::QueueLine;
using queues::QueueReport;
using queues::RequestLine;
using queues::Start;

const core::RequestTable& table_of(const Session& session) {
  return session.scheduler().broker().requests();
}

// What the pods that have a node ask for, and how many wait.
QueueReport report_by_namespace(const Session& session) {
  std::map<std::string, std::pair<QueueLine, std::map<std::string, std::int64_t>>> lines;
  for (const auto& object : session.objects().objects(model::Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    if (pod.terminal()) continue;
    auto& [line, used] = lines[pod.meta.ns];
    if (pod.node_name.empty()) {
      ++line.waiting;
      continue;
    }
    ++line.admitted;
    model::PodSet set;
    set.pods.spec = pod.spec;
    for (const auto& [resource, amount] :
         core::amounts_of_pod(set, pod.meta.ns, table_of(session).config())) {
      used[resource] += amount;
    }
  }
  QueueReport report;
  for (auto& [ns, made] : lines) {
    QueueLine& line = made.first;
    line.kind = QueueLine::Kind::ns;
    line.name = ns;
    for (const auto& [resource, amount] : made.second) {
      line.resources.push_back({.flavor = {}, .resource = resource, .used = amount});
    }
    report.queues.push_back(std::move(line));
  }
  return report;
}

// Whether no change of what others use could help.
bool is_hopeless(const RequestLine& request) {
  return request.reason == core::word(core::Waits::exceeds_max_quota) ||
         request.reason == core::word(core::Waits::no_matching_flavor) ||
         request.reason == core::word(core::Waits::misconfigured);
}

bool holds_places(const RequestLine& request) {
  return request.reason == core::word(core::Waits::for_preempted) ||
         request.reason == "WaitingForAdmissionChecks";
}

std::vector<expect::FlavorAmount> amounts_of(const QueueLine& line,
                                             std::int64_t queues::FlavorFigures::*which) {
  std::vector<expect::FlavorAmount> out;
  for (const queues::FlavorFigures& figures : line.resources) {
    out.push_back(
        {figures.flavor, figures.resource, core::quantity_of(figures.resource, figures.*which)});
  }
  return out;
}

}  // namespace

QueueReport queue_report(const Session& session) {
  const core::RequestTable& table = table_of(session);
  if (!table.objects().has_queues() && table.empty()) return report_by_namespace(session);
  return queues::make_report(table, session.now());
}

Status foresee_starts(Session& session, QueueReport& report) {
  std::map<std::string, std::size_t> open;  // by name of the request
  for (std::size_t i = 0; i < report.requests.size(); ++i) {
    if (report.requests[i].state == "Pending") open[report.requests[i].name] = i;
  }
  if (open.empty()) return ok_status();
  RunForecasts omens(session.objects(), {}, session.expect_ends());
  session.listen([&](const store::WatchEvent& event) {
    omens.observe(event, session.now());
    const auto* request = model::try_as<model::AdmissionRequest>(event.object());
    if (request == nullptr || !model::has_condition(*request, "Admitted")) return;
    const auto at = open.find(request->meta.ns + "/" + request->meta.name);
    if (at == open.end()) return;
    const bool certain = omens.bases().empty();
    report.requests[at->second].start = {certain ? Start::Kind::certain : Start::Kind::estimate,
                                         session.elapsed()};
    open.erase(at);
  });
  const Status status = session.run_ahead([&] { return open.empty(); });
  session.listen({});
  for (const auto& [name, index] : open) {
    RequestLine& request = report.requests[index];
    request.start = {is_hopeless(request)    ? Start::Kind::never
                     : holds_places(request) ? Start::Kind::reserved
                                             : Start::Kind::not_known,
                     std::nullopt};
  }
  return status;
}

void add_quota_objects(const store::Store& objects, core::QuotaObjects& into) {
  for (const model::Kind kind :
       {model::Kind::resource_flavor, model::Kind::cohort, model::Kind::cluster_queue}) {
    for (const auto& object : objects.objects(kind)) into.set(object);
  }
}

std::vector<std::int64_t> priorities_of(const store::Store& objects) {
  std::set<std::int64_t> found = {0};
  for (const auto& object : objects.objects(model::Kind::workload_priority_class)) {
    found.insert(model::as<model::WorkloadPriorityClass>(*object).value);
  }
  for (const auto& object : objects.objects(model::Kind::priority_class)) {
    found.insert(model::as<model::PriorityClass>(*object).value);
  }
  for (const auto& object : objects.objects(model::Kind::admission_request)) {
    found.insert(core::effective_priority(model::as<model::AdmissionRequest>(*object)));
  }
  return {found.begin(), found.end()};
}

std::optional<expect::QueueStanding> queue_standing(const Session& session,
                                                    const std::string& name) {
  const QueueReport report = queues::make_report(table_of(session), session.now());
  const QueueLine* line = report.find(name);
  if (line == nullptr) return std::nullopt;
  expect::QueueStanding out;
  out.used = amounts_of(*line, &queues::FlavorFigures::used);
  out.borrowed = amounts_of(*line, &queues::FlavorFigures::borrowed);
  out.admitted = static_cast<std::int64_t>(line->admitted);
  out.pending = static_cast<std::int64_t>(line->waiting);
  if (line->head) {
    const std::string& object = report.requests[*line->head].object;
    out.head = object.substr(object.find(' ') + 1);
  }
  return out;
}

std::optional<expect::RequestStanding> request_standing(const Session& session,
                                                        const expect::ObjectName& name) {
  const QueueReport report = queues::make_report(table_of(session), session.now());
  const RequestLine* line = report.find_request(name.text());
  if (line == nullptr) return std::nullopt;
  expect::RequestStanding out;
  out.state = line->state;
  out.reason = line->reason;
  out.summary = queues::wait_text(*line);
  out.queue = line->cluster_queue;
  for (const queues::SetLine& set : line->sets) {
    out.flavors.insert(out.flavors.end(), set.flavors.begin(), set.flavors.end());
  }
  out.position = static_cast<std::int64_t>(line->position);
  return out;
}

expect::EvictionRight eviction_right(const Session& session,
                                     const expect::EvictExpectation& asked) {
  core::QuotaObjects objects;
  add_quota_objects(session.objects(), objects);
  for (const auto* side : {&asked.from, &asked.to}) {
    if (objects.queue(side->queue) == nullptr) {
      return {fmt::format("there is no ClusterQueue {}", side->queue), {}};
    }
  }
  queues::Rights rights(objects, table_of(session).config());
  const queues::Right right =
      rights.of(asked.from.queue, asked.from.priority, asked.to.queue, asked.to.priority);
  return {{}, std::string(queues::word(right.rule))};
}

}  // namespace tutti::session
