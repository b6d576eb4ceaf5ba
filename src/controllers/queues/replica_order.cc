#include "controllers/queues/replica_order.h"

#include <algorithm>
#include <charconv>
#include <map>
#include <tuple>

#include "controllers/dependents.h"
#include "controllers/pods.h"
#include "controllers/queues/request_name.h"
#include "controllers/queues/work/queue_words.h"
#include "model/quota_annotations.h"

namespace tutti::controllers {
namespace {

constexpr int kSetsAboveMax = 8;

std::optional<std::int32_t> whole_number(std::string_view text) {
  std::int32_t number = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  const bool whole = error == std::errc() && stopped == text.data() + text.size();
  return whole && number >= 0 ? std::optional(number) : std::nullopt;
}

struct Rank {
  std::int32_t index = 0;
  std::optional<Instant> created{};
  std::string name{};
  auto operator<=>(const Rank&) const = default;
};

// Replicas of a Deployment have no index.
Rank rank_of_replica(const model::Pod& pod, const model::Object& set) {
  Rank rank{.index = 0, .created = pod.meta.created, .name = pod.meta.name};
  std::optional<std::int32_t> index;
  if (set.kind == model::Kind::stateful_set) {
    index = whole_number(std::string_view(pod.meta.name).substr(pod.meta.name.rfind('-') + 1));
  } else if (const std::string* label = model::find(pod.meta.labels, kIndexInSet)) {
    index = whole_number(*label);
  }
  rank.index = index.value_or(0);
  return rank;
}

template <typename Visit>
void for_each_pod_below(const std::string& uid, const Cluster& cluster, int levels,
                        const Visit& visit) {
  for (const model::ObjectKey& key : cluster.dependents().of(uid)) {
    const auto below = cluster.objects().get(key);
    if (below == nullptr) continue;
    if (const auto* pod = model::try_as<model::Pod>(*below)) {
      visit(*pod);
    } else if (levels > 0 && key.kind != model::Kind::admission_request) {
      for_each_pod_below(below->meta.uid, cluster, levels - 1, visit);
    }
  }
}

}  // namespace

std::optional<std::int32_t> guaranteed_replicas(const model::Object& set) {
  const std::string* said = model::find(set.meta.annotations, model::kGuaranteedReplicas);
  return said != nullptr ? whole_number(*said) : std::nullopt;
}

const model::Object* guaranteeing_set(const model::ObjectMeta& meta, const FindObject& find) {
  const model::Object* above = controller_above(meta, find);
  for (int level = 0; above != nullptr && level < kSetsAboveMax; ++level) {
    if (guaranteed_replicas(*above)) return above;
    above = controller_above(above->meta, find);
  }
  return nullptr;
}

std::vector<model::ObjectKey> replicas_of(const model::Object& set, const Cluster& cluster) {
  std::map<model::ObjectKey, Rank> ranks;
  for_each_pod_below(set.meta.uid, cluster, kSetsAboveMax, [&](const model::Pod& pod) {
    const bool held_here = model::find(pod.meta.labels, kManagedPod) != nullptr;
    if (!held_here || !is_active(pod)) return;
    const Rank rank = rank_of_replica(pod, set);
    const auto [known, fresh] = ranks.emplace(request_key(pod), rank);
    if (!fresh) known->second = std::min(known->second, rank);
  });
  std::vector<model::ObjectKey> keys;
  for (const auto& [key, rank] : ranks) keys.push_back(key);
  std::ranges::sort(keys, {}, [&](const auto& key) -> const Rank& { return ranks.at(key); });
  return keys;
}

std::string_view tenure_of_replica(const model::ObjectKey& request, const model::Object& set,
                                   const Cluster& cluster) {
  const auto replicas = replicas_of(set, cluster);
  const auto at = std::ranges::find(replicas, request);
  if (at == replicas.end()) return {};
  return at - replicas.begin() < guaranteed_replicas(set).value_or(0) ? "guaranteed" : "burst";
}

}  // namespace tutti::controllers
