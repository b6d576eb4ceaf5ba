#include "controllers/workloads/conventions.h"

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "controllers/workloads/document.h"
#include "model/group.h"
#include "wire/json_reader.h"

namespace tutti::controllers {
namespace {

using model::Kind;

constexpr std::string_view kKueueGroup = "kueue.x-k8s.io/pod-group-name";
constexpr std::string_view kVolcanoGroup = "scheduling.k8s.io/group-name";
constexpr std::string_view kPluginsGroup = "scheduling.x-k8s.io/pod-group";

std::optional<std::int32_t> minimum_in(const model::Object& group) {
  std::optional<std::int32_t> minimum;
  const Status status = wire::read_json(*group.document, [&](wire::Document&& stored) {
    minimum = std::max(1, number_at(stored.root(), {"spec", "minMember"}, 1));
    return ok_status();
  });
  TUTTI_CHECK(status.ok(), "a stored document is JSON");
  return minimum;
}

// Replicas that serve each for itself, though they wait for quota together.
bool is_serving(const model::Pod& pod) {
  const std::string* serving = model::find(pod.meta.annotations, kKueueServing);
  return serving != nullptr && *serving == "true";
}

std::optional<std::int32_t> parse_count(const std::string* text) {
  std::int32_t value = 0;
  if (text == nullptr) return std::nullopt;
  const auto [stopped, error] = std::from_chars(text->data(), text->data() + text->size(), value);
  if (error != std::errc() || stopped != text->data() + text->size() || value < 1) return {};
  return value;
}

// Whatever else the pod says.
ConventionalGroup first_named(const model::Pod& pod) {
  const std::string* kueue = is_serving(pod) ? nullptr : model::find(pod.meta.labels, kKueueGroup);
  const std::pair<Convention, const std::string*> ways[] = {
      {Convention::kueue, kueue},
      {Convention::volcano, model::find(pod.meta.annotations, kVolcanoGroup)},
      {Convention::scheduler_plugins, model::find(pod.meta.labels, kPluginsGroup)}};
  for (const auto& [convention, name] : ways) {
    if (name != nullptr && !name->empty()) return {convention, *name};
  }
  return {};
}

}  // namespace

std::optional<std::int32_t> counted_by_pod(const model::Pod& pod) {
  if (is_serving(pod) || model::find(pod.meta.labels, kKueueGroup) == nullptr) return std::nullopt;
  return parse_count(model::find(pod.meta.annotations, kKueueCount));
}

Convention convention_of(std::string_view key) {
  if (key == kKueueGroup) return Convention::kueue;
  if (key == kVolcanoGroup) return Convention::volcano;
  return key == kPluginsGroup ? Convention::scheduler_plugins : Convention::none;
}

bool is_foreign_group(const model::Object& object) {
  if (object.kind != Kind::other) return false;
  const auto& other = static_cast<const model::OtherObject&>(object);
  const std::string_view version = other.api_version;
  return other.kind_name == "PodGroup" && (version.starts_with("scheduling.volcano.sh/") ||
                                           version.starts_with("scheduling.x-k8s.io/"));
}

ConventionalGroup named_by_convention(const model::Pod& pod) {
  if (pod.spec == nullptr || !pod.spec->scheduling_group.empty()) return {};
  return first_named(pod);
}

std::string conventional_group(const model::Pod& pod) { return named_by_convention(pod).name; }

Convention joined_by(const model::Pod& pod) {
  const auto [convention, name] = first_named(pod);
  return name == pod.spec->scheduling_group ? convention : Convention::none;
}

std::string_view group_version_of(Convention convention) {
  switch (convention) {
    case Convention::volcano:
      return "scheduling.volcano.sh/v1beta1";
    case Convention::scheduler_plugins:
      return "scheduling.x-k8s.io/v1alpha1";
    case Convention::kueue:
    case Convention::none:
      break;
  }
  return {};
}

GangCount who_counts(const store::Store& objects, const model::ObjectKey& group) {
  const auto is_its = [&](const model::Object& object) {
    return is_foreign_group(object) && object.meta.name == group.name && object.document != nullptr;
  };
  for (const std::string& ns : {group.ns, std::string()}) {
    for (const auto& object : objects.list(Kind::other, ns, is_its)) {
      if (object->meta.ns == ns) return {object};
    }
  }
  const auto says = [&](const model::Object& object) {
    const auto& pod = model::as<model::Pod>(object);
    return pod.spec->scheduling_group == group.name && counted_by_pod(pod);
  };
  GangCount found;
  for (const auto& object : objects.list(Kind::pod, group.ns, says)) {
    found.pods.push_back(std::static_pointer_cast<const model::Pod>(object));
  }
  return found;
}

void ConventionController::observe(const store::WatchEvent& event) {
  if (!event.after || event.before) return;
  const auto& object = *event.after;
  if (is_foreign_group(object)) {
    const std::string ns = object.meta.ns.empty() ? "default" : object.meta.ns;
    look_at({Kind::pod_group, ns, object.meta.name, {}});
  } else if (const auto* pod = model::try_as<model::Pod>(object)) {
    if (!counted_by_pod(*pod)) return;
    look_at({Kind::pod_group, pod->meta.ns, pod->spec->scheduling_group, {}});
  }
}

void ConventionController::reconcile(const model::ObjectKey& key) {
  if (objects().get(key)) return;
  const auto minimum = minimum_of(key);
  if (!minimum) return;
  model::PodGroup group;
  group.api_version = model::kSchedulingV1Alpha2;
  group.meta.ns = key.ns;
  group.meta.name = key.name;
  group.spec.policy = {true, *minimum};
  // Refused: its pods wait, and the next of them has it tried again.
  (void)cluster().create(group);
}

std::optional<std::int32_t> ConventionController::minimum_of(const model::ObjectKey& group) const {
  const GangCount count = who_counts(objects(), group);
  if (count.group != nullptr) return minimum_in(*count.group);
  if (count.pods.empty()) return std::nullopt;
  return counted_by_pod(*count.pods.front());
}

}  // namespace tutti::controllers
