// Kinds that are sets of groups: JobSet and LeaderWorkerSet.
#include <fmt/format.h>

#include <algorithm>

#include "controllers/names.h"
#include "controllers/workloads/document.h"
#include "controllers/workloads/shapes.h"

namespace tutti::controllers {
namespace {

using wire::Value;

std::string annotation(const Value& document, std::string_view name) {
  return text_at(document, {"metadata", "annotations", name});
}

// As many as run at once; completions beyond that come later.
std::int32_t pods_at_once(const Value& job) {
  const std::int32_t parallelism = number_at(job, {"spec", "parallelism"}, 1);
  return std::max(1, std::min(parallelism, number_at(job, {"spec", "completions"}, parallelism)));
}

// Jobs that come when others are ready or done cannot be waited for together with those.
bool starts_in_order(const Value& set) {
  const auto replicated = items_at(set, {"spec", "replicatedJobs"});
  return text_at(set, {"spec", "startupPolicy", "startupPolicyOrder"}) == "InOrder" ||
         std::ranges::any_of(
             replicated, [](const Value& job) { return !items_at(job, {"dependsOn"}).empty(); });
}

// A label's value that no other name of any namespace has.
std::string unique_key(const Value& set, const std::string& name) {
  constexpr std::size_t kLabelMax = 63;
  const std::string key = text_at(set, {"metadata", "namespace"}) + "." + name;
  if (key.size() <= kLabelMax && key.front() != '.') return key;
  return fmt::format("{}-{}", name.substr(0, 40), name_hash(key));
}

// The number of the subgroup that a pod of a replica is in. A leader that is one too many for equal
// subgroups belongs to the first.
std::int32_t subgroup_of(std::int32_t pod, std::int32_t size, std::int32_t subgroup_size) {
  const bool leader_extra = (size - 1) % subgroup_size == 0;
  return (leader_extra && pod > 0 ? pod - 1 : pod) / subgroup_size;
}

}  // namespace

// The Jobs of a JobSet are numbered within their replicated Job. Its own exclusive topology, or
// that of a replicated Job's template, puts each Job into one domain that has no pods of another.
Plan plan_job_set(const Value& document, const Neighbours&) {
  constexpr std::string_view kExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";
  const std::string job_key = "jobset.sigs.k8s.io/job-key";
  const std::string set = name_of(document);
  Plan plan;
  plan.has_root = !starts_in_order(document);
  for (const Value& replicated : items_at(document, {"spec", "replicatedJobs"})) {
    const Value* form = at(replicated, {"template"});
    if (form == nullptr) continue;
    const std::string name = text_at(replicated, {"name"});
    std::string topology = annotation(*form, kExclusive);
    if (topology.empty()) topology = annotation(document, kExclusive);
    for (std::int32_t i = 0; i < number_at(replicated, {"replicas"}, 1); ++i) {
      const std::string job = fmt::format("{}-{}-{}", set, name, i);
      plan.groups.push_back({job, name, pods_at_once(*form), topology});
      plan.members.push_back({job,
                              form,
                              true,
                              job,
                              {{"jobset.sigs.k8s.io/jobset-name", set},
                               {"jobset.sigs.k8s.io/replicatedjob-name", name},
                               {"jobset.sigs.k8s.io/job-index", std::to_string(i)}}});
      PlannedMember& member = plan.members.back();
      const std::string key = unique_key(document, job);
      member.keys = {{job_key, key}};
      if (!topology.empty()) member.exclusive = {{topology, job_key, key, true, false}};
    }
  }
  if (plan.has_root) plan.root_minimum = static_cast<std::int32_t>(plan.groups.size());
  return plan;
}

// The leader of replica i is NAME-i, its workers are NAME-i-1 and so on. Replicas serve
// independently: as many run as fit. Workers that come when their leader is ready cannot be waited
// for.
Plan plan_leader_worker_set(const Value& document, const Neighbours&) {
  const std::string prefix = "leaderworkerset.sigs.k8s.io/";
  const std::string set = name_of(document);
  const Value* templates = at(document, {"spec", "leaderWorkerTemplate"});
  Plan plan;
  plan.has_root = true;
  if (templates == nullptr) return plan;
  const Value* worker = at(*templates, {"workerTemplate"});
  const Value* leader = at(*templates, {"leaderTemplate"});
  if (leader == nullptr) leader = worker;
  const std::int32_t size = std::max(1, number_at(*templates, {"size"}, 1));
  const bool leader_first = text_at(document, {"spec", "startupPolicy"}) == "LeaderReady";
  const std::string topology = annotation(document, prefix + "exclusive-topology");
  const std::string sub_topology = annotation(document, prefix + "subgroup-exclusive-topology");
  const std::int32_t subgroup = number_at(*templates, {"subGroupPolicy", "subGroupSize"}, 0);
  for (std::int32_t i = 0; i < number_at(document, {"spec", "replicas"}, 1); ++i) {
    const std::string group = fmt::format("{}-{}", set, i);
    const std::string key = unique_key(document, group);
    plan.groups.push_back({group, "replica", leader_first ? 1 : size, topology});
    for (std::int32_t j = 0; j < size; ++j) {
      PlannedMember member{j == 0 ? group : fmt::format("{}-{}", group, j),
                           j == 0 ? leader : worker,
                           false,
                           group,
                           {{prefix + "name", set},
                            {prefix + "group-index", std::to_string(i)},
                            {prefix + "worker-index", std::to_string(j)}}};
      member.keys = {{prefix + "group-key", key}};
      if (!topology.empty())
        member.exclusive = {{topology, prefix + "group-key", key, false, false}};
      const bool excluded =
          j == 0 && text_at(*templates, {"subGroupPolicy", "type"}) == "LeaderExcluded";
      if (subgroup > 0 && !excluded) {
        const std::string index = std::to_string(subgroup_of(j, size, subgroup));
        const std::string sub_key = unique_key(document, group + "." + index);
        member.keys.emplace_back(prefix + "subgroup-index", index);
        member.keys.emplace_back(prefix + "subgroup-key", sub_key);
        if (!sub_topology.empty()) {
          member.exclusive.push_back({sub_topology, prefix + "subgroup-key", sub_key, false, true});
        }
      }
      plan.members.push_back(std::move(member));
    }
  }
  return plan;
}

}  // namespace tutti::controllers
