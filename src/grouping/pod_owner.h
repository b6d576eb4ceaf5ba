// Whom a pod belongs to, as far as the pod itself tells.
#pragma once

#include "base/std.h"
#include "grouping/owner_kinds.h"
#include "model/pod.h"

namespace tutti::grouping {

struct PodOwnerClues {
  // Kueue's words: the pod itself says how large its gang is.
  std::string own_group{};
  std::int32_t own_minimum = 0;
  // Otherwise: whom to ask, and which one of that name; an empty uid: whichever there is.
  std::optional<OwnerKey> owner{};
  std::string owner_uid{};
};

// Nothing: the pod stands alone, names its PodGroup itself, or comes one after the other with its
// like (Kueue's serving groups), so that nobody can wait for the others.
PodOwnerClues clues_of(const model::Pod& pod);

// The owner above a Job; empty: none that says anything here.
std::optional<OwnerKey> owner_of(const model::ObjectMeta& meta);

}  // namespace tutti::grouping
