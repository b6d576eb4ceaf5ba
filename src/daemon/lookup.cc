#include "daemon/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>

#include "devices/picture.h"
#include "explain/demand.h"

namespace tutti::daemon {
namespace {

using core::GroupId;
using core::PodEntry;
using core::PodId;
using explain::Sources;
using explain::Verdict;
using model::Kind;

constexpr Kind kExplained[] = {Kind::pod, Kind::job, Kind::pod_group, Kind::composite_pod_group,
                               Kind::resource_claim};

bool same_letters(std::string_view left, std::string_view right) {
  const auto lower = [](char letter) {
    return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
  };
  return std::ranges::equal(left, right, {}, lower, lower);
}

template <typename Each>
void for_each_pod(const core::Cluster& cluster, const Each& each) {
  for (std::uint32_t slot = 0; slot < cluster.pod_slots(); ++slot) {
    if (cluster.pod(PodId{slot}).object != nullptr) each(PodId{slot}, cluster.pod(PodId{slot}));
  }
}

bool is_of_job(const model::Pod& pod, std::string_view job) {
  return std::ranges::any_of(pod.meta.owners, [&](const model::OwnerReference& owner) {
    // Other projects have a kind Job, too.
    return owner.controller && owner.kind == "Job" && owner.api_version.starts_with("batch/") &&
           owner.name == job;
  });
}

std::optional<PodId> find_pod(const core::Cluster& cluster, std::string_view ns,
                              std::string_view name) {
  std::optional<PodId> found;
  for_each_pod(cluster, [&](PodId id, const PodEntry& pod) {
    if (pod.object->meta.ns == ns && pod.object->meta.name == name) found = id;
  });
  return found;
}

struct JobPods {
  std::optional<PodId> spokesman;  // of those that wait, or else of all, the first by name
  std::size_t running = 0;
  std::size_t all = 0;
};

JobPods pods_of_job(const core::Cluster& cluster, std::string_view ns, std::string_view job) {
  JobPods found;
  const auto rank = [&](PodId id) {
    const PodEntry& pod = cluster.pod(id);
    return std::tuple(!waits(pod), std::string_view(pod.object->meta.name));
  };
  for_each_pod(cluster, [&](PodId id, const PodEntry& pod) {
    if (pod.object->meta.ns != ns || !is_of_job(*pod.object, job)) return;
    ++found.all;
    if (!waits(pod)) ++found.running;
    if (!found.spokesman || rank(id) < rank(*found.spokesman)) found.spokesman = id;
  });
  return found;
}

Finding about_pod(const Sources& sources, PodId pod) {
  Finding found{explain_pod(sources, pod)};
  if (waits(sources.cluster.pod(pod))) found.asker = whatif::Asker{pod, {}};
  return found;
}

Finding about_group(const Sources& sources, GroupId group) {
  Finding found{explain_group(sources, group)};
  const auto waiting = explain::pending_pods(sources.groups, group);
  if (!waiting.empty()) found.asker = whatif::Asker{waiting.front(), group};
  return found;
}

std::optional<Finding> about_job(const Sources& sources, std::string_view ns,
                                 std::string_view name) {
  const JobPods pods = pods_of_job(sources.cluster, ns, name);
  if (!pods.spokesman) return std::nullopt;
  const model::Pod& pod = *sources.cluster.pod(*pods.spokesman).object;
  const auto group = sources.groups.find(pod.meta.ns, pod.spec->scheduling_group, false);
  const bool grouped = group && sources.groups[*group].seen();
  Finding found = grouped ? about_group(sources, *group) : about_pod(sources, *pods.spokesman);
  if (!grouped && found.asker) {
    found.asker->whole = true;
    found.verdict.summary = of_job(pods.running, pods.all, found.verdict.summary);
  }
  found.verdict.object = {"Job", std::string(ns), std::string(name)};
  return found;
}

}  // namespace

std::string of_job(std::size_t running, std::size_t pods, const std::string& said_of_pod) {
  if (pods == 1) return said_of_pod;
  return fmt::format("{} of {} pods run; {}", running, pods, said_of_pod);
}

bool waits(const PodEntry& pod) { return !pod.node.valid() && pod.object->node_name.empty(); }

std::optional<Kind> explained_kind(std::string_view word) {
  for (const Kind kind : kExplained) {
    const model::KindFacts& facts = model::facts(kind);
    if (same_letters(word, facts.name) || same_letters(word, facts.plural)) return kind;
  }
  return std::nullopt;
}

std::optional<Finding> find_verdict(const Sources& sources, Kind kind, std::string_view ns,
                                    std::string_view name) {
  if (kind == Kind::pod_group || kind == Kind::composite_pod_group) {
    const auto group = sources.groups.find(ns, name, kind == Kind::composite_pod_group);
    if (!group) return std::nullopt;
    return about_group(sources, *group);
  }
  if (kind == Kind::resource_claim) {
    if (!sources.cluster.devices().find_claim(ns, name).valid()) return std::nullopt;
    return Finding{explain_claim(sources, std::string(ns), std::string(name))};
  }
  if (kind == Kind::job) return about_job(sources, ns, name);
  const auto pod = find_pod(sources.cluster, ns, name);
  if (!pod) return std::nullopt;
  return about_pod(sources, *pod);
}

std::vector<Waiter> waiters(const Sources& sources) {
  std::set<GroupId> groups;
  std::vector<Waiter> all;
  for_each_pod(sources.cluster, [&](PodId id, const PodEntry& pod) {
    if (!waits(pod)) return;
    const auto& group = pod.object->spec->scheduling_group;
    const auto leaf = sources.groups.find(pod.object->meta.ns, group, false);
    if (!group.empty() && leaf) {
      groups.insert(sources.groups.root_of(*leaf).value_or(*leaf));
    } else {
      all.push_back({{}, id});
    }
  });
  for (const GroupId group : groups) all.push_back({group, {}});
  return all;
}

explain::ObjectName name_of(const Sources& sources, const Waiter& waiter) {
  if (!waiter.group.valid()) {
    const auto& meta = sources.cluster.pod(waiter.pod).object->meta;
    return {"Pod", meta.ns, meta.name};
  }
  const core::Group& group = sources.groups[waiter.group];
  return {group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name};
}

Verdict verdict_of(const Sources& sources, const Waiter& waiter) {
  return waiter.group.valid() ? explain_group(sources, waiter.group)
                              : explain_pod(sources, waiter.pod);
}

}  // namespace tutti::daemon
