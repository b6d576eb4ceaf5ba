// Kinds that are sets of groups: JobSet and LeaderWorkerSet.
#include <fmt/format.h>

#include <algorithm>

#include "controllers/workloads/document.h"
#include "controllers/workloads/shapes.h"

namespace tutti::controllers {
namespace {

using wire::Value;

std::string name_of(const Value& document) { return text_at(document, {"metadata", "name"}); }

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

}  // namespace

// The Jobs of a JobSet are numbered within their replicated Job. Its own exclusive topology, or
// that of a replicated Job's template, puts each Job into one domain.
Plan plan_job_set(const Value& document, const Neighbours&) {
  constexpr std::string_view kExclusive = "alpha.jobset.sigs.k8s.io/exclusive-topology";
  const std::string set = name_of(document);
  Plan plan;
  plan.has_root = !starts_in_order(document);
  for (const Value& replicated : items_at(document, {"spec", "replicatedJobs"})) {
    const Value* form = at(replicated, {"template"});
    if (form == nullptr) continue;
    const std::string name = text_at(replicated, {"name"});
    const std::string topology = annotation(*form, kExclusive);
    for (std::int32_t i = 0; i < number_at(replicated, {"replicas"}, 1); ++i) {
      const std::string job = fmt::format("{}-{}-{}", set, name, i);
      plan.groups.push_back({job, name, pods_at_once(*form),
                             topology.empty() ? annotation(document, kExclusive) : topology});
      plan.members.push_back({job,
                              form,
                              true,
                              job,
                              {{"jobset.sigs.k8s.io/jobset-name", set},
                               {"jobset.sigs.k8s.io/replicatedjob-name", name},
                               {"jobset.sigs.k8s.io/job-index", std::to_string(i)}}});
    }
  }
  if (plan.has_root) plan.root_minimum = static_cast<std::int32_t>(plan.groups.size());
  return plan;
}

// The leader of replica i is NAME-i, its workers are NAME-i-1 and so on. Replicas serve
// independently: as many run as fit. Workers that come when their leader is ready cannot be waited
// for.
Plan plan_leader_worker_set(const Value& document, const Neighbours&) {
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
  const std::string topology =
      annotation(document, "leaderworkerset.sigs.k8s.io/exclusive-topology");
  for (std::int32_t i = 0; i < number_at(document, {"spec", "replicas"}, 1); ++i) {
    const std::string group = fmt::format("{}-{}", set, i);
    plan.groups.push_back({group, "replica", leader_first ? 1 : size, topology});
    for (std::int32_t j = 0; j < size; ++j) {
      plan.members.push_back({j == 0 ? group : fmt::format("{}-{}", group, j),
                              j == 0 ? leader : worker,
                              false,
                              group,
                              {{"leaderworkerset.sigs.k8s.io/name", set},
                               {"leaderworkerset.sigs.k8s.io/group-index", std::to_string(i)},
                               {"leaderworkerset.sigs.k8s.io/worker-index", std::to_string(j)}}});
    }
  }
  return plan;
}

}  // namespace tutti::controllers
