#include "daemon/watch/group_sources.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::daemon {
namespace {

using grouping::OwnerKind;

constexpr std::string_view kJobGate = "WorkloadWithJob";

bool is_job(const OwnerKind& kind) { return kind.api_group == "batch"; }

// These own Jobs whose pods are grouped: to see them, Jobs must be seen.
bool owns_jobs(const OwnerKind& kind) { return kind.kind == "JobSet" || kind.kind == "MPIJob"; }

// Why the cluster's own controller is trusted with Jobs; empty: it does not group them.
std::string who_groups_jobs(const kube::Served& served,
                            const std::optional<kube::FeatureGates>& gates) {
  if (served.pod_groups.empty() || served.workloads.empty()) return {};
  if (!gates) return "PodGroups are served, and so kube-controller-manager makes them of Jobs";
  const auto gate = gates->find(kJobGate);
  if (gate == gates->end() || !gate->second) return {};
  return fmt::format(
      "PodGroups are served and the gate {} is on: kube-controller-manager makes them", kJobGate);
}

std::string why_grouped(const kube::Served& served) {
  if (served.pod_groups.empty()) return "the cluster serves no PodGroups";
  return "the cluster's own controllers make no PodGroups of them";
}

kube::Resource resource_of(const OwnerKind& kind, const kube::Offer& offer) {
  kube::Resource made;
  made.kind = is_job(kind) ? model::Kind::job : model::Kind::other;
  made.group_version = offer.group_version;
  made.plural = kind.plural;
  made.keep_documents = kind.wants_document;
  return made;
}

void add_name(std::string& names, const OwnerKind& kind) {
  if (!names.empty()) names += ", ";
  names += fmt::format("{}.{}", kind.plural, kind.api_group);
}

}  // namespace

std::vector<kube::ResourceName> owner_resources() {
  std::vector<kube::ResourceName> names;
  for (const OwnerKind& kind : grouping::owner_kinds()) {
    names.push_back({std::string(kind.api_group), std::string(kind.plural)});
  }
  return names;
}

GroupSources group_sources(GroupInMemory mode, const kube::Served& served,
                           const std::optional<kube::FeatureGates>& gates,
                           const std::vector<kube::Offer>& offers) {
  GroupSources sources;
  if (mode == GroupInMemory::never) {
    sources.lines.emplace_back("no pods are grouped in memory", "--group-in-memory=never");
    return sources;
  }
  const auto kinds = grouping::owner_kinds();
  const std::string others =
      mode == GroupInMemory::automatic ? who_groups_jobs(served, gates) : std::string();
  bool jobs_owned = false;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    jobs_owned = jobs_owned || (owns_jobs(kinds[i]) && offers[i].readable);
  }
  std::string grouped = "pods with Kueue's group label";
  std::string refused;
  for (std::size_t i = 0; i < kinds.size(); ++i) {
    const OwnerKind& kind = kinds[i];
    if (offers[i].group_version.empty()) continue;
    const bool left = is_job(kind) && !others.empty();
    if (left && !jobs_owned) continue;
    if (!offers[i].readable) {
      add_name(refused, kind);
      continue;
    }
    sources.resources.push_back(resource_of(kind, offers[i]));
    sources.watched.insert(&kind);
    left ? void(sources.left_alone.insert(&kind)) : add_name(grouped, kind);
  }
  sources.lines.emplace_back(fmt::format("groups in memory: {}", grouped), why_grouped(served));
  if (!others.empty()) sources.lines.emplace_back("leaves Jobs alone", others);
  if (!refused.empty()) {
    sources.lines.emplace_back(
        fmt::format("schedules one by one the pods of: {}", refused),
        "they cannot be read; see the ClusterRole in deploy/manifests/10-rbac.yaml");
  }
  return sources;
}

}  // namespace tutti::daemon
