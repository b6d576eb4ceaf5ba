#include "session/pending_watch.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>

#include "base/check.h"
#include "capacity/report.h"
#include "explain/findings/demand.h"

namespace tutti::session {
namespace {

using Facts = capacity::PendingTime::Facts;
using Reason = capacity::PendingTime::Reason;

// Reads a key from "PodGroup ns/name".
model::ObjectKey key_of(std::string_view entity) {
  const std::size_t blank = entity.find(' ');
  const std::size_t slash = entity.find('/', blank);
  TUTTI_CHECK(blank != std::string_view::npos && slash != std::string_view::npos, entity);
  const std::string_view kind = entity.substr(0, blank);
  model::ObjectKey key;
  key.kind = kind == "Pod"        ? model::Kind::pod
             : kind == "PodGroup" ? model::Kind::pod_group
                                  : model::Kind::composite_pod_group;
  key.ns = entity.substr(blank + 1, slash - blank - 1);
  key.name = entity.substr(slash + 1);
  return key;
}

void add(Facts& facts, std::optional<Instant> created, Instant now) {
  if (!created) return;
  facts.came_last = facts.came_last || *created == now;
}

void add_pod(Facts& facts, const model::Pod& pod, Instant now) {
  add(facts, pod.meta.created, now);
  if (!pod.meta.created) return;
  facts.created = std::min(facts.created.value_or(*pod.meta.created), *pod.meta.created);
}

Facts facts_of_group(const core::Scheduler& scheduler, core::GroupId root, Instant now) {
  Facts facts;
  const core::GroupTable& groups = scheduler.groups();
  const auto waiting = explain::pending_pods(groups, root);
  const auto placed = explain::placed_pods(groups, root);
  for (const auto* pods : {&waiting, &placed}) {
    for (const core::PodId pod : *pods) add_pod(facts, *scheduler.cluster().pod(pod).object, now);
  }
  for (const core::GroupId leaf : explain::leaves_of(groups, root)) {
    if (groups[leaf].seen()) add(facts, groups[leaf].created(), now);
  }
  facts.pods = waiting.empty() ? placed.size() : waiting.size();
  return facts;
}

Facts facts_of(const Session& session, const std::string& entity, Instant now) {
  const model::ObjectKey key = key_of(entity);
  if (key.kind == model::Kind::pod) {
    Facts facts;
    const auto pod = session.objects().find<model::Pod>(key.ns, key.name);
    if (pod) add_pod(facts, *pod, now);
    return facts;
  }
  const bool composite = key.kind == model::Kind::composite_pod_group;
  const auto group = session.scheduler().groups().find(key.ns, key.name, composite);
  return group ? facts_of_group(session.scheduler(), *group, now) : Facts{};
}

// Pods and groups with equal keys wait for the same at one instant. Empty: only a look tells.
std::string likeness(const core::Scheduler& scheduler, core::GroupId group) {
  const core::Group& leaf = scheduler.groups()[group];
  if (leaf.composite || !leaf.seen() || leaf.pending.empty() || leaf.scheduled_count() > 0) {
    return {};
  }
  const core::PodEntry& first = scheduler.cluster().pod(*leaf.pending.begin());
  return fmt::format("{} {} {} {} {}", first.shape.index, leaf.pending.size(),
                     leaf.spec().policy.minimum, leaf.priority(), leaf.spec().topology_key);
}

std::string likeness(const Session& session, const model::ObjectKey& key) {
  const core::Scheduler& scheduler = session.scheduler();
  if (key.kind == model::Kind::pod_group) {
    const auto group = scheduler.groups().find(key.ns, key.name, false);
    return group ? likeness(scheduler, *group) : std::string();
  }
  if (key.kind != model::Kind::pod) return {};
  const auto pod = session.objects().find<model::Pod>(key.ns, key.name);
  const auto id = pod ? scheduler.cluster().pods().find(pod->meta.uid) : std::nullopt;
  if (!id) return {};
  return fmt::format("{} {}", scheduler.cluster().pod(*id).shape.index, pod->priority.value_or(0));
}

}  // namespace

std::optional<Reason> PendingWatch::reason_of(const Session& session, const std::string& entity) {
  const model::ObjectKey key = key_of(entity);
  if (session.objects().get(key) == nullptr) return std::nullopt;
  const std::string alike = likeness(session, key);
  const auto known = reasons_.find(alike);
  if (known != reasons_.end()) return known->second;
  Reason reason = capacity::pending_reason(session.verdict(key));
  if (!alike.empty()) reasons_.emplace(alike, reason);
  return reason;
}

void PendingWatch::follow(Session& session) {
  session.watch([this, &session] {
    if (looked_at_ != session.now()) forget(session.now());
    time_.catch_up(
        [&](const std::string& entity, Instant now) { return facts_of(session, entity, now); },
        [&](const std::string& entity) { return reason_of(session, entity); });
  });
}

// What was found earlier in this instant may have changed by its end.
void PendingWatch::come_to_rest(const Session& session) {
  forget(session.now());
  time_.come_to_rest(
      session.now(),
      [&](const std::string& entity, Instant now) { return facts_of(session, entity, now); },
      [&](const std::string& entity) { return reason_of(session, entity); });
}

void PendingWatch::forget(Instant now) {
  reasons_.clear();
  looked_at_ = now;
}

}  // namespace tutti::session
