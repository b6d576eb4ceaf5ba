#include "explain/quota_room.h"

#include <algorithm>
#include <map>

#include "core/requests/flavor_match.h"
#include "quota/amount.h"

namespace tutti::explain {
namespace {

using core::QuotaQueue;
using core::Request;

std::optional<quota::FlavorResourceId> find_pair(const quota::Tree& tree, const QuotaQueue& queue,
                                                 std::string_view flavor,
                                                 std::string_view resource) {
  const quota::FlavorResources& names = tree.flavor_resources();
  for (const auto of : tree.flavor_resources_of(tree.root(queue.node))) {
    if (names.name(names.flavor(of)) == flavor && names.name(names.resource(of)) == resource) {
      return of;
    }
  }
  return std::nullopt;
}

bool asks(const Request& request, std::size_t set, const std::string& resource) {
  return resource == core::kPodsName || request.asks[set].contains(resource);
}

std::int64_t amount_of(const Request& request, std::size_t set, const std::string& resource) {
  const std::int64_t count = request.object->spec.pod_sets[set].count;
  if (resource == core::kPodsName) return count;
  const auto at = request.asks[set].find(resource);
  if (at == request.asks[set].end()) return 0;
  return quota::to_int64(quota::Amount{at->second} * count);
}

ResourceRoom room_of(const quota::Tree& tree, const QuotaQueue& queue, quota::FlavorResourceId of,
                     std::int64_t need) {
  const quota::QuotaNodeId node = queue.node;
  const quota::Amount free = quota::at_least_zero(tree.available(node, of));
  return {.resource = {},
          .need = need,
          .nominal = quota::to_int64(tree.nominal(node, of)),
          .used = quota::to_int64(tree.usage(node, of)),
          .borrowed = quota::to_int64(tree.borrowed(node, of)),
          .free = quota::to_int64(free),
          .most = quota::to_int64(tree.potential(node, of)),
          .borrowing_limit = tree.borrowing_limit(node, of),
          .borrow_level = tree.reach(node, of, need).borrow_level};
}

// Looks at one flavor; it has no resources where the request asks for none of its group.
FlavorRoom look_at(const core::RequestTable& table, const QuotaQueue& queue, const Request& request,
                   std::size_t group_index, std::size_t flavor_index) {
  const model::ResourceGroup& group = queue.object->spec.groups[group_index];
  FlavorRoom room{.group = group_index,
                  .flavor = flavor_index,
                  .name = group.flavors[flavor_index].flavor,
                  .mismatch = {},
                  .resources = {}};
  const core::QuotaObjects& objects = table.objects();
  const quota::Tree& tree = objects.tree();
  const bool implied = objects.is_all_topology(queue);
  std::map<std::string, std::int64_t> needs;
  bool usable = false;
  std::string mismatch;
  for (std::size_t set = 0; set < request.object->spec.pod_sets.size(); ++set) {
    const bool wants = std::ranges::any_of(
        group.covered, [&](const std::string& name) { return asks(request, set, name); });
    if (!wants) continue;
    std::string why = core::flavor_mismatch(objects, *request.object,
                                            request.object->spec.pod_sets[set], room.name, implied);
    if (!why.empty()) {
      if (mismatch.empty()) mismatch = std::move(why);
      continue;
    }
    usable = true;
    for (const std::string& name : group.covered) {
      if (asks(request, set, name)) needs[name] += amount_of(request, set, name);
    }
  }
  if (!usable) {
    room.mismatch = std::move(mismatch);
    return room;
  }
  for (const std::string& name : group.covered) {
    const auto need = needs.find(name);
    const auto of = find_pair(tree, queue, room.name, name);
    if (need == needs.end() || !of) continue;
    room.resources.push_back(room_of(tree, queue, *of, need->second));
    room.resources.back().resource = name;
  }
  return room;
}

}  // namespace

bool FlavorRoom::fits() const {
  return usable() && std::ranges::none_of(resources, &ResourceRoom::lacks);
}

bool FlavorRoom::never() const { return std::ranges::any_of(resources, &ResourceRoom::never); }

std::vector<FlavorRoom> quota_room(const core::RequestTable& table, const core::QuotaQueue& queue,
                                   const core::Request& request) {
  std::vector<FlavorRoom> rooms;
  const auto& groups = queue.object->spec.groups;
  for (std::size_t group = 0; group < groups.size(); ++group) {
    for (std::size_t flavor = 0; flavor < groups[group].flavors.size(); ++flavor) {
      FlavorRoom room = look_at(table, queue, request, group, flavor);
      if (room.usable() && room.resources.empty()) continue;
      rooms.push_back(std::move(room));
    }
  }
  return rooms;
}

std::vector<const FlavorRoom*> lacking_flavors(std::span<const FlavorRoom> rooms) {
  std::map<std::size_t, const FlavorRoom*> by_group;
  std::map<std::size_t, bool> fits;
  for (const FlavorRoom& room : rooms) {
    fits[room.group] = fits[room.group] || room.fits();
    if (!room.usable()) continue;
    const FlavorRoom*& chosen = by_group[room.group];
    if (chosen == nullptr || (chosen->never() && !room.never())) chosen = &room;
  }
  std::vector<const FlavorRoom*> out;
  for (const auto& [group, room] : by_group) {
    if (!fits[group]) out.push_back(room);
  }
  return out;
}

}  // namespace tutti::explain
