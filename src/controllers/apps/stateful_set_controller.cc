#include "controllers/apps/stateful_set_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "base/check.h"
#include "controllers/labels.h"
#include "controllers/pod_stamp.h"
#include "model/storage.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::controllers {
namespace {

using model::StatefulSet;

std::string pod_name(const StatefulSet& set, std::int32_t ordinal) {
  return fmt::format("{}-{}", set.meta.name, ordinal);
}

std::string claim_name(const model::PersistentVolumeClaim& form, const std::string& pod) {
  return fmt::format("{}-{}", form.meta.name, pod);
}

// What the set's document says of the claim, fields that we do not know included; null: nothing.
std::shared_ptr<const std::string> claim_document(const StatefulSet& set, std::size_t index) {
  std::shared_ptr<const std::string> out;
  if (!set.document) return out;
  const Status read = wire::read_json(*set.document, [&](wire::Document&& document) -> Status {
    const wire::Value* at = document.root().find("spec");
    at = at != nullptr ? at->find("volumeClaimTemplates") : nullptr;
    if (at == nullptr || !at->is_array() || at->items().size() <= index) return ok_status();
    const wire::Value* spec = at->items()[index].find("spec");
    if (spec == nullptr) return ok_status();
    wire::Value root = wire::Value::object();
    root.set_member(document.arena(), "spec", spec->clone(document.arena()));
    out = std::make_shared<const std::string>(wire::to_json(root));
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
  return out;
}

// A claim takes the place of a volume of its name.
void mount_in_spec(const StatefulSet& set, model::Pod& pod) {
  auto spec = std::make_shared<model::PodSpec>(*pod.spec);
  for (const auto& form : set.claim_templates) {
    std::erase_if(spec->volumes, [&](const auto& volume) { return volume.name == form.meta.name; });
    auto& volume = spec->volumes.emplace_back();
    volume.name = form.meta.name;
    volume.source = model::Volume::Source::claim;
    volume.id = claim_name(form, pod.meta.name);
  }
  pod.spec = std::move(spec);
}

void mount_in_document(const StatefulSet& set, model::Pod& pod) {
  const Status read = wire::read_json(*pod.document, [&](wire::Document&& document) -> Status {
    wire::Arena& arena = document.arena();
    wire::Value volumes = wire::Value::array();
    const wire::Value* spec = document.root().find("spec");
    const wire::Value* present = spec != nullptr ? spec->find("volumes") : nullptr;
    if (present != nullptr && present->is_array()) {
      for (const wire::Value& volume : present->items()) {
        const wire::Value* name = volume.find("name");
        const bool replaced = name != nullptr && name->is_string() &&
                              std::ranges::any_of(set.claim_templates, [&](const auto& form) {
                                return form.meta.name == name->text();
                              });
        if (!replaced) volumes.push_back(arena, volume.clone(arena));
      }
    }
    for (const auto& form : set.claim_templates) {
      wire::Value volume = wire::Value::object();
      volume.set_member(arena, "name", wire::Value::string(arena, form.meta.name));
      volume.set(arena, {"persistentVolumeClaim", "claimName"},
                 wire::Value::string(arena, claim_name(form, pod.meta.name)));
      volumes.push_back(arena, std::move(volume));
    }
    document.root().set(arena, {"spec", "volumes"}, std::move(volumes));
    pod.document = std::make_shared<const std::string>(wire::to_json(document.root()));
    return ok_status();
  });
  TUTTI_CHECK(read.ok(), "a stored document is JSON");
}

void mount_claims(const StatefulSet& set, model::Pod& pod) {
  if (set.claim_templates.empty()) return;
  mount_in_spec(set, pod);
  if (pod.document) mount_in_document(set, pod);
}

}  // namespace

void StatefulSetController::keep(const StatefulSet& set) {
  remove_surplus(set);
  create_missing(set);
  const auto pods = active_pods_of(set, cluster());
  write_status(set, {static_cast<std::int32_t>(pods.size()),
                     static_cast<std::int32_t>(std::ranges::count_if(
                         pods, [](const PodPtr& pod) { return is_ready(*pod); }))});
}

// Claims outlive their pod: its successor of the same name finds them again.
bool StatefulSetController::create_claims(const StatefulSet& set, const std::string& pod) {
  for (std::size_t i = 0; i < set.claim_templates.size(); ++i) {
    const std::string name = claim_name(set.claim_templates[i], pod);
    if (objects().find<model::PersistentVolumeClaim>(set.meta.ns, name)) continue;
    model::PersistentVolumeClaim claim = set.claim_templates[i];
    claim.api_version = "v1";
    claim.meta.ns = set.meta.ns;
    claim.meta.name = name;
    if (set.selector) {
      for (const auto& [key, value] : set.selector->match_labels) {
        set_label(claim.meta.labels, key, value);
      }
    }
    claim.document = claim_document(set, i);
    if (!create(set, claim)) return false;
  }
  return true;
}

// A pod keeps its name until it is gone, and so the place of its successor.
void StatefulSetController::create_missing(const StatefulSet& set) {
  const PodStamp stamp(set, set.pods);
  for (std::int32_t i = 0; i < set.replicas.value_or(1); ++i) {
    const std::int32_t ordinal = set.first_ordinal + i;
    const std::string name = pod_name(set, ordinal);
    const auto present = objects().find<model::Pod>(set.meta.ns, name);
    if (!present) {
      const auto pod = stamp.make(name, name);
      set_label(pod->meta.labels, "apps.kubernetes.io/pod-index", fmt::to_string(ordinal));
      set_label(pod->meta.labels, "statefulset.kubernetes.io/pod-name", name);
      if (!create_claims(set, name)) return;
      mount_claims(set, *pod);
      if (!create(set, *pod)) return;
    } else if (present->terminal()) {
      cluster().remove(model::key_of(*present));
    }
    if (!set.parallel && !(present && is_active(*present) && is_ready(*present))) return;
  }
}

void StatefulSetController::remove_surplus(const StatefulSet& set) {
  std::set<std::string> wanted;
  for (std::int32_t i = 0; i < set.replicas.value_or(1); ++i) {
    wanted.insert(pod_name(set, set.first_ordinal + i));
  }
  for (const auto& pod : active_pods_of(set, cluster())) {
    if (!wanted.contains(pod->meta.name)) cluster().remove(model::key_of(*pod));
  }
}

}  // namespace tutti::controllers
