#include "whatif/member_kinds.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <span>
#include <utility>

#include "explain/verdict/text.h"
#include "whatif/change_target.h"

namespace tutti::whatif {
namespace {

void change(const Rehearsal& rehearsal, const PodEdit& edit, std::span<const core::PodId> pods,
            core::WhatIf& what_if) {
  const auto spec = std::make_shared<const model::PodSpec>(edit.spec);
  for (const core::PodId pod : pods) {
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
}

// Whether the asker would not even run alone, where many pods of its controller are to run with it.
bool fails_alone(Rehearsal& rehearsal, const Edits& edits) {
  constexpr std::size_t kMany = 100;
  if (rehearsal.together() <= kMany) return false;
  const core::PodId asker = rehearsal.asker().pod;
  const auto own = std::ranges::find_if(edits, [&](const MemberKindEdit* edit) {
    return std::ranges::count(edit->kin->pods, asker) > 0;
  });
  if (own == edits.end()) return false;
  return !rehearsal
              .alone([&](core::WhatIf& what_if) {
                change(rehearsal, (*own)->edit, std::span(&asker, 1), what_if);
              })
              .runs;
}

// Pods to whom the same is done.
struct Alike {
  const std::vector<explain::PatchStep>* steps;
  std::vector<core::PodId> pods;
};

std::vector<Alike> by_steps(const Edits& edits) {
  std::vector<Alike> all;
  for (const MemberKindEdit* edit : edits) {
    auto same = std::ranges::find_if(
        all, [&](const Alike& alike) { return *alike.steps == edit->edit.steps; });
    if (same == all.end()) same = all.insert(all.end(), Alike{&edit->edit.steps, {}});
    same->pods.insert(same->pods.end(), edit->kin->pods.begin(), edit->kin->pods.end());
  }
  return all;
}

}  // namespace

std::vector<MemberKind> kin_of(const Rehearsal& rehearsal) {
  if (rehearsal.too_many()) return {};
  const core::Cluster& cluster = rehearsal.cluster();
  std::map<core::ShapeId, MemberKind> by_shape;
  for (const core::PodId pod : rehearsal.waiting()) {
    MemberKind& kin = by_shape[cluster.pod(pod).shape];
    if (kin.pods.empty()) kin.spec = cluster.pod(pod).object->spec;
    kin.pods.push_back(pod);
  }
  std::vector<MemberKind> all;
  for (auto& [shape, kin] : by_shape) all.push_back(std::move(kin));
  return all;
}

std::string name_of(const Rehearsal& rehearsal, const MemberKind& kin) {
  const auto& meta = rehearsal.cluster().pod(kin.pods.front()).object->meta;
  if (kin.pods.size() == 1) return fmt::format("pod {}/{}", meta.ns, meta.name);
  return fmt::format("{} pods like {}/{}", kin.pods.size(), meta.ns, meta.name);
}

Rehearsal::Outcome outcome_with(Rehearsal& rehearsal, const Edits& edits) {
  if (fails_alone(rehearsal, edits)) return {};
  return rehearsal.own([&](core::WhatIf& what_if) {
    for (const MemberKindEdit* edit : edits)
      change(rehearsal, edit->edit, edit->kin->pods, what_if);
  });
}

void add_way(Rehearsal& rehearsal, const Edits& edits, std::string summary,
             const Rehearsal::Outcome& outcome, Ways& ways) {
  explain::Way way{edits.front()->edit.kind, std::move(summary)};
  for (const Alike& alike : by_steps(edits)) {
    auto changes = change_pods(rehearsal, alike.pods, *alike.steps);
    if (changes.empty()) return;
    std::ranges::move(changes, std::back_inserter(way.changes));
  }
  ways.push_back(with_evictions(std::move(way), outcome));
}

std::string whose(const Rehearsal& rehearsal, const Edits& edits) {
  std::size_t pods = 0;
  std::vector<std::string> names;
  for (const MemberKindEdit* edit : edits) {
    pods += edit->kin->pods.size();
    names.push_back(name_of(rehearsal, *edit->kin));
  }
  if (pods == rehearsal.waiting().size()) return {};
  return fmt::format(" ({})", explain::first_of(names));
}

}  // namespace tutti::whatif
