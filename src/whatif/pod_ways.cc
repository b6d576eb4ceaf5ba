// Ways that change what the waiting pods themselves ask for. Members alike are changed together.
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <memory>
#include <vector>

#include "core/toleration.h"
#include "explain/text.h"
#include "whatif/author.h"
#include "whatif/halving.h"
#include "whatif/pod_edits.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

// Kinds of members, and taints, that are looked at.
constexpr std::size_t kClassesMax = 4;
constexpr std::size_t kTaintsMax = 16;
// A request is not lowered to less than this part of what it was.
constexpr std::int64_t kLeastPart = 10;
constexpr std::string_view kNodeCondition = "node.kubernetes.io/";

// Waiting members that ask nodes for the same.
struct Kin {
  std::vector<core::PodId> pods;
  std::shared_ptr<const model::PodSpec> spec;  // of the first; the others may differ in gates only
};

std::vector<Kin> kin_of(const Rehearsal& rehearsal) {
  if (rehearsal.too_many()) return {};
  const core::Cluster& cluster = rehearsal.cluster();
  std::map<core::ShapeId, Kin> by_shape;
  for (const core::PodId pod : rehearsal.waiting()) {
    Kin& kin = by_shape[cluster.pod(pod).shape];
    if (kin.pods.empty()) kin.spec = cluster.pod(pod).object->spec;
    kin.pods.push_back(pod);
  }
  std::vector<Kin> all;
  for (auto& [shape, kin] : by_shape) all.push_back(std::move(kin));
  if (all.size() > kClassesMax) all.clear();
  return all;
}

Rehearsal::Outcome outcome_with(Rehearsal& rehearsal, const Kin& kin, const PodEdit& edit) {
  const auto spec = std::make_shared<const model::PodSpec>(edit.spec);
  return rehearsal.own([&](core::WhatIf& what_if) {
    for (const core::PodId pod : kin.pods) {
      auto copy = std::make_shared<model::Pod>(*rehearsal.cluster().pod(pod).object);
      if (copy->spec->scheduling_gates == spec->scheduling_gates) {
        copy->spec = spec;
      } else {
        auto own = std::make_shared<model::PodSpec>(*spec);
        own->scheduling_gates = copy->spec->scheduling_gates;
        copy->spec = std::move(own);
      }
      what_if.set_pod(std::move(copy));
    }
  });
}

// " (pod t/a)", " (3 pods like t/a)" where the waiting members differ.
std::string whose(const Rehearsal& rehearsal, const Kin& kin) {
  if (kin.pods.size() == rehearsal.waiting().size()) return {};
  const auto& meta = rehearsal.cluster().pod(kin.pods.front()).object->meta;
  if (kin.pods.size() == 1) return fmt::format(" (pod {}/{})", meta.ns, meta.name);
  return fmt::format(" ({} pods like {}/{})", kin.pods.size(), meta.ns, meta.name);
}

void add(Rehearsal& rehearsal, const Kin& kin, PodEdit edit, const Rehearsal::Outcome& outcome,
         Ways& ways) {
  auto changes = change_pods(rehearsal, kin.pods, edit.steps);
  if (changes.empty()) return;
  explain::Way way{std::move(edit.kind), edit.summary + whose(rehearsal, kin), std::move(changes)};
  ways.push_back(with_evictions(std::move(way), outcome));
}

// Not tolerated, on the most nodes first. Those that the node's condition put there come and go by
// themselves.
std::vector<model::Taint> taints_in_the_way(const core::Cluster& cluster,
                                            const model::PodSpec& spec) {
  std::map<model::Taint, std::size_t> counts;
  cluster.live_nodes().for_each_set([&](std::size_t index) {
    for (const auto& taint : cluster.taint_set(cluster.taint_sets()[index])) {
      if (taint.effect == core::kPreferNoSchedule || taint.key.starts_with(kNodeCondition))
        continue;
      if (!core::tolerates(spec.tolerations, taint)) ++counts[taint];
    }
  });
  std::vector<model::Taint> taints;
  for (const auto& [taint, nodes] : counts) taints.push_back(taint);
  std::ranges::stable_sort(taints, std::ranges::greater{},
                           [&](const model::Taint& taint) { return counts[taint]; });
  if (taints.size() > kTaintsMax) taints.resize(kTaintsMax);
  return taints;
}

// Key and value that nodes have with several effects; one toleration without an effect does for
// all.
std::vector<model::Taint> of_several_effects(const std::vector<model::Taint>& taints) {
  std::vector<model::Taint> found;
  for (const model::Taint& taint : taints) {
    const auto alike = [&](const model::Taint& other) {
      return other.key == taint.key && other.value == taint.value;
    };
    if (std::ranges::count_if(taints, alike) < 2 || std::ranges::any_of(found, alike)) continue;
    found.push_back({taint.key, taint.value, ""});
  }
  return found;
}

