#include "whatif/units.h"

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "base/bitset.h"
#include "whatif/author.h"

namespace tutti::whatif {
namespace {

using core::GroupId;
using core::PodId;

bool belongs_to_node(const model::Pod& pod) {
  return std::ranges::any_of(pod.meta.owners, [](const auto& owner) {
    return owner.controller && (owner.kind == "DaemonSet" || owner.kind == "Node");
  });
}

}  // namespace

// Gathers pods by what they end with; those that end by themselves are units at once.
class Units::Sorter {
 public:
  Sorter(Rehearsal& rehearsal, Units& units)
      : rehearsal_(rehearsal), units_(units), own_(rehearsal.cluster().pod_slots()) {
    for (const auto* own : {&rehearsal.waiting(), &rehearsal.running()}) {
      for (const PodId pod : *own) own_.set(pod.index);
    }
  }

  void run() {
    find_owners();
    for (const Rehearsal::Occupant& occupant : rehearsal_.occupants()) {
      if (occupant.leaving || own_.test(occupant.pod.index)) continue;
      sort_in(occupant.pod, occupant.leaf, owner_of_[occupant.pod.index], true);
    }
    add_waiting();
    for (const Portion& portion : portions_) {
      Unit unit = portion.unit;
      unit.count = static_cast<std::uint32_t>(portion.pods.size());
      add(unit, portion.pods);
    }
  }

 private:
  // In place of an owner: the pod belongs to its node.
  static constexpr std::uint32_t kNode = core::kNoIndex - 1;

  struct Portion {
    Unit unit;
    std::vector<PodId> pods;
  };
  // Who made a pod, by names that lie in the pods' objects, which stay.
  struct Controller {
    std::string_view ns;
    std::string_view kind;
    std::string_view name;
    bool operator==(const Controller&) const = default;
  };
  struct ControllerHash {
    std::size_t operator()(const Controller& controller) const {
      constexpr std::hash<std::string_view> kHash;
      return kHash(controller.name) * 31 + kHash(controller.ns) * 7 + kHash(controller.kind);
    }
  };

  void add(Unit unit, std::span<const PodId> pods) {
    unit.first = static_cast<std::uint32_t>(units_.pods_.size());
    units_.pods_.insert(units_.pods_.end(), pods.begin(), pods.end());
    units_.units_.push_back(unit);
  }

  // Of everyone on a node who has one. In order of numbers, in which objects tend to lie in memory:
  // by names, as units are made, each of tens of thousands would have to be fetched from afar.
  void find_owners() {
    const core::Cluster& cluster = rehearsal_.cluster();
    Bitset owned(cluster.pod_slots());
    for (const Rehearsal::Occupant& occupant : rehearsal_.occupants()) {
      if (occupant.owned) owned.set(occupant.pod.index);
    }
    owner_of_.assign(cluster.pod_slots(), core::kNoIndex);
    owned.for_each_set([&](std::size_t slot) {
      owner_of_[slot] = owner_of(*cluster.pod({static_cast<std::uint32_t>(slot)}).object);
    });
  }

  void sort_in(PodId pod, GroupId leaf, std::uint32_t owner, bool runs) {
    if (owner == kNode) return;
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

  // Of units that run: what waits of them ends, too.
  void add_waiting() {
    if (portions_.empty()) return;
    const core::Cluster& cluster = rehearsal_.cluster();
    for (std::uint32_t slot = 0; slot < cluster.pod_slots(); ++slot) {
      const PodId pod{slot};
      const core::PodEntry& entry = cluster.pod(pod);
      if (entry.node.valid() || entry.object == nullptr || own_.test(slot)) continue;
      const auto& group = entry.object->spec->scheduling_group;
      const auto leaf = group.empty()
                            ? std::nullopt
                            : rehearsal_.groups().find(entry.object->meta.ns, group, false);
      sort_in(pod, leaf.value_or(GroupId{}), owner_of(*entry.object), false);
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

  // The topmost controller, into Units::owners_; pods of the same one ask for it again and again.
  std::uint32_t owner_of(const model::Pod& pod) {
    if (belongs_to_node(pod)) return kNode;
    const auto controller =
        std::ranges::find_if(pod.meta.owners, &model::OwnerReference::controller);
    if (controller == pod.meta.owners.end()) return core::kNoIndex;
    const auto [at, fresh] =
        by_controller_.try_emplace({pod.meta.ns, controller->kind, controller->name}, 0U);
    if (!fresh) return at->second;
    const explain::ObjectName owner = whatif::owner_of(rehearsal_.neighbours(), pod);
    const auto known = by_owner_.try_emplace(explain::text_of(owner), units_.owners_.size());
    if (known.second) units_.owners_.push_back(owner);
    at->second = static_cast<std::uint32_t>(known.first->second);
    return at->second;
  }

  Rehearsal& rehearsal_;
  Units& units_;
  Bitset own_;                           // by pod
  std::vector<std::uint32_t> owner_of_;  // by pod on a node
  std::vector<Portion> portions_;
  std::vector<std::uint32_t> portion_of_owner_;
  std::vector<std::uint32_t> portion_of_group_;
  std::unordered_map<Controller, std::uint32_t, ControllerHash> by_controller_;
  std::map<std::string, std::size_t> by_owner_;
};

Units::Units(Rehearsal& rehearsal) : rehearsal_(rehearsal) { Sorter(rehearsal, *this).run(); }

std::string Units::name(std::uint32_t index) const {
  const Unit& unit = units_[index];
  if (unit.owner != core::kNoIndex) return explain::text_of(owners_[unit.owner]);
  if (!unit.group.valid()) return explain::text_of(end(index).front());
  const core::Group& group = rehearsal_.groups()[unit.group];
  return explain::text_of(
      {group.composite ? "CompositePodGroup" : "PodGroup", group.ns, group.name});
}

std::vector<explain::ObjectName> Units::end(std::uint32_t index) const {
  if (units_[index].owner != core::kNoIndex) return {owners_[units_[index].owner]};
  std::vector<explain::ObjectName> objects;
  for (const PodId pod : pods(index)) {
    const auto& meta = rehearsal_.cluster().pod(pod).object->meta;
    objects.push_back({"Pod", meta.ns, meta.name});
  }
  std::ranges::sort(objects, {}, &explain::ObjectName::name);
  return objects;
}

}  // namespace tutti::whatif
