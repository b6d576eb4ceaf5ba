#include "whatif/units.h"

#include <algorithm>
#include <map>
#include <optional>

#include "base/bitset.h"
#include "core/cluster/group_title.h"
#include "whatif/change_target.h"

namespace tutti::whatif {
namespace {

using core::GroupId;
using core::PodId;

}  // namespace

// Gathers pods by what they end with; those that end by themselves are units at once.
class Units::Sorter {
 public:
  Sorter(Rehearsal& rehearsal, Units& units)
      : rehearsal_(rehearsal), units_(units), own_(rehearsal.cluster().pods().slots()) {
    for (const auto* own : {&rehearsal.waiting(), &rehearsal.running()}) {
      for (const PodId pod : *own) own_.set(pod.index);
    }
  }

  void run() {
    units_.pods_.reserve(rehearsal_.occupants().size());
    units_.units_.reserve(rehearsal_.occupants().size());
    for (const Rehearsal::Occupant& occupant : rehearsal_.occupants()) {
      if (occupant.leaving || occupant.of_node || own_.test(occupant.pod.index)) continue;
      sort_in(occupant.pod, occupant.leaf, owner_of(occupant.pod, occupant.maker), true);
    }
    add_waiting();
    for (const Portion& portion : portions_) {
      Unit unit = portion.unit;
      unit.count = static_cast<std::uint32_t>(portion.pods.size());
      add(unit, portion.pods);
    }
  }

 private:
  struct Portion {
    Unit unit;
    std::vector<PodId> pods;
  };

  void add(Unit unit, std::span<const PodId> pods) {
    unit.first = static_cast<std::uint32_t>(units_.pods_.size());
    units_.pods_.insert(units_.pods_.end(), pods.begin(), pods.end());
    units_.units_.push_back(unit);
  }

  void sort_in(PodId pod, GroupId leaf, std::uint32_t owner, bool runs) {
    const GroupId group = owner != core::kNoIndex ? GroupId{} : gang_of(leaf);
    if (owner == core::kNoIndex && !group.valid()) {
      if (runs) add({0, 1, 1, core::kNoIndex, {}}, {&pod, 1});
      return;
    }
    std::uint32_t& index = portion_of(owner, group);
    if (index == core::kNoIndex) {
      if (!runs) return;
      index = static_cast<std::uint32_t>(portions_.size());
      portions_.push_back({{0, 0, 0, owner, group}, {}});
    }
    portions_[index].pods.push_back(pod);
    if (runs) ++portions_[index].unit.running;
  }

  // The number of what pods of the owner, or else of the group, end with; kNoIndex: not met yet.
  std::uint32_t& portion_of(std::uint32_t owner, GroupId group) {
    auto& known = owner != core::kNoIndex ? portion_of_owner_ : portion_of_group_;
    const std::uint32_t at = owner != core::kNoIndex ? owner : group.index;
    if (known.size() <= at) known.resize(at + std::size_t{1}, core::kNoIndex);
    return known[at];
  }

  // Adds what waits to units that run: it ends with them.
  void add_waiting() {
    if (portions_.empty()) return;
    const core::Cluster& cluster = rehearsal_.cluster();
    for (std::uint32_t slot = 0; slot < cluster.pods().slots(); ++slot) {
      const PodId pod{slot};
      const core::PodEntry& entry = cluster.pod(pod);
      if (entry.node.valid() || entry.object == nullptr || own_.test(slot)) continue;
      const auto& group = entry.object->spec->scheduling_group;
      const auto leaf = group.empty()
                            ? std::nullopt
                            : rehearsal_.groups().find(entry.object->meta.ns, group, false);
      const core::VictimCache::Facts& facts = rehearsal_.facts(pod);
      if (!facts.of_node) sort_in(pod, leaf.value_or(GroupId{}), owner_of(pod, facts.maker), false);
    }
  }

  // The root of the tree that members fall with, if they fall with one.
  GroupId gang_of(GroupId leaf) const {
    const core::GroupTable& groups = rehearsal_.groups();
    const auto root = leaf.valid() ? groups.root_of(leaf) : std::nullopt;
    if (!root) return {};
    const bool gang = groups[*root].composite || groups[*root].spec().policy.gang;
    return gang ? *root : GroupId{};
  }

  // The topmost controller of what the maker made, into Units::owners_.
  std::uint32_t owner_of(PodId pod, std::uint32_t maker) {
    if (maker == core::kNoIndex) return core::kNoIndex;
    if (owner_of_.size() <= maker) owner_of_.resize(maker + std::size_t{1}, core::kNoIndex);
    std::uint32_t& known = owner_of_[maker];
    if (known != core::kNoIndex) return known;
    const explain::ObjectName owner =
        whatif::owner_of(rehearsal_.neighbours(), *rehearsal_.cluster().pod(pod).object);
    const auto [at, fresh] =
        by_owner_.try_emplace(owner.api_version + explain::text_of(owner),
                              static_cast<std::uint32_t>(units_.owners_.size()));
    if (fresh) units_.owners_.push_back(owner);
    known = at->second;
    return known;
  }

  Rehearsal& rehearsal_;
  Units& units_;
  Bitset own_;                           // by pod
  std::vector<std::uint32_t> owner_of_;  // by maker; kNoIndex: not met yet
  std::vector<Portion> portions_;
  std::vector<std::uint32_t> portion_of_owner_;
  std::vector<std::uint32_t> portion_of_group_;
  std::map<std::string, std::uint32_t> by_owner_;
};

Units::Units(Rehearsal& rehearsal) : rehearsal_(rehearsal) { Sorter(rehearsal, *this).run(); }

std::string Units::name(std::uint32_t unit) const {
  const Unit& named = units_[unit];
  if (named.owner != core::kNoIndex) return explain::text_of(owners_[named.owner]);
  if (!named.group.valid()) return explain::text_of(end(unit).front());
  return core::title_of(rehearsal_.groups()[named.group]);
}

std::vector<explain::ObjectName> Units::end(std::uint32_t unit) const {
  if (units_[unit].owner != core::kNoIndex) return {owners_[units_[unit].owner]};
  std::vector<explain::ObjectName> objects;
  for (const PodId pod : pods(unit)) {
    const auto& meta = rehearsal_.cluster().pod(pod).object->meta;
    objects.push_back({"Pod", meta.ns, meta.name});
  }
  std::ranges::sort(objects, {}, &explain::ObjectName::name);
  return objects;
}

}  // namespace tutti::whatif
