#include "core/framework/profile_set.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/check.h"

namespace tutti::core {

ProfileSet::ProfileSet(std::vector<Profile> profiles, bool sole_scheduler)
    : profiles_(std::move(profiles)), sole_scheduler_(sole_scheduler) {
  TUTTI_CHECK(!profiles_.empty());
}

const Profile* ProfileSet::profile_for(const model::Pod& pod) const {
  const std::string& wanted = pod.spec->scheduler_name;
  for (const auto& profile : profiles_) {
    if (profile.scheduler_name == wanted) return &profile;
  }
  const bool unnamed = wanted.empty() || wanted == "default-scheduler";
  if (!unnamed) return nullptr;
  if (sole_scheduler_) return &profiles_.front();
  const auto standard = std::ranges::find(profiles_, "default-scheduler", &Profile::scheduler_name);
  return standard != profiles_.end() ? &*standard : nullptr;
}

std::string ProfileSet::plugin_failure() const {
  for (const auto& profile : profiles_) {
    for (const auto& plugin : profile.plugins) {
      const std::string failure = plugin->failure();
      if (!failure.empty()) return fmt::format("plugin {} failed: {}", plugin->name(), failure);
    }
  }
  return {};
}

}  // namespace tutti::core
