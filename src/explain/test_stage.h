// A stage for tests of verdicts: a cluster, its groups, and the attempts that a scheduler would
// have made.
#pragma once

#include <map>

#include "base/std.h"
#include "explain/explain.h"
#include "support/build.h"
#include "support/fake_filters.h"

namespace tutti::test {

struct VerdictStage {
  core::Cluster cluster;
  core::GroupTable groups;
  core::Profile profile = plain_profile();
  std::map<core::PodId, core::Attempt> attempts;

  explain::Sources sources() {
    return {cluster, groups,
            [this](const model::Pod& pod) {
              return pod.spec->scheduler_name.empty() ? &profile : nullptr;
            },
            [this](core::PodId pod) {
              const auto at = attempts.find(pod);
              return at == attempts.end() ? nullptr : &at->second;
            },
            [](core::PodId) { return std::string(); }};
  }
  void nodes(int count, const std::string& cpu) {
    for (int i = 1; i <= count; ++i) {
      cluster.set_node(node("n" + std::to_string(i)).cpu(cpu));
    }
  }
  core::PodId pod(const PodBuilder& builder) { return cluster.set_pod(builder.build()); }
  core::GroupId gang(int minimum, int pods, PodBuilder like, const std::string& key = {}) {
    const auto group = groups.set(pod_group("g").gang(minimum).topology(key).build());
    for (int i = 0; i < pods; ++i) {
      auto member = std::make_shared<model::Pod>(*like.group("g").build());
      member->meta.name = "g-" + std::to_string(i);
      member->meta.uid = member->meta.name;
      groups.add_pod(group, cluster.set_pod(member), core::GroupTable::Membership::pending);
    }
    return group;
  }
  // The diagnosis of the pod's survey, with `placed` members in place before it.
  core::Attempt refused(core::PodId pod, std::vector<core::ReasonCount> reasons,
                        std::size_t placed = 0) {
    core::Attempt attempt;
    attempt.code = core::Code::unschedulable;
    attempt.message = "refused";
    attempt.tried = placed + 1;
    attempt.placed = placed;
    core::ClassReport report;
    report.sample = pod;
    report.diagnosis = {cluster.nodes().count(), std::move(reasons)};
    attempt.classes.push_back(report);
    return attempt;
  }
  explain::Verdict tried(core::PodId id, std::vector<core::ReasonCount> reasons) {
    attempts[id] = refused(id, std::move(reasons));
    return explain::explain_pod(sources(), id);
  }
  explain::Verdict tried(core::GroupId group, std::vector<core::ReasonCount> reasons,
                         std::size_t placed) {
    const core::PodId first = *groups[group].pending.begin();
    attempts[first] = refused(first, std::move(reasons), placed);
    return explain::explain_group(sources(), group);
  }
};

inline const core::ReasonCount kNoCpu{"NodeResourcesFit", "Insufficient cpu",
                                      core::Code::unschedulable, 3, core::Concern::resources};

}  // namespace tutti::test
