#include "capacity/copy/refusals.h"

#include <algorithm>
#include <utility>

namespace tutti::capacity {

bool Refusals::about(core::Concern concern, std::size_t node) const {
  return std::ranges::any_of(filters, [&](const Filter& filter) {
    return filter.concern == concern && filter.nodes.test(node);
  });
}

bool Refusals::only_about(core::Concern concern, std::size_t node) const {
  return about(concern, node) && std::ranges::none_of(filters, [&](const Filter& filter) {
           return filter.concern != concern && filter.nodes.test(node);
         });
}

Bitset Refusals::accepted_but_for(core::Concern concern) const {
  Bitset nodes = live;
  for (const Filter& filter : filters) {
    if (filter.concern != concern) nodes.and_not(filter.nodes);
  }
  return nodes;
}

Refusals refusals(const core::Cluster& cluster, const core::Profile& profile,
                  const core::PodClass& pods) {
  Refusals made{cluster.nodes().live(), cluster.nodes().live(), {}};
  for (const auto& enabled : profile.filters) {
    const auto prepared = enabled->prepare_filter(cluster, pods);
    if (prepared.verdict.code == core::Code::skip) continue;
    Bitset rejected = made.live;
    if (prepared.evaluator != nullptr) {
      Bitset accepted = made.live;
      prepared.evaluator->filter(accepted);
      rejected.and_not(accepted);
    }
    if (rejected.any()) {
      made.accepted.and_not(rejected);
      made.filters.push_back({enabled.plugin->concern(), std::move(rejected)});
    }
  }
  return made;
}

}  // namespace tutti::capacity
