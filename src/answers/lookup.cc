#include "answers/lookup.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "base/text.h"
#include "controllers/dependents.h"
#include "devices/device_state.h"
#include "explain/findings/demand.h"
#include "grouping/owner_kinds.h"

namespace tutti::answers {
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
  for (std::uint32_t slot = 0; slot < cluster.pods().slots(); ++slot) {
    if (cluster.pod(PodId{slot}).object != nullptr) each(PodId{slot}, cluster.pod(PodId{slot}));
  }
}

// Kinds of which pods are made, as people type them. Other projects have a kind Job, too.
struct WorkKind {
  std::string_view api_group;
  std::string_view kind;
  std::string_view plural;
  std::string_view short_name;
};
constexpr WorkKind kWorks[] = {
    {"jobset.x-k8s.io", "JobSet", "jobsets", "jobset"},
    {"leaderworkerset.x-k8s.io", "LeaderWorkerSet", "leaderworkersets", "lws"},
    {"ray.io", "RayCluster", "rayclusters", "raycluster"},
    {"ray.io", "RayJob", "rayjobs", "rayjob"},
    {"trainer.kubeflow.org", "TrainJob", "trainjobs", "trainjob"},
    {"kubeflow.org", "PyTorchJob", "pytorchjobs", "pytorchjob"},
    {"kubeflow.org", "TFJob", "tfjobs", "tfjob"},
    {"kubeflow.org", "MPIJob", "mpijobs", "mpijob"},
    {"kubeflow.org", "XGBoostJob", "xgboostjobs", "xgboostjob"},
    {"kubeflow.org", "PaddleJob", "paddlejobs", "paddlejob"},
    {"apps", "Deployment", "deployments", "deploy"},
    {"apps", "StatefulSet", "statefulsets", "sts"},
    {"apps", "ReplicaSet", "replicasets", "rs"},
    {"apps", "DaemonSet", "daemonsets", "ds"},
    {"batch", "CronJob", "cronjobs", "cj"},
    {"batch", "Job", "jobs", "job"},
    {"batch.volcano.sh", "Job", "jobs", "vcjob"},
};

bool is_owned_by(const model::ObjectMeta& meta, const WorkKind& work, std::string_view name) {
  return std::ranges::any_of(meta.owners, [&](const model::OwnerReference& owner) {
    return owner.controller && owner.kind == work.kind && owner.name == name &&
           controllers::api_group_of(owner.api_version) == work.api_group;
  });
}

// Whether a CronJob of that name makes Jobs that are called so: by the minute that they are for. No
// scheduler watches Jobs to see who controls them.
bool is_job_of_cron(std::string_view job, std::string_view cron) {
  constexpr std::size_t kDigitsMin = 8;  // of a minute since 1970
  if (!job.starts_with(cron) || job.size() <= cron.size() + kDigitsMin) return false;
  const std::string_view minute = job.substr(cron.size() + 1);
  return job[cron.size()] == '-' &&
         minute.find_first_not_of("0123456789") == std::string_view::npos;
}

bool is_made_by_cron(const model::Pod& pod, std::string_view name) {
  return std::ranges::any_of(pod.meta.owners, [&](const model::OwnerReference& owner) {
    return owner.controller && owner.kind == "Job" && is_job_of_cron(owner.name, name);
  });
}

