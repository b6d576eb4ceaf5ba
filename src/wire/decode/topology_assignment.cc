#include "wire/decode/topology_assignment.h"

#include <fmt/format.h>

namespace tutti::wire {
namespace {

// A column of a few bytes can stand for any number of domains.
constexpr std::size_t kAssignedDomainsMax = 100'000;

void read_level(const Field& at, std::size_t level, std::span<model::AssignedDomain> domains) {
  if (at.exactly_one_of({"universal", "individual"}) < 0) return;
  std::string universal;
  at("universal", universal);
  for (model::AssignedDomain& domain : domains) domain.values[level] = universal;
  at.member("individual", [&](const Field& individual) {
    std::string prefix;
    std::string suffix;
    std::vector<std::string> roots;
    individual("prefix", prefix);
    individual("suffix", suffix);
    individual("roots", roots);
    if (roots.size() != domains.size()) {
      return individual.fail_member(
          "roots",
          fmt::format("must have domainCount entries ({}), has {}", domains.size(), roots.size()));
    }
    for (std::size_t i = 0; i < roots.size(); ++i) {
      domains[i].values[level] = prefix + roots[i] + suffix;
    }
  });
}

void read_pod_counts(const Field& at, std::span<model::AssignedDomain> domains) {
  if (at.exactly_one_of({"universal", "individual"}) < 0) return;
  std::int32_t universal = 0;
  at("universal", universal);
  for (model::AssignedDomain& domain : domains) domain.pods = universal;
  at.member("individual", [&](const Field& individual) {
    std::vector<std::int32_t> counts;
    read(individual, counts);
    if (counts.size() != domains.size()) {
      return individual.fail(
          fmt::format("must have domainCount entries ({}), has {}", domains.size(), counts.size()));
    }
    for (std::size_t i = 0; i < counts.size(); ++i) domains[i].pods = counts[i];
  });
}

void read_slice(const Field& at, model::TopologyAssignment& out) {
  std::int32_t count = 0;
  at("domainCount", count);
  const std::size_t before = out.domains.size();
  if (count < 1 || static_cast<std::size_t>(count) > kAssignedDomainsMax - before) {
    return at.fail_member("domainCount", fmt::format("must be at least 1, of all slices together "
                                                     "at most {}, is {}",
                                                     kAssignedDomainsMax, count));
  }
  out.domains.resize(before + static_cast<std::size_t>(count));
  const std::span added = std::span(out.domains).subspan(before);
  for (model::AssignedDomain& domain : added) domain.values.resize(out.levels.size());
  std::size_t level = 0;
  at.list("valuesPerLevel", [&](const Field& values) {
    if (level < out.levels.size()) read_level(values, level, added);
    ++level;
  });
  if (level != out.levels.size()) {
    at.fail_member("valuesPerLevel", fmt::format("must have one entry per level ({}), has {}",
                                                 out.levels.size(), level));
  }
  at.required_member("podCounts", [&](const Field& counts) { read_pod_counts(counts, added); });
}

}  // namespace

void read_topology_assignment(const Field& at, bool v1beta1, model::TopologyAssignment& out) {
  at("levels", out.levels);
  if (!v1beta1) {
    return at.list("slices", [&](const Field& slice) { read_slice(slice, out); });
  }
  at.list("domains", [&](const Field& item) {
    model::AssignedDomain& domain = out.domains.emplace_back();
    item("values", domain.values);
    item("count", domain.pods);
  });
}

}  // namespace tutti::wire
