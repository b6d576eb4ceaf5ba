// Ways that give up a wish of the waiting pods. Members alike are changed together, and so are
// kinds of members that have the same wish.
#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "core/matching/toleration.h"
#include "whatif/member_kinds.h"
#include "whatif/subsets.h"
#include "whatif/ways.h"

namespace tutti::whatif {
namespace {

// Taints of one kind of members, and wishes of all of them, that are looked at.
constexpr std::size_t kTaintsMax = 16;
constexpr std::size_t kWishesMax = 64;
constexpr std::string_view kNodeCondition = "node.kubernetes.io/";

// In the order in which they are told.
constexpr std::array<std::string_view, 7> kKinds = {
    "tolerate",        "nodeSelector", "nodeAffinity", "podAffinity",
    "podAntiAffinity", "spread",       "hostPort"};

// --- taints --------------------------------------------------------------------------------------

using NodesByTaint = std::map<model::Taint, std::size_t>;

// Counts nodes by the taints there that keep pods away. What the node's condition put there comes
// and goes by itself.
NodesByTaint forbidding_taints(const core::Cluster& cluster) {
  std::vector<std::size_t> nodes(cluster.nodes().taint_set_count(), 0);
  cluster.nodes().live().for_each_set(
      [&](std::size_t index) { ++nodes[cluster.nodes().taint_sets()[index].index]; });
  NodesByTaint counts;
  for (std::uint32_t set = 0; set < nodes.size(); ++set) {
    if (nodes[set] == 0) continue;
    for (const model::Taint& taint : cluster.nodes().taint_set({set})) {
      const bool forbids =
          taint.effect != core::kPreferNoSchedule && !taint.key.starts_with(kNodeCondition);
      if (forbids) counts[taint] += nodes[set];
    }
  }
  return counts;
}

// Not tolerated, on the most nodes first.
std::vector<model::Taint> in_the_way(const NodesByTaint& counts, const model::PodSpec& spec) {
  std::vector<model::Taint> taints;
  for (const auto& [taint, nodes] : counts) {
    if (!core::tolerates(spec.tolerations, taint)) taints.push_back(taint);
  }
  std::ranges::stable_sort(taints, std::ranges::greater{},
                           [&](const model::Taint& taint) { return counts.at(taint); });
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

// --- wishes --------------------------------------------------------------------------------------

// One that can be given up, with everyone who has it.
struct Wish {
  std::vector<MemberKindEdit> edits;

  const std::string& kind() const { return edits.front().edit.kind; }
  std::size_t pods() const {
    std::size_t total = 0;
    for (const MemberKindEdit& edit : edits) total += edit.kin->pods.size();
    return total;
  }
};

std::vector<PodEdit> edits_of(const model::PodSpec& spec, const NodesByTaint& taints) {
  std::vector<PodEdit> edits;
  const auto forbidding = in_the_way(taints, spec);
  for (const model::Taint& taint : forbidding) edits.push_back(tolerating(spec, taint));
  for (const model::Taint& taint : of_several_effects(forbidding)) {
    edits.push_back(tolerating(spec, taint));
  }
  std::ranges::move(concessions(spec), std::back_inserter(edits));
  return edits;
}

// A wish is told from another by its sentence; a spec may have two of the same sentence.
std::vector<Wish> wishes_of(const std::vector<MemberKind>& kin, const NodesByTaint& taints) {
  std::vector<Wish> wishes;
  std::map<std::pair<std::string, std::size_t>, std::size_t> places;
  for (const MemberKind& one : kin) {
    std::map<std::string, std::size_t> repeated;
    for (PodEdit& edit : edits_of(*one.spec, taints)) {
      const std::size_t number = repeated[edit.summary]++;
      const auto [at, fresh] = places.try_emplace({edit.summary, number}, wishes.size());
      if (fresh) wishes.emplace_back();
      wishes[at->second].edits.push_back({&one, std::move(edit)});
    }
  }
  return wishes;
}

// What most pods wish matters most.
std::vector<Wish> in_order(std::vector<Wish> wishes) {
  if (wishes.size() > kWishesMax) {
    std::ranges::stable_sort(wishes, std::ranges::greater{}, &Wish::pods);
    wishes.resize(kWishesMax);
  }
  std::ranges::stable_sort(wishes, {}, [](const Wish& wish) {
    return std::ranges::find(kKinds, wish.kind()) - kKinds.begin();
  });
  return wishes;
}

void give_up(Rehearsal& rehearsal, const Wish& wish, Ways& ways) {
  Edits all;
  for (const MemberKindEdit& edit : wish.edits) all.push_back(&edit);
  Rehearsal::Outcome last;
  const auto works = [&](const Edits& edits) {
    auto outcome = outcome_with(rehearsal, edits);
    const bool runs = outcome.runs;
    if (runs) last = std::move(outcome);
    return runs;
  };
  for_each_sufficient(all, kFewKinds, kKindTries, works, [&](const Edits& edits) {
    add_way(rehearsal, edits, edits.front()->edit.summary + whose(rehearsal, edits), last, ways);
  });
}

}  // namespace

void add_pod_ways(Rehearsal& rehearsal, const Headroom& headroom, Ways& ways) {
  if (!headroom.suffices()) return;
  const std::vector<MemberKind> kin = kin_of(rehearsal);
  const NodesByTaint taints = forbidding_taints(rehearsal.cluster());
  for (const Wish& wish : in_order(wishes_of(kin, taints))) give_up(rehearsal, wish, ways);
}

}  // namespace tutti::whatif
