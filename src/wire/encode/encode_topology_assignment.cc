#include "wire/encode/encode_topology_assignment.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "wire/decode/topology_assignment.h"

namespace tutti::wire {
namespace {

using model::AssignedDomain;
using model::TopologyAssignment;

constexpr std::string_view kAssignment = "topologyAssignment";

bool says_assignment(const Value* written, bool v1beta1, const TopologyAssignment& assignment) {
  if (written == nullptr || !written->is_object()) return false;
  FieldErrors errors;
  TopologyAssignment present;
  read_topology_assignment(Field(*written, errors), v1beta1, present);
  return errors.empty() && present == assignment;
}

void write_domains(Overlay& at, const std::vector<AssignedDomain>& domains) {
  const auto never = [](const Value&, const AssignedDomain&) { return false; };
  at.list("domains", domains, never, [](Overlay& item, const AssignedDomain& domain) {
    item.number("count", domain.pods);
    item.texts("values", domain.values);
  });
}

// A value that all domains share is written once.
void write_column(Overlay& at, const std::vector<std::string>& values) {
  if (std::ranges::count(values, values.front()) == std::ssize(values)) {
    return at.text_always("universal", values.front());
  }
  at.member("individual", [&](Overlay& individual) { individual.texts("roots", values); });
}

void write_pod_counts(Overlay& at, const std::vector<AssignedDomain>& domains) {
  const std::int32_t first = domains.front().pods;
  if (std::ranges::count(domains, first, &AssignedDomain::pods) == std::ssize(domains)) {
    return at.number("universal", first);
  }
  std::string counts;
  for (const AssignedDomain& domain : domains) {
    counts += fmt::format("{}{}", counts.empty() ? "[" : ",", domain.pods);
  }
  at.json("individual", counts + "]");
}

// All domains in one slice.
void write_slice(Overlay& at, const TopologyAssignment& assignment) {
  std::vector<std::vector<std::string>> columns(assignment.levels.size());
  for (const AssignedDomain& domain : assignment.domains) {
    for (std::size_t level = 0; level < columns.size(); ++level) {
      columns[level].push_back(domain.values.at(level));
    }
  }
  const auto never = [](const Value&, const std::vector<std::string>&) { return false; };
  at.number("domainCount", std::ssize(assignment.domains));
  at.member("podCounts", [&](Overlay& counts) { write_pod_counts(counts, assignment.domains); });
  at.list("valuesPerLevel", columns, never, write_column);
}

}  // namespace

void write_topology_assignment(Overlay& at, bool v1beta1,
                               const std::optional<TopologyAssignment>& assignment) {
  if (!assignment) {
    const Value* old = at.find(kAssignment);
    if (old != nullptr && !old->is_null()) at.remove(kAssignment);
    return;
  }
  if (says_assignment(at.find(kAssignment), v1beta1, *assignment)) return;
  at.remove(kAssignment);
  at.member(kAssignment, [&](Overlay& made) {
    made.texts("levels", assignment->levels);
    if (v1beta1) return write_domains(made, assignment->domains);
    const std::vector<TopologyAssignment> slices(assignment->domains.empty() ? 0 : 1, *assignment);
    const auto never = [](const Value&, const TopologyAssignment&) { return false; };
    made.list("slices", slices, never, write_slice);
  });
}

}  // namespace tutti::wire
