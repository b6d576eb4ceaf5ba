// ProfileSet: the profiles of this scheduler, and which of them places a pod.
#pragma once

#include "base/std.h"
#include "core/framework/profile.h"
#include "model/pod.h"

namespace tutti::core {

class ProfileSet {
 public:
  // With `sole_scheduler`, pods without a scheduler name or naming "default-scheduler" are the
  // first profile's. Requires at least one profile.
  ProfileSet(std::vector<Profile> profiles, bool sole_scheduler);

  // The profile that places the pod; null when it is another scheduler's.
  const Profile* profile_for(const model::Pod& pod) const;
  const std::vector<Profile>& all() const { return profiles_; }
  // "plugin X failed: …" of the first user's plugin that did; empty: none.
  std::string plugin_failure() const;

 private:
  std::vector<Profile> profiles_;
  bool sole_scheduler_;
};

}  // namespace tutti::core