// Whether the pod was made of the object: by itself, by a ReplicaSet or a Job of it, or by the set
// of replicas behind a LeaderWorkerSet, which labels its pods.
bool is_made_of(const core::Cluster& cluster, const model::Pod& pod, const WorkKind& work,
                std::string_view name) {
  if (is_owned_by(pod.meta, work, name)) return true;
  if (work.kind == "CronJob") return is_made_by_cron(pod, name);
  if (work.kind == "LeaderWorkerSet") {
    const std::string* set = model::find(pod.meta.labels, "leaderworkerset.sigs.k8s.io/name");
    return set != nullptr && *set == name;
  }
  if (work.kind != "Deployment") return false;
  return std::ranges::any_of(pod.meta.owners, [&](const model::OwnerReference& owner) {
    if (!owner.controller || owner.kind != "ReplicaSet") return false;
    const auto* set = cluster.find_object({Kind::replica_set, pod.meta.ns, owner.name, {}});
    return set != nullptr && is_owned_by(set->meta, work, name);
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

JobPods pods_of_work(const core::Cluster& cluster, const WorkKind& work, std::string_view ns,
                     std::string_view name) {
  JobPods found;
  const auto rank = [&](PodId id) {
    const PodEntry& pod = cluster.pod(id);
    return std::tuple(!waits(pod), std::string_view(pod.object->meta.name));
  };
  for_each_pod(cluster, [&](PodId id, const PodEntry& pod) {
    if (pod.object->meta.ns != ns || !is_made_of(cluster, *pod.object, work, name)) return;
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

// The group of all pods of the work: that in memory which is called by it, or else the pod's own.
std::optional<GroupId> group_of_work(const Sources& sources, const WorkKind& work,
                                     std::string_view ns, std::string_view name,
                                     const model::Pod& pod) {
  for (const grouping::OwnerKind& kind : grouping::owner_kinds()) {
    if (kind.kind != work.kind || kind.api_group != work.api_group) continue;
    const auto known = fmt::format("{}:{}", kind.prefix, name);
    for (const bool composite : {true, false}) {
      const auto group = sources.groups.find(ns, known, composite);
      if (group && sources.groups[*group].seen()) return group;
    }
  }
  const auto own = sources.groups.find(pod.meta.ns, pod.spec->scheduling_group, false);
  if (!own || !sources.groups[*own].seen()) return std::nullopt;
  // Jobs are one group of a JobSet; everything else is all of its tree.
  if (work.kind == "Job" || work.kind == "CronJob") return own;
  return sources.groups.root_of(*own).value_or(*own);
}

std::optional<Finding> about_work(const Sources& sources, const WorkKind& work, std::string_view ns,
                                  std::string_view name) {
  const JobPods pods = pods_of_work(sources.cluster, work, ns, name);
  if (!pods.spokesman) return std::nullopt;
  const model::Pod& pod = *sources.cluster.pod(*pods.spokesman).object;
  const auto group = group_of_work(sources, work, ns, name, pod);
  const bool grouped = group.has_value();
  Finding found = grouped ? about_group(sources, *group) : about_pod(sources, *pods.spokesman);
  if (!grouped && found.asker) {
    found.asker->whole = true;
    found.verdict.summary = of_job(pods.running, pods.all, found.verdict.summary);
  }
  found.verdict.object = {std::string(work.kind), std::string(ns), std::string(name)};
  return found;
}

bool is_word_for(const WorkKind& work, std::string_view word) {
  return same_letters(word, work.kind) || same_letters(word, work.plural) ||
         same_letters(word, work.short_name);
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
  if (kind == Kind::job) return find_work(sources, "job", ns, name);
  const auto pod = find_pod(sources.cluster, ns, name);
  if (!pod) return std::nullopt;
  return about_pod(sources, *pod);
}

bool names_work(std::string_view word) {
  return std::ranges::any_of(kWorks, [&](const WorkKind& work) { return is_word_for(work, word); });
}

std::optional<Finding> find_work(const Sources& sources, std::string_view word, std::string_view ns,
                                 std::string_view name) {
  for (const WorkKind& work : kWorks) {
    if (!word.empty() && !is_word_for(work, word)) continue;
    if (auto found = about_work(sources, work, ns, name)) return found;
  }
  return std::nullopt;
}

std::optional<Finding> find_any(const Sources& sources, std::string_view ns,
                                std::string_view name) {
  if (auto found = find_work(sources, {}, ns, name)) return found;
  for (const Kind kind :
       {Kind::composite_pod_group, Kind::pod_group, Kind::pod, Kind::resource_claim}) {
    if (auto found = find_verdict(sources, kind, ns, name)) return found;
  }
  return std::nullopt;
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

namespace {

// A group in memory goes by what it is made of: nobody has an object of its own name.
explain::ObjectName people_name(const core::Group& group) {
  const std::size_t colon = group.name.find(':');
  if (grouping::is_memory_group(group.name) && group.name.find('/') == std::string::npos) {
    for (const grouping::OwnerKind& kind : grouping::owner_kinds()) {
      if (kind.prefix != std::string_view(group.name).substr(0, colon)) continue;
      // One group of a set is called by its part of it.
      const bool part =
          !group.composite && (kind.kind == "JobSet" || kind.kind == "LeaderWorkerSet");
      if (part) break;
      return {std::string(kind.kind), group.ns, group.name.substr(colon + 1)};
    }
  }
  return {group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name};
}

}  // namespace

explain::ObjectName name_of(const Sources& sources, const Waiter& waiter) {
  if (!waiter.group.valid()) {
    const auto& meta = sources.cluster.pod(waiter.pod).object->meta;
    return {"Pod", meta.ns, meta.name};
  }
  return people_name(sources.groups[waiter.group]);
}

Verdict verdict_of(const Sources& sources, const Waiter& waiter) {
  Verdict verdict = waiter.group.valid() ? explain_group(sources, waiter.group)
                                         : explain_pod(sources, waiter.pod);
  verdict.object = name_of(sources, waiter);
  return verdict;
}

std::string suggestion(const Sources& sources, std::string_view ns, std::string_view name) {
  std::vector<std::pair<explain::ObjectName, std::string_view>> known;  // as people and we call it
  for (std::uint32_t slot = 0; slot < sources.groups.slots(); ++slot) {
    if (!sources.groups.alive({slot})) continue;
    const core::Group& group = sources.groups[{slot}];
    known.emplace_back(people_name(group), group.ns);
  }
  for_each_pod(sources.cluster, [&](PodId, const PodEntry& pod) {
    const auto& meta = pod.object->meta;
    known.emplace_back(explain::ObjectName{"Pod", meta.ns, meta.name}, meta.ns);
  });
  std::vector<std::string_view> near;
  const explain::ObjectName* elsewhere = nullptr;
  for (const auto& [object, where] : known) {
    if (object.name == name && where == ns) return "; there is a " + text_of(object);
    if (object.name == name && elsewhere == nullptr) elsewhere = &object;
    if (where == ns) near.push_back(object.name);
  }
  if (elsewhere != nullptr) return "; there is a " + text_of(*elsewhere);
  std::ranges::sort(near);
  const std::string_view meant = nearest_word(name, near);
  return meant.empty() ? std::string() : fmt::format("; did you mean {}?", meant);
}

}  // namespace tutti::answers
