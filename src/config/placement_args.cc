#include "config/placement_args.h"

#include <fmt/core.h>

#include <algorithm>
#include <limits>
#include <string>
#include <utility>

#include "config/strict.h"
#include "wire/decode/decode_parts.h"

namespace tutti::config {
namespace {

using wire::Field;
using Defaulting = core::PodTopologySpreadArgs::Defaulting;

constexpr wire::EnumTable<Defaulting, 2> kDefaultings = {{
    {"System", Defaulting::system},
    {"List", Defaulting::list},
}};
constexpr wire::EnumTable<bool, 2> kHardness = {{
    {"DoNotSchedule", true},
    {"ScheduleAnyway", false},
}};
constexpr wire::EnumTable<bool, 2> kHonouring = {{
    {"Honor", true},
    {"Ignore", false},
}};

model::NodeSelectorTerm read_term(const Field& at) {
  only_members(at, {"matchExpressions", "matchFields"});
  model::NodeSelectorTerm term;
  read(at, term);
  return term;
}

void read_required(const Field& at, model::NodeAffinity& out) {
  only_members(at, {"nodeSelectorTerms"});
  out.required.emplace();
  at.list("nodeSelectorTerms",
          [&](const Field& item) { out.required->push_back(read_term(item)); });
  if (out.required->empty()) at.fail_member("nodeSelectorTerms", "needs at least one term");
}

model::PreferredNodeTerm read_preferred(const Field& at) {
  only_members(at, {"weight", "preference"});
  model::PreferredNodeTerm out;
  read_within(at, "weight", 1, 100, out.weight);
  at.required_member("preference", [&](const Field& field) { out.term = read_term(field); });
  if (out.weight == 0) at.fail_member("weight", "required");
  return out;
}

model::NodeAffinity read_affinity(const Field& at) {
  only_members(at, {"requiredDuringSchedulingIgnoredDuringExecution",
                    "preferredDuringSchedulingIgnoredDuringExecution"});
  model::NodeAffinity out;
  at.member("requiredDuringSchedulingIgnoredDuringExecution",
            [&](const Field& field) { read_required(field, out); });
  at.list("preferredDuringSchedulingIgnoredDuringExecution",
          [&](const Field& item) { out.preferred.push_back(read_preferred(item)); });
  return out;
}

model::TopologySpreadConstraint read_constraint(const Field& at) {
  only_members(at, {"maxSkew", "topologyKey", "whenUnsatisfiable", "minDomains",
                    "nodeAffinityPolicy", "nodeTaintsPolicy", "labelSelector"});
  model::TopologySpreadConstraint out;
  read_within(at, "maxSkew", 1, std::numeric_limits<std::int32_t>::max(), out.max_skew);
  at.required("topologyKey", out.topology_key);
  at.required("whenUnsatisfiable", out.hard, kHardness);
  at("minDomains", out.min_domains);
  if (out.min_domains && *out.min_domains < 1) at.fail("minDomains must be at least 1");
  at("nodeAffinityPolicy", out.honor_node_affinity, kHonouring);
  at("nodeTaintsPolicy", out.honor_node_taints, kHonouring);
  at.member("labelSelector", [](const Field& field) {
    field.fail("not allowed here: it follows from what the pod belongs to");
  });
  return out;
}

}  // namespace

void read_args(const Field& at, core::NodeAffinityArgs& out) {
  only_members(at, {"apiVersion", "kind", "addedAffinity"});
  at.member("addedAffinity",
            [&](const Field& field) { out.added_affinity = read_affinity(field); });
}

void read_args(const Field& at, core::PodTopologySpreadArgs& out) {
  only_members(at, {"apiVersion", "kind", "defaultConstraints", "defaultingType"});
  at("defaultingType", out.defaulting, kDefaultings);
  at.list("defaultConstraints", [&](const Field& item) {
    model::TopologySpreadConstraint constraint = read_constraint(item);
    const auto same = [&](const auto& other) {
      return other.topology_key == constraint.topology_key && other.hard == constraint.hard;
    };
    if (std::ranges::any_of(out.default_constraints, same)) {
      item.fail(fmt::format("a second constraint on '{}' of the same strictness",
                            constraint.topology_key));
    }
    out.default_constraints.push_back(std::move(constraint));
  });
  if (out.defaulting == Defaulting::system && !out.default_constraints.empty()) {
    at.fail_member("defaultConstraints", "only with defaultingType List");
  }
}

}  // namespace tutti::config
