#include "core/preemption/checkpoint_notices.h"

#include <algorithm>
#include <utility>

namespace tutti::core {

std::optional<CheckpointNotice> CheckpointNotices::saved(PodId pod, const std::string* checkpoint) {
  const auto at = notices_.find(pod);
  if (at == notices_.end()) return std::nullopt;
  if (checkpoint == nullptr || *checkpoint == at->second.checkpoint) return std::nullopt;
  return std::move(notices_.extract(at).mapped());
}

std::vector<std::pair<PodId, CheckpointNotice>> CheckpointNotices::take_due(Instant now) {
  std::vector<std::pair<PodId, CheckpointNotice>> due;
  for (auto at = notices_.begin(); at != notices_.end();) {
    if (at->second.until > now) {
      ++at;
      continue;
    }
    due.emplace_back(at->first, std::move(at->second));
    at = notices_.erase(at);
  }
  return due;
}

std::vector<std::pair<PodId, CheckpointNotice>> CheckpointNotices::withdraw(
    const EntityKey& preemptor) {
  std::vector<std::pair<PodId, CheckpointNotice>> pods;
  for (auto at = notices_.begin(); at != notices_.end();) {
    if (at->second.preemptor != preemptor) {
      ++at;
      continue;
    }
    pods.emplace_back(at->first, std::move(at->second));
    at = notices_.erase(at);
  }
  return pods;
}

std::optional<Instant> CheckpointNotices::next_deadline() const {
  std::optional<Instant> next;
  for (const auto& [pod, notice] : notices_) {
    next = std::min(next.value_or(notice.until), notice.until);
  }
  return next;
}

}  // namespace tutti::core
