// Ways in which the waiting pods ask for what they most likely meant: a resource or a label that no
// node has, but for a letter or two.
#include <string>
#include <utility>
#include <vector>

#include "explain/wording/misspelling.h"
#include "whatif/member_kinds.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

std::vector<PodEdit> corrections(const core::Cluster& cluster, const MemberKind& kin) {
  std::vector<PodEdit> edits;
  const core::PodId pod = kin.pods.front();
  for (const auto& request : cluster.shape(cluster.pod(pod).shape).requests) {
    const std::string meant = explain::meant_resource(cluster, request.resource);
    if (meant.empty()) continue;
    edits.push_back(
        renaming(*kin.spec, std::string(cluster.resources().name(request.resource)), meant));
  }
  for (const auto& [key, value] : kin.spec->node_selector) {
    if (!cluster.labels().nodes_with(key, value).empty()) continue;
    const auto meant = explain::meant_label(cluster, key, value);
    if (meant) edits.push_back(selecting(*kin.spec, key, meant->first, meant->second));
  }
  return edits;
}

}  // namespace

void add_spelling_ways(Rehearsal& rehearsal, Ways& ways) {
  const std::vector<MemberKind> kin = kin_of(rehearsal);
  // What all kinds of members have in common is changed in all of them.
  std::vector<MemberKindEdit> made;
  for (const MemberKind& one : kin) {
    auto edits = corrections(rehearsal.cluster(), one);
    if (edits.size() == 1) made.push_back({&one, std::move(edits.front())});
  }
  if (made.empty()) return;
  Edits all;
  for (const MemberKindEdit& edit : made) all.push_back(&edit);
  const auto outcome = outcome_with(rehearsal, all);
  if (!outcome.runs) return;
  add_way(rehearsal, all, all.front()->edit.summary + whose(rehearsal, all), outcome, ways);
}

}  // namespace tutti::whatif
