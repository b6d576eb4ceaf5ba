#include "core/victims/victim_cost.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "devices/holdings.h"
#include "model/group.h"

namespace tutti::core {
namespace {

constexpr std::int64_t kMilli = 1000;
constexpr std::int64_t kCoresPerDevice = 64;
constexpr std::int64_t kHurryMax = 10;
// Times and amounts beyond this change no decision and could overflow.
constexpr Millis kLostMax = std::chrono::hours(24 * 365);
constexpr std::int64_t kDevicesMax = std::int64_t{1} << 20;

struct Weight {
  std::string_view name;
  std::int64_t weight;
};
constexpr std::array<Weight, 3> kWeights = {{{"inference", 4}, {"training", 2}, {"batch", 1}}};

struct Ownership {
  std::string_view kind;
  std::string_view work_class;
};
constexpr std::array<Ownership, 13> kOwners = {{
    {"InferenceService", "inference"},
    {"RayService", "inference"},
    {"LeaderWorkerSet", "inference"},
    {"ReplicaSet", "inference"},
    {"Job", "batch"},
    {"CronJob", "batch"},
    {"PyTorchJob", "training"},
    {"TFJob", "training"},
    {"MPIJob", "training"},
    {"JAXJob", "training"},
    {"TrainJob", "training"},
    {"RayJob", "training"},
    {"JobSet", "training"},
}};

const std::string* annotation(const model::Pod& pod, const model::Object* group,
                              std::string_view name) {
  if (const auto* own = model::find(pod.meta.annotations, name)) return own;
  return group != nullptr ? model::find(group->meta.annotations, name) : nullptr;
}

std::optional<Millis> duration(const std::string* text) {
  if (text == nullptr) return std::nullopt;
  const auto parsed = parse_duration(*text);
  if (!parsed.ok() || *parsed < Millis::zero()) return std::nullopt;
  return std::min(*parsed, kLostMax);
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t value = 0;
  const auto [stopped, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || stopped != text.data() + text.size()) return std::nullopt;
  return value;
}

std::int64_t size_of(const model::Object* group) {
  if (group == nullptr || group->kind != model::Kind::pod_group) return 1;
  return model::as<model::PodGroup>(*group).spec.policy.minimum;
}

bool counts_devices(std::string_view resource) {
  return is_device(resource) || resource.starts_with(model::kClassResourcePrefix);
}

// In thousandths; zero for a pod that only computes.
std::int64_t true_devices(const Cluster& cluster, const PodEntry& pod, const model::Object* group) {
  const PodShape& shape = cluster.shape(pod.shape);
  std::int64_t held = 0;
  for (const auto& [resource, amount] : shape.requests) {
    if (resource > kPods && counts_devices(cluster.resources().name(resource))) {
      held += std::min(amount, kDevicesMax) * kMilli;
    }
  }
  if (!shape.spec->resource_claims.empty()) {
    held += devices::held_thousandths(cluster.devices(), *pod.object, size_of(group));
  }
  return std::min(held, kDevicesMax * kMilli);
}

// In thousandths; so many cores count as one.
std::int64_t devices(const Cluster& cluster, const PodEntry& pod, const model::Object* group) {
  if (const std::int64_t held = true_devices(cluster, pod, group); held > 0) return held;
  const PodShape& shape = cluster.shape(pod.shape);
  return std::min(shape.request(kCpu) / kCoresPerDevice, kDevicesMax * kMilli);
}

bool holds_only_gpus(const Cluster& cluster, const PodShape& shape) {
  if (!shape.spec->resource_claims.empty()) return false;
  return std::ranges::all_of(shape.requests, [&](const ResourceAmount& request) {
    if (request.resource <= kPods) return true;
    const std::string_view name = cluster.resources().name(request.resource);
    return !counts_devices(name) || name.ends_with("/gpu");
  });
}

Instant start_of(const model::Pod& pod, Instant now) {
  return std::min(pod.status.start_time.value_or(now), now);
}

Millis lost_work(const model::Pod& pod, const model::Object* group, Instant now) {
  Instant since = start_of(pod, now);
  if (const auto* text = checkpoint_of(pod, group)) {
    if (const auto saved = parse_rfc3339(*text); saved.ok()) since = std::max(since, *saved);
  }
  return std::clamp(now - since, Millis::zero(), kLostMax);
}

// In thousandths.
std::int64_t hurry(const model::Pod& pod, const model::Object* group, Instant now) {
  auto length = duration(annotation(pod, group, kRunsForAnnotation));
  if (const auto deadline = pod.spec->active_deadline_seconds) {
    const Millis limit = std::min<Millis>(kLostMax, std::chrono::seconds(std::min<std::int64_t>(
                                                        *deadline, kLostMax.count() / kMilli)));
    length = length ? std::min(*length, limit) : limit;
  }
  if (!length || *length <= Millis::zero()) return kMilli;
  const Millis left = *length - (now - start_of(pod, now));
  const Millis least = *length / kHurryMax;
  return kMilli * length->count() / std::max<Millis::rep>({left.count(), least.count(), 1});
}

// In device time of a pod with this many thousandths of a device.
std::int64_t restart_cost(const model::Pod& pod, const model::Object* group, std::int64_t held) {
  const std::string* text = annotation(pod, group, kRestartCost);
  if (text == nullptr) return 0;
  if (const auto seconds = whole_number(*text)) {
    return std::clamp<std::int64_t>(*seconds, 0, kDevicesMax) * kDeviceSecond;
  }
  const auto time = duration(text);
  return time ? held * time->count() : 0;
}

std::int64_t weight_of(std::string_view name) {
  const auto known = std::ranges::find(kWeights, name, &Weight::name);
  return known != kWeights.end() ? known->weight : 1;
}

}  // namespace

bool is_work_class(std::string_view text) { return work_class_named(text) != WorkClass::none; }

std::string_view work_class(const model::Pod& pod, const model::Object* group) {
  const ClassWords of_group = group != nullptr ? class_words(group->meta) : ClassWords{};
  const WorkClass said = declared_class(class_words(pod.meta), of_group);
  if (said != WorkClass::none) return name_of(said);
  for (const auto& owner : pod.meta.owners) {
    const auto at = std::ranges::find(kOwners, owner.kind, &Ownership::kind);
    if (at != kOwners.end()) return at->work_class;
  }
  return {};
}

std::int64_t eviction_cost(const Cluster& cluster, const PodEntry& entry,
                           const model::Object* group, Instant now) {
  const model::Pod& pod = *entry.object;
  const std::int64_t held = devices(cluster, entry, group);
  const std::int64_t lost = lost_work(pod, group, now).count() * hurry(pod, group, now) / kMilli;
  return weight_of(work_class(pod, group)) * (held * lost + restart_cost(pod, group, held));
}

LostWork& LostWork::operator+=(const LostWork& other) {
  devices += other.devices;
  cores += other.cores;
  only_gpus = only_gpus && other.only_gpus;
  return *this;
}

LostWork lost_work_of(const Cluster& cluster, const PodEntry& entry, const model::Object* group,
                      Instant now) {
  const std::int64_t time = lost_work(*entry.object, group, now).count();
  const PodShape& shape = cluster.shape(entry.shape);
  LostWork lost;
  lost.devices = true_devices(cluster, entry, group) * time;
  if (lost.devices > 0) {
    lost.only_gpus = holds_only_gpus(cluster, shape);
  } else {
    lost.cores = std::min(shape.request(kCpu), kDevicesMax * kMilli) * time;
  }
  return lost;
}

bool is_steady(const model::Pod& pod) {
  return pod.meta.annotations.empty() && !pod.spec->active_deadline_seconds &&
         pod.spec->resource_claims.empty();
}

SteadyCost steady_cost(const Cluster& cluster, const PodEntry& entry) {
  const model::Pod& pod = *entry.object;
  return {weight_of(work_class(pod, nullptr)) * devices(cluster, entry, nullptr),
          pod.status.start_time};
}

std::int64_t SteadyCost::at(Instant now) const {
  const Instant start = std::min(since.value_or(now), now);
  return rate * std::clamp(now - start, Millis::zero(), kLostMax).count();
}

std::optional<Instant> protected_until(const model::Pod& pod, const model::Object* group,
                                       Instant now) {
  const auto least = duration(annotation(pod, group, kMinRuntime));
  if (!least) return std::nullopt;
  const Instant end = later(start_of(pod, now), *least);
  if (end <= now) return std::nullopt;
  return end;
}

const std::string* checkpoint_of(const model::Pod& pod, const model::Object* group) {
  return annotation(pod, group, kCheckpointedAt);
}

Millis checkpoint_grace(const model::Pod& pod, const model::Object* group) {
  return duration(annotation(pod, group, kCheckpointGrace)).value_or(Millis::zero());
}

std::int32_t deletion_cost(const model::Pod& pod) {
  const std::string* text = model::find(pod.meta.annotations, kDeletionCost);
  if (text == nullptr) return 0;
  const auto value = whole_number(*text);
  return value ? static_cast<std::int32_t>(
                     std::clamp<std::int64_t>(*value, -kDevicesMax, kDevicesMax))
               : 0;
}

bool valid_restart_cost(std::string_view text) {
  if (const auto number = whole_number(text)) return *number >= 0;
  const auto time = parse_duration(text);
  return time.ok() && *time >= Millis::zero();
}

}  // namespace tutti::core
