// The way for a Job whose pods are more important than the gang that Kubernetes makes of it: with
// spec.scheduling the gang gets their priority.
#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "model/group.h"
#include "whatif/change_target.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

using explain::Datum;

// Below a Job's scheduling where the minimum is written: schedulingPolicy, gang, minCount.
constexpr std::size_t kPartsBelow = 3;

// Where the Job would say how it is scheduled; an empty path: it does already, or is no Job.
Origin::Field scheduling_field(const Origin& origin) {
  const auto& path = origin.minimum.path;
  if (origin.of != Origin::Of::object || origin.follows_pods || path.size() <= kPartsBelow)
    return {};
  const auto end = path.end() - static_cast<std::ptrdiff_t>(kPartsBelow);
  Origin::Field field{{path.begin(), end}, origin.minimum.present};
  const bool absent = field.path.back() == "scheduling" && field.present + 1 == field.path.size();
  return absent ? field : Origin::Field{};
}

}  // namespace

void add_job_priority_way(Rehearsal& rehearsal, Ways& ways) {
  if (!rehearsal.root().valid()) return;
  const core::Group& group = rehearsal.groups()[rehearsal.root()];
  if (group.composite || !group.seen() || rehearsal.waiting().empty()) return;
  const core::Cluster& cluster = rehearsal.cluster();
  const auto priority_of = [&](core::PodId pod) {
    return cluster.pod(pod).object->priority.value_or(0);
  };
  const std::int32_t own = priority_of(rehearsal.waiting().front());
  if (own <= group.priority()) return;
  const Origin origin = origin_of(rehearsal, group);
  const Origin::Field field = scheduling_field(origin);
  if (field.path.empty()) return;
  const auto outcome = rehearsal.own([&](core::WhatIf& what_if) {
    auto copy = std::make_shared<model::PodGroup>(*group.pod_group);
    copy->spec.priority = own;
    what_if.set_group(std::move(copy));
  });
  if (!outcome.runs) return;
  const Datum gang =
      Datum::object({{"schedulingPolicy", Datum::object({{"gang", Datum::object({})}})}});
  explain::Way way{
      "scheduling",
      fmt::format("give {} spec.scheduling: the gang then has the priority of its pods, {}",
                  explain::text_of(origin.object), own),
      {{{origin.object}, {step_to(field, gang)}}}};
  ways.push_back(with_evictions(std::move(way), outcome));
}

}  // namespace tutti::whatif
