// What pods' volumes and claims say, shared by the volume plugins.
#pragma once

#include "base/std.h"
#include "core/cluster/cluster.h"
#include "core/framework/plugin_status.h"
#include "model/pod.h"
#include "model/storage.h"

namespace tutti::plugins {

inline constexpr std::string_view kSelectedNode = "volume.kubernetes.io/selected-node";
inline constexpr std::string_view kNoProvisioner = "kubernetes.io/no-provisioner";

// The claim behind a volume: its own, or the one made for an ephemeral volume. Empty: none.
std::string claim_name(const model::Pod& pod, const model::Volume& volume);

// The class the claim asks for, or empty.
std::string class_name(const model::PersistentVolumeClaim& claim);

// Bound for good: both sides know of each other.
bool fully_bound(const model::PersistentVolumeClaim& claim);

bool has_access_mode(const model::PersistentVolumeClaim& claim, std::string_view mode);

// Whether the volume's claimRef names the claim.
bool reserved_for(const model::PersistentVolume& volume, const model::PersistentVolumeClaim& claim);

// kube-scheduler's words for an object that should be there.
core::PluginStatus not_found(std::string_view plugin, std::string_view resource,
                             std::string_view name);

// "ns/name".
std::string claim_key(const model::PersistentVolumeClaim& claim);

}  // namespace tutti::plugins
