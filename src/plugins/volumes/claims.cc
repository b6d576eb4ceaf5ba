#include "plugins/volumes/claims.h"

#include <fmt/format.h>

#include <algorithm>

namespace tutti::plugins {

std::string claim_name(const model::Pod& pod, const model::Volume& volume) {
  switch (volume.source) {
    case model::Volume::Source::claim:
      return volume.id;
    case model::Volume::Source::ephemeral:
      return pod.meta.name + "-" + volume.name;
    default:
      return {};
  }
}

std::string class_name(const model::PersistentVolumeClaim& claim) {
  // The annotation is older than the field and still wins over it.
  const auto* annotated =
      model::find(claim.meta.annotations, "volume.beta.kubernetes.io/storage-class");
  return annotated != nullptr ? *annotated : claim.storage_class.value_or("");
}

bool fully_bound(const model::PersistentVolumeClaim& claim) {
  return !claim.volume_name.empty() &&
         (claim.phase == "Bound" ||
          model::find(claim.meta.annotations, "pv.kubernetes.io/bind-completed") != nullptr);
}

bool has_access_mode(const model::PersistentVolumeClaim& claim, std::string_view mode) {
  return std::ranges::find(claim.access_modes, mode) != claim.access_modes.end();
}

bool reserved_for(const model::PersistentVolume& volume,
                  const model::PersistentVolumeClaim& claim) {
  return volume.claim_name == claim.meta.name && volume.claim_namespace == claim.meta.ns &&
         (volume.claim_uid.empty() || volume.claim_uid == claim.meta.uid);
}

core::PluginStatus not_found(std::string_view plugin, std::string_view resource,
                             std::string_view name) {
  return {core::Code::unresolvable, plugin, fmt::format("{} \"{}\" not found", resource, name)};
}

std::string claim_key(const model::PersistentVolumeClaim& claim) {
  return claim.meta.ns + "/" + claim.meta.name;
}

}  // namespace tutti::plugins
