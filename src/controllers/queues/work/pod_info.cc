#include "controllers/queues/work/pod_info.h"

#include <algorithm>

#include "controllers/labels.h"
#include "controllers/queues/work/queue_words.h"

namespace tutti::controllers {
namespace {

using model::Toleration;
using wire::Arena;
using wire::Value;

void add_all(model::Labels& into, const model::Labels& from) {
  for (const auto& [key, value] : from) set_label(into, key, value);
}

void add_all(std::vector<Toleration>& into, const std::vector<Toleration>& from) {
  for (const Toleration& toleration : from) {
    if (std::ranges::find(into, toleration) == into.end()) into.push_back(toleration);
  }
}

std::string_view operator_word(Toleration::Operator op) {
  switch (op) {
    case Toleration::Operator::exists:
      return "Exists";
    case Toleration::Operator::lt:
      return "Lt";
    case Toleration::Operator::gt:
      return "Gt";
    case Toleration::Operator::equal:
      break;
  }
  return "Equal";
}

Value toleration_value(const Toleration& toleration, Arena& arena) {
  Value out = Value::object();
  const auto text = [&](std::string_view name, std::string_view value) {
    if (!value.empty()) out.set_member(arena, name, Value::string(arena, value));
  };
  text("key", toleration.key);
  text("operator", operator_word(toleration.op));
  text("value", toleration.value);
  text("effect", toleration.effect);
  if (toleration.toleration_seconds) {
    out.set_member(arena, "tolerationSeconds", Value::integer(*toleration.toleration_seconds));
  }
  return out;
}

void set_map(Value& pods, std::string_view holder, std::string_view name,
             const model::Labels& entries, Arena& arena) {
  Value* place = pods.find(holder);
  if (entries.empty()) {
    if (place != nullptr) place->remove_member(name);
    return;
  }
  Value map = Value::object();
  for (const auto& [key, value] : entries) {
    map.set_member(arena, key, Value::string(arena, value));
  }
  pods.set(arena, {holder, name}, std::move(map));
}

void set_tolerations(Value& pods, const std::vector<Toleration>& tolerations, Arena& arena) {
  if (tolerations.empty()) {
    if (Value* spec = pods.find("spec")) spec->remove_member("tolerations");
    return;
  }
  Value list = Value::array();
  for (const Toleration& each : tolerations) list.push_back(arena, toleration_value(each, arena));
  pods.set(arena, {"spec", "tolerations"}, std::move(list));
}

}  // namespace

PodInfo written_info(const model::PodSet& set) {
  PodInfo info{set.pods.labels, set.pods.annotations, {}, {}};
  if (set.pods.spec == nullptr) return info;
  info.node_selector = set.pods.spec->node_selector;
  info.tolerations = set.pods.spec->tolerations;
  return info;
}

PodInfo started_info(const model::AdmissionRequest& request, const model::PodSet& set,
                     const store::Store& objects) {
  PodInfo info = written_info(set);
  set_label(info.labels, kPodSetOfPod, set.name);
  set_label(info.annotations, kRequestOfPod, request.meta.name);
  if (!request.status.admission) return info;
  const auto& promised = request.status.admission->pod_sets;
  const auto mine = std::ranges::find(promised, set.name, &model::PodSetAssignment::pod_set);
  if (mine != promised.end()) {
    for (const auto& [resource, name] : mine->flavors) {
      const auto flavor = objects.find<model::ResourceFlavor>({}, name);
      if (flavor == nullptr) continue;
      add_all(info.node_selector, flavor->node_labels);
      add_all(info.tolerations, flavor->tolerations);
    }
  }
  for (const model::AdmissionCheckState& check : request.status.checks) {
    for (const model::PodSetUpdate& update : check.updates) {
      if (update.pod_set != set.name) continue;
      add_all(info.labels, update.labels);
      add_all(info.annotations, update.annotations);
      add_all(info.node_selector, update.node_selector);
      add_all(info.tolerations, update.tolerations);
    }
  }
  return info;
}

bool is_started(const model::PodTemplate& pods, const model::AdmissionRequest& request) {
  const std::string* named = model::find(pods.annotations, kRequestOfPod);
  return named != nullptr && *named == request.meta.name;
}

void apply(const PodInfo& info, model::PodTemplate& pods) {
  pods.labels = info.labels;
  pods.annotations = info.annotations;
  auto spec = std::make_shared<model::PodSpec>(*pods.spec);
  spec->node_selector = info.node_selector;
  spec->tolerations = info.tolerations;
  pods.spec = std::move(spec);
}

void apply(const PodInfo& info, Value& pods, Arena& arena) {
  set_map(pods, "metadata", "labels", info.labels, arena);
  set_map(pods, "metadata", "annotations", info.annotations, arena);
  set_map(pods, "spec", "nodeSelector", info.node_selector, arena);
  set_tolerations(pods, info.tolerations, arena);
}

void add_to_spec(const PodInfo& info, Value& pod, Arena& arena) {
  for (const auto& [key, value] : info.node_selector) {
    pod.set(arena, {"spec", "nodeSelector", key}, Value::string(arena, value));
  }
  for (const Toleration& each : info.tolerations) {
    Value* list = pod.find("spec") != nullptr ? pod.find("spec")->find("tolerations") : nullptr;
    if (list == nullptr || !list->is_array()) {
      pod.set(arena, {"spec", "tolerations"}, Value::array());
      list = pod.find("spec")->find("tolerations");
    }
    list->push_back(arena, toleration_value(each, arena));
  }
}

}  // namespace tutti::controllers
