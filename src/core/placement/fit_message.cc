#include "core/placement/fit_message.h"

#include <fmt/format.h>

#include <algorithm>

#include "core/cluster/group_title.h"

namespace tutti::core {

std::size_t report_of(const Cluster& cluster, const LeafResult& result, PodId pod) {
  const ShapeId shape = cluster.pod(pod).shape;
  const auto& classes = result.attempt.classes;
  for (std::size_t i = 0; i < classes.size(); ++i) {
    if (cluster.pod(classes[i].sample).shape == shape) return i;
  }
  return Unplaced::kGroup;
}

std::string competition_text(const Cluster& cluster, const Competition& competition) {
  if (competition.members == 0) return {};
  return fmt::format("; {} members, {} among them, may use {} node{} with room for {}",
                     competition.members, cluster.pod(competition.sample).object->meta.name,
                     competition.nodes, competition.nodes == 1 ? "" : "s", competition.places);
}

std::string leaf_message(const Cluster& cluster, const GroupTable& groups,
                         const LeafResult& result) {
  const Attempt& attempt = result.attempt;
  const auto why = [&]() -> std::string {
    if (attempt.classes.empty()) return {};
    const auto& meta = cluster.pod(attempt.classes.front().sample).object->meta;
    return fmt::format("pod {}: {}", meta.name, fit_message(attempt.classes.front().diagnosis));
  };
  if (!result.leaf.valid()) {
    return attempt.classes.empty() ? "no node was looked at"
                                   : fit_message(attempt.classes.front().diagnosis);
  }
  const Group& group = groups[result.leaf];
  const std::size_t members = attempt.running + attempt.tried;
  if (members < attempt.minimum) {
    return fmt::format("{} needs {} members, {} exist", title_of(group), attempt.minimum, members);
  }
  std::string text;
  if (group.spec().policy.gang && attempt.running < attempt.minimum) {
    const bool late = attempt.running + attempt.placed >= attempt.minimum;
    text =
        late ? fmt::format("{}: its members cannot be placed together", title_of(group))
             : fmt::format("{} needs {} member{} at once, {} fit", title_of(group), attempt.minimum,
                           attempt.minimum == 1 ? "" : "s", attempt.running + attempt.placed);
  } else {
    text = title_of(group) + ": no waiting member fits";
  }
  if (attempt.search == Search::exhausted) text += kBudgetEnded;
  text += competition_text(cluster, attempt.competition);
  if (auto reasons = why(); !reasons.empty()) text += "; " + reasons;
  return text;
}

}  // namespace tutti::core
