#include "wire/decode/kind_table.h"

#include <algorithm>

namespace tutti::wire {
namespace {

using model::Kind;

struct Row {
  Kind kind;
  std::string_view api_version;
};

// Rows of one kind begin with the oldest version. Pods lead because most objects are pods.
constexpr Row kRows[] = {
    {Kind::pod, "v1"},
    {Kind::node, "v1"},
    {Kind::ns, "v1"},
    {Kind::service, "v1"},
    {Kind::replication_controller, "v1"},
    {Kind::persistent_volume_claim, "v1"},
    {Kind::persistent_volume, "v1"},
    {Kind::event, "v1"},
    {Kind::replica_set, "apps/v1"},
    {Kind::stateful_set, "apps/v1"},
    {Kind::deployment, "apps/v1"},
    {Kind::job, "batch/v1"},
    {Kind::storage_class, "storage.k8s.io/v1"},
    {Kind::csi_node, "storage.k8s.io/v1"},
    {Kind::csi_driver, "storage.k8s.io/v1"},
    {Kind::csi_storage_capacity, "storage.k8s.io/v1"},
    {Kind::volume_attachment, "storage.k8s.io/v1"},
    {Kind::pod_disruption_budget, "policy/v1"},
    {Kind::lease, "coordination.k8s.io/v1"},
    {Kind::priority_class, "scheduling.k8s.io/v1"},
    {Kind::workload, "scheduling.k8s.io/v1alpha2"},
    {Kind::workload, "scheduling.k8s.io/v1alpha3"},
    {Kind::workload, "scheduling.k8s.io/v1beta1"},
    {Kind::pod_group, "scheduling.k8s.io/v1alpha2"},
    {Kind::pod_group, "scheduling.k8s.io/v1alpha3"},
    {Kind::pod_group, "scheduling.k8s.io/v1beta1"},
    {Kind::composite_pod_group, "scheduling.k8s.io/v1alpha3"},
    {Kind::device_class, "resource.k8s.io/v1beta1"},
    {Kind::device_class, "resource.k8s.io/v1beta2"},
    {Kind::device_class, "resource.k8s.io/v1"},
    {Kind::resource_claim, "resource.k8s.io/v1beta1"},
    {Kind::resource_claim, "resource.k8s.io/v1beta2"},
    {Kind::resource_claim, "resource.k8s.io/v1"},
    {Kind::resource_claim_template, "resource.k8s.io/v1beta1"},
    {Kind::resource_claim_template, "resource.k8s.io/v1beta2"},
    {Kind::resource_claim_template, "resource.k8s.io/v1"},
    {Kind::resource_slice, "resource.k8s.io/v1beta1"},
    {Kind::resource_slice, "resource.k8s.io/v1beta2"},
    {Kind::resource_slice, "resource.k8s.io/v1"},
    {Kind::device_taint_rule, "resource.k8s.io/v1beta2"},
    {Kind::device_taint_rule, "resource.k8s.io/v1"},
    {Kind::topology, "kueue.x-k8s.io/v1alpha1"},
    {Kind::topology, "kueue.x-k8s.io/v1beta1"},
    {Kind::topology, "kueue.x-k8s.io/v1beta2"},
    {Kind::resource_flavor, "kueue.x-k8s.io/v1beta1"},
    {Kind::resource_flavor, "kueue.x-k8s.io/v1beta2"},
    {Kind::cluster_queue, "kueue.x-k8s.io/v1beta1"},
    {Kind::cluster_queue, "kueue.x-k8s.io/v1beta2"},
    {Kind::cohort, "kueue.x-k8s.io/v1alpha1"},
    {Kind::cohort, "kueue.x-k8s.io/v1beta1"},
    {Kind::cohort, "kueue.x-k8s.io/v1beta2"},
    {Kind::local_queue, "kueue.x-k8s.io/v1beta1"},
    {Kind::local_queue, "kueue.x-k8s.io/v1beta2"},
    {Kind::workload_priority_class, "kueue.x-k8s.io/v1beta1"},
    {Kind::workload_priority_class, "kueue.x-k8s.io/v1beta2"},
    {Kind::admission_check, "kueue.x-k8s.io/v1beta1"},
    {Kind::admission_check, "kueue.x-k8s.io/v1beta2"},
    {Kind::admission_request, "kueue.x-k8s.io/v1beta1"},
    {Kind::admission_request, "kueue.x-k8s.io/v1beta2"},
};

// "apps" of "apps/v1"; empty for the core group's "v1".
std::string_view group_of(std::string_view api_version) {
  const std::size_t slash = api_version.find('/');
  return slash == std::string_view::npos ? std::string_view{} : api_version.substr(0, slash);
}

// Groups that users may add have a dot in their names; those without are Kubernetes' own.
bool is_built_in(std::string_view group) {
  return group.find('.') == std::string_view::npos ||
         std::ranges::any_of(kRows,
                             [&](const Row& row) { return group_of(row.api_version) == group; });
}

// Whether the group has a kind of this name.
bool has_kind(std::string_view group, std::string_view kind) {
  return std::ranges::any_of(kRows, [&](const Row& row) {
    return group_of(row.api_version) == group && model::facts(row.kind).name == kind;
  });
}

// Whether the group is another project's, and may have a kind of its own under the name of one that
// we know elsewhere.
bool is_namesake(std::string_view group, std::string_view kind) {
  return group.ends_with(".x-k8s.io") && !has_kind(group, kind);
}

}  // namespace

Kind kind_of(std::string_view api_version, std::string_view kind) {
  const auto row = std::ranges::find_if(kRows, [&](const Row& candidate) {
    return candidate.api_version == api_version && model::facts(candidate.kind).name == kind;
  });
  return row != std::end(kRows) ? row->kind : Kind::other;
}

std::string_view default_api_version(Kind kind) {
  std::string_view version;
  for (const Row& row : kRows) {
    if (row.kind == kind) version = row.api_version;
  }
  return version;
}

std::optional<std::string> understood_versions_instead_of(std::string_view api_version,
                                                          std::string_view kind) {
  const std::string_view group = group_of(api_version);
  if (!is_built_in(group) || is_namesake(group, kind)) return std::nullopt;
  std::string versions;
  const bool known_here = has_kind(group, kind);
  for (const Row& row : kRows) {
    if (model::facts(row.kind).name != kind) continue;
    if (row.api_version == api_version) return std::nullopt;
    // Two groups have a Workload.
    if (known_here && group_of(row.api_version) != group) continue;
    if (!versions.empty()) versions += ", ";
    const bool same_group = !group.empty() && group_of(row.api_version) == group;
    versions += row.api_version.substr(same_group ? group.size() + 1 : 0);
  }
  if (versions.empty()) return std::nullopt;
  return versions;
}

}  // namespace tutti::wire
