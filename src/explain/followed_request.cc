#include "explain/followed_request.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/requests/pending_reason.h"
#include "explain/verdict/text.h"

namespace tutti::explain {
namespace {

using core::Request;
using core::RequestStage;

// One of its pods that has no node; the first by name.
std::optional<core::PodId> waiting_pod(const Sources& sources, const Request& request) {
  std::optional<core::PodId> found;
  const auto name = [&](core::PodId pod) -> const std::string& {
    return sources.cluster.pod(pod).object->meta.name;
  };
  for (const core::PodId pod : request.pods) {
    const core::PodEntry& entry = sources.cluster.pod(pod);
    if (entry.node.valid() || !entry.object->node_name.empty()) continue;
    if (!found || name(pod) < name(*found)) found = pod;
  }
  return found;
}

void set_held(Verdict& verdict, State state, Blocker blocker, std::string summary) {
  verdict.state = state;
  verdict.blocker = blocker;
  verdict.summary = std::move(summary);
}

// "admitted by Kueue at 2026-01-02T14:02:00Z".
std::string admission_text(const Request& request) {
  const model::Condition* admitted = core::true_condition(*request.object, "Admitted");
  if (admitted == nullptr || !admitted->last_transition) return "admitted by Kueue";
  return "admitted by Kueue at " + format_rfc3339(*admitted->last_transition);
}

// Why the tree is not ours although somebody marks it so; empty: nobody does.
std::string missing_text(const core::RequestTable& table, const Request& request) {
  const core::QuotaQueue* queue = table.objects().queue(request.queue);
  if (queue == nullptr) return {};
  const core::QuotaObjects& objects = table.objects();
  const std::string& missing = objects.owner_at(objects.root_of(queue->node)).missing;
  return missing.empty() ? missing : "; this tree of queues is not Tutti's: " + missing;
}

void add_waiting(Verdict& verdict, const core::RequestTable& table, const Request& request) {
  const std::string missing = missing_text(table, request);
  const model::Condition* quota = model::find(request.object->status.conditions, "QuotaReserved");
  if (quota == nullptr) {
    return set_held(verdict, State::waiting, Blocker::quota,
                    "Kueue has not decided about it yet" + missing);
  }
  if (verdict.queue) verdict.queue->reason = quota->reason;
  set_held(verdict, State::waiting, Blocker::quota,
           fmt::format("Kueue says {}: {}{}", quota->reason, quota->message, missing));
}

void add_admitted(Verdict& verdict, const Sources& sources, const core::RequestTable& table,
                  const Request& request) {
  const std::string held = held_text(table, request);
  const std::string said =
      fmt::format("{}, holds {} of quota", admission_text(request), held.empty() ? "none" : held);
  const auto pod = waiting_pod(sources, request);
  if (!pod) return set_held(verdict, State::running, Blocker::none, said);
  Verdict places = explain_pod(sources, *pod);
  places.object = std::move(verdict.object);
  places.queue = std::move(verdict.queue);
  places.summary = said + ", and has no place: " + places.summary;
  verdict = std::move(places);
}

}  // namespace

std::string held_text(const core::RequestTable& table, const Request& request) {
  const quota::FlavorResources& names = table.objects().tree().flavor_resources();
  std::map<std::string, std::int64_t> sums;
  for (const quota::Charge& charge : request.charges) {
    sums[std::string(names.name(names.resource(charge.of)))] += charge.amount;
  }
  std::string text;
  for (const auto& [resource, amount] : sums) {
    if (amount == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ", core::amount_text(resource, amount),
                        resource);
  }
  return text;
}

bool lacks_place(const Sources& sources, const Request& request) {
  return request.stage == RequestStage::admitted && waiting_pod(sources, request).has_value();
}

void add_followed(Verdict& verdict, const Sources& sources, const core::RequestTable& table,
                  const Request& request) {
  switch (request.stage) {
    case RequestStage::waiting:
      if (request.finished) return set_held(verdict, State::running, Blocker::none, "has finished");
      return add_waiting(verdict, table, request);
    case RequestStage::admitted:
      return add_admitted(verdict, sources, table, request);
    case RequestStage::preempting:
    case RequestStage::reserved:
      return set_held(verdict, State::held, Blocker::gated,
                      fmt::format("has quota of queue {} from Kueue and waits for admission checks",
                                  request.queue));
    case RequestStage::releasing:
      return set_held(verdict, State::waiting, Blocker::quota,
                      "was evicted by Kueue and is leaving");
  }
}

}  // namespace tutti::explain
