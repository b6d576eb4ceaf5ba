#include "explain/table.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <tuple>
#include <utility>

#include "explain/demand.h"

namespace tutti::explain {
namespace {

using core::GroupId;
using core::PodId;

std::string policy_text(const core::Group& group) {
  if (!group.seen()) return {};
  const auto& policy = group.spec().policy;
  return policy.gang ? fmt::format("gang {}", policy.minimum) : "basic";
}

std::string domain_text(const Sources& sources, GroupId id) {
  const core::Group& group = sources.groups[id];
  if (!group.seen() || group.spec().topology_key.empty()) return {};
  const std::string& key = group.spec().topology_key;
  const auto& column = sources.cluster.domains(key);
  std::set<std::string> values;
  for (const PodId pod : placed_pods(sources.groups, id)) {
    const core::NodeId node = sources.cluster.pod(pod).node;
    if (!node.valid()) continue;
    const std::uint32_t domain = column.domain_of[node.index];
    if (domain != core::DomainColumn::kNone) values.insert(column.values[domain]);
  }
  return values.empty() ? std::string{} : fmt::format("{}={}", key, fmt::join(values, ","));
}

GroupRow group_row(const Sources& sources, GroupId id) {
  Verdict verdict = explain_group(sources, id);
  GroupRow row;
  row.kind = std::move(verdict.object.kind);
  row.ns = std::move(verdict.object.ns);
  row.name = std::move(verdict.object.name);
  row.policy = policy_text(sources.groups[id]);
  row.placed = scheduled_pods(sources.groups, id);
  row.minimum = required_pods(sources.groups, id);
  row.total = all_pods(sources.groups, id);
  row.domain = domain_text(sources, id);
  row.state = verdict.state;
  row.blocker = verdict.blocker;
  row.summary = std::move(verdict.summary);
  return row;
}

PodRow pod_row(const Sources& sources, PodId id) {
  Verdict verdict = explain_pod(sources, id);
  const core::PodEntry& entry = sources.cluster.pod(id);
  return {std::move(verdict.object.ns),
          std::move(verdict.object.name),
          entry.node.valid() ? sources.cluster.node_name(entry.node) : entry.object->node_name,
          verdict.state,
          verdict.blocker,
          std::move(verdict.summary)};
}

std::set<PodId> grouped_pods(const core::GroupTable& groups) {
  std::set<PodId> grouped;
  for (std::uint32_t slot = 0; slot < groups.slots(); ++slot) {
    if (!groups.alive({slot})) continue;
    const core::Group& group = groups[{slot}];
    for (const auto* members : {&group.pending, &group.assumed, &group.assigned}) {
      grouped.insert(members->begin(), members->end());
    }
  }
  return grouped;
}

void add_groups(Table& table, const Sources& sources) {
  for (std::uint32_t slot = 0; slot < sources.groups.slots(); ++slot) {
    if (!sources.groups.alive({slot})) continue;
    table.groups.push_back(group_row(sources, {slot}));
    if (table.groups.back().state == State::running) ++table.totals.groups_running;
  }
  table.totals.groups = table.groups.size();
  std::ranges::sort(table.groups, {},
                    [](const GroupRow& row) { return std::tie(row.ns, row.name, row.kind); });
}

void add_pods(Table& table, const Sources& sources) {
  const auto grouped = grouped_pods(sources.groups);
  for (std::uint32_t slot = 0; slot < sources.cluster.pod_slots(); ++slot) {
    const core::PodEntry& entry = sources.cluster.pod({slot});
    if (entry.object == nullptr) continue;
    ++table.totals.pods;
    if (entry.node.valid() || !entry.object->node_name.empty()) ++table.totals.pods_placed;
    if (!grouped.contains(PodId{slot})) table.pods.push_back(pod_row(sources, {slot}));
  }
  std::ranges::sort(table.pods, {}, [](const PodRow& row) { return std::tie(row.ns, row.name); });
}

}  // namespace

Table tabulate(const Sources& sources) {
  Table table;
  table.totals.nodes = sources.cluster.node_count();
  add_groups(table, sources);
  add_pods(table, sources);
  return table;
}

}  // namespace tutti::explain