// An amount in steps, small enough for a difference to matter and large enough to be told.
struct Measure {
  std::int64_t present = 0;  // the amount, in the unit in which nodes count
  std::int64_t milli_per_step = 1000;
  std::int64_t steps = 0;  // of the present amount
  std::int64_t units_per_step = 1;

  // The most steps with which no more than this is asked for.
  std::int64_t steps_within(std::int64_t amount) const {
    const std::int64_t less = present - amount;
    return steps - (less + units_per_step - 1) / units_per_step;
  }
};

// Bytes in which such a resource is told; 1: it is counted.
std::int64_t grain(std::string_view resource) {
  constexpr std::string_view kPages = "hugepages-";
  constexpr std::int64_t kMebi = 1 << 20;
  if (resource.starts_with(kPages)) {  // in whole pages, whose size the name tells
    const auto page = Quantity::parse(resource.substr(kPages.size()));
    return page.ok() ? std::max<std::int64_t>(page->milli() / 1000, 1) : 1;
  }
  return resource == "memory" || resource == "ephemeral-storage" ? kMebi : 1;
}

Measure measure(std::string_view resource, std::int64_t amount) {
  if (resource == "cpu") return {amount, 1, amount};
  const std::int64_t bytes = grain(resource);
  if (amount < bytes) return {amount, 1000, amount};
  return {amount, bytes * 1000, amount / bytes, bytes};
}

void add_smaller_request(Rehearsal& rehearsal, const Headroom& headroom, const Kin& kin,
                         core::ResourceId resource, Ways& ways) {
  const core::Cluster& cluster = rehearsal.cluster();
  const std::string name(cluster.resource_name(resource));
  const std::int64_t present = cluster.shape(cluster.pod(kin.pods.front()).shape).request(resource);
  const Measure unit = measure(name, present);
  if (unit.steps > std::numeric_limits<std::int64_t>::max() / unit.milli_per_step) return;
  const auto edit_by = [&](std::int64_t less) {
    return asking_less(*kin.spec, name, less * unit.milli_per_step);
  };
  Rehearsal::Outcome best;
  const auto works = [&](std::int64_t steps) {
    const auto edit = edit_by(unit.steps - steps);
    auto outcome = edit ? outcome_with(rehearsal, kin, *edit) : Rehearsal::Outcome{};
    const bool runs = outcome.runs;
    if (runs) best = std::move(outcome);
    return runs;
  };
  const std::int64_t least = std::max<std::int64_t>(1, (unit.steps + kLeastPart - 1) / kLeastPart);
  const std::int64_t bound =
      kin.pods.size() == rehearsal.waiting().size()
          ? unit.steps_within(headroom.largest_request(resource, present - 1))
          : unit.steps - 1;
  const std::int64_t most = largest_up_to(least, bound, works);
  if (most < least) return;
  const std::int64_t less = unit.steps - most;
  PodEdit edit = *edit_by(less);
  const std::int64_t amount_less = less * unit.units_per_step;
  edit.summary = fmt::format("ask for {} {} per pod instead of {}",
                             explain::amount_text(name, present - amount_less), name,
                             explain::amount_text(name, present));
  add(rehearsal, kin, std::move(edit), best, ways);
}

void try_edit(Rehearsal& rehearsal, const Kin& kin, PodEdit edit, Ways& ways) {
  const auto outcome = outcome_with(rehearsal, kin, edit);
  if (outcome.runs) add(rehearsal, kin, std::move(edit), outcome, ways);
}

}  // namespace

void add_pod_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  if (!headroom.suffices()) return;
  for (const Kin& kin : kin_of(rehearsal)) {
    const auto taints = taints_in_the_way(rehearsal.cluster(), *kin.spec);
    for (const model::Taint& taint : taints) {
      try_edit(rehearsal, kin, tolerating(*kin.spec, taint), ways);
    }
    for (const model::Taint& taint : of_several_effects(taints)) {
      try_edit(rehearsal, kin, tolerating(*kin.spec, taint), ways);
    }
    for (PodEdit& edit : concessions(*kin.spec)) {
      try_edit(rehearsal, kin, std::move(edit), ways);
    }
  }
}

void add_request_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  for (const Kin& kin : kin_of(rehearsal)) {
    const auto requests =
        rehearsal.cluster().shape(rehearsal.cluster().pod(kin.pods.front()).shape).requests;
    for (const auto& request : requests) {
      if (request.resource != core::kPods) {
        add_smaller_request(rehearsal, headroom, kin, request.resource, ways);
      }
    }
  }
}

}  // namespace tutti::whatif
