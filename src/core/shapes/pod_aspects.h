// PodAspects: what of a pod a plugin looks at beyond what every class of pods has in common.
//
// Pods of one class share the answers of plugins. They always agree in namespace, scheduler name,
// effective requests, node selector and affinity, tolerations, affinity to pods, spread, host
// ports, volumes that have a place, resource claims, and in labels as far as a selector in force
// tells them apart. Nothing else of a pod makes a class of its own (names of volumes, containers
// and pods, environment, tokens, annotations …) unless a plugin says that it looks there.
#pragma once

#include "base/std.h"

namespace tutti::core {

enum class PodAspects : std::uint8_t {
  none = 0,
  images = 1U << 0,       // of its containers
  labels = 1U << 1,       // all of them, whether selected by anything or not
  annotations = 1U << 2,  // all of them
  spec = 1U << 3,         // every field of the spec
  name = 1U << 4,         // and uid, owners, status: no other pod has the same
  everything = 0xffU,
};

constexpr PodAspects operator|(PodAspects a, PodAspects b) {
  return static_cast<PodAspects>(static_cast<std::uint8_t>(a) | static_cast<std::uint8_t>(b));
}
constexpr bool looks_at(PodAspects all, PodAspects aspect) {
  return (static_cast<std::uint8_t>(all) & static_cast<std::uint8_t>(aspect)) != 0;
}

}  // namespace tutti::core
