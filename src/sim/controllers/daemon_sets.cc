#include "sim/controllers/daemon_sets.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "controllers/dependents.h"
#include "controllers/names.h"
#include "controllers/pods.h"
#include "controllers/workloads/document.h"
#include "core/cluster/node_match.h"
#include "core/matching/toleration.h"
#include "wire/json_reader.h"

namespace tutti::sim {
namespace {

using controllers::at;
using model::Kind;
using wire::Arena;
using wire::Value;

constexpr std::string_view kDaemonReporter = "daemonset-controller";
constexpr std::string_view kNameField = "metadata.name";

struct Endured {
  std::string_view key;
  std::string_view effect;
};
// What a node may suffer without losing its daemons.
constexpr Endured kEndured[] = {
    {"node.kubernetes.io/not-ready", core::kNoExecute},
    {"node.kubernetes.io/unreachable", core::kNoExecute},
    {"node.kubernetes.io/disk-pressure", core::kNoSchedule},
    {"node.kubernetes.io/memory-pressure", core::kNoSchedule},
    {"node.kubernetes.io/pid-pressure", core::kNoSchedule},
    {"node.kubernetes.io/unschedulable", core::kNoSchedule},
    {"node.kubernetes.io/network-unavailable", core::kNoSchedule},
};

void endure(Value& spec, const Endured& taint, Arena& arena) {
  Value toleration = Value::object();
  toleration.set_member(arena, "key", Value::string(arena, taint.key));
  toleration.set_member(arena, "operator", Value::string(arena, "Exists"));
  toleration.set_member(arena, "effect", Value::string(arena, taint.effect));
  Value* list = spec.find("tolerations");
  if (list == nullptr || !list->is_array()) {
    list = &spec.set_member(arena, "tolerations", Value::array());
  }
  list->push_back(arena, std::move(toleration));
}

// Only pods that use the network of their host can do without one.
void endure_all(Value& spec, Arena& arena) {
  const bool on_host_network = controllers::flag_at(spec, {"hostNetwork"});
  for (const Endured& taint : kEndured) {
    const bool network = taint.key.ends_with("network-unavailable");
    if (!network || on_host_network) endure(spec, taint, arena);
  }
}

std::string namespace_for(const model::Object& set) {
  return set.meta.ns.empty() ? "default" : set.meta.ns;
}

Value fields_for(const std::string& node, Arena& arena) {
  Value field = Value::object();
  field.set_member(arena, "key", Value::string(arena, kNameField));
  field.set_member(arena, "operator", Value::string(arena, "In"));
  field.set_member(arena, "values", Value::array()).push_back(arena, Value::string(arena, node));
  Value fields = Value::array();
  fields.push_back(arena, std::move(field));
  return fields;
}

// Every term that the template has is for this node only.
void pin(Value& spec, const std::string& node, Arena& arena) {
  Value terms = Value::array();
  for (const Value& term : controllers::items_at(
           spec, {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
                  "nodeSelectorTerms"})) {
    Value pinned = term.clone(arena);
    if (pinned.is_object()) pinned.set_member(arena, "matchFields", fields_for(node, arena));
    terms.push_back(arena, std::move(pinned));
  }
  if (terms.items().empty()) {
    Value term = Value::object();
    term.set_member(arena, "matchFields", fields_for(node, arena));
    terms.push_back(arena, std::move(term));
  }
  spec.set(arena,
           {"affinity", "nodeAffinity", "requiredDuringSchedulingIgnoredDuringExecution",
            "nodeSelectorTerms"},
           std::move(terms));
}

// The node that a pod was made for; empty: it does not say.
std::string made_for(const model::Pod& pod) {
  if (!pod.node_name.empty()) return pod.node_name;
  const auto& terms = pod.spec->node_affinity.required;
  if (!terms || terms->empty()) return {};
  for (const auto& field : terms->front().match_fields) {
    if (field.key == kNameField && field.values.size() == 1) return field.values.front();
  }
  return {};
}

bool endures(const model::Pod& pod, const model::Node& node, std::string_view effect) {
  return std::ranges::all_of(node.taints, [&](const model::Taint& taint) {
    return taint.effect != effect || core::tolerates(pod.spec->tolerations, taint);
  });
}

// Whether a node changed in a way that decides who may be there.
bool is_news(const store::WatchEvent& event) {
  if (!event.before || !event.after) return true;
  const auto& before = model::as<model::Node>(*event.before);
  const auto& after = model::as<model::Node>(*event.after);
  return before.meta.labels != after.meta.labels || before.taints != after.taints;
}

const wire::Document* read_set(const model::Object& object, std::unique_ptr<wire::Document>& into) {
  if (!object.document) return nullptr;
  // What an object was written as can be read again.
  (void)wire::read_json(*object.document, [&](wire::Document&& document) {
    into = std::make_unique<wire::Document>(std::move(document));
    return ok_status();
  });
  return into.get();
}

}  // namespace

bool is_daemon_set(const model::Object& object) {
  return object.kind == Kind::other && object.api_version == "apps/v1" &&
         static_cast<const model::OtherObject&>(object).kind_name == "DaemonSet";
}

DaemonSets::DaemonSets(controllers::Cluster& cluster, bool keeps_documents)
    : Controller(cluster),
      decoder_(keeps_documents ? wire::Decoder::Documents::kept
                               : wire::Decoder::Documents::dropped) {}

void DaemonSets::observe(const store::WatchEvent& event) {
  const auto& object = event.object();
  std::erase_if(refused_, [&](const auto& key) {
    const bool again = controllers::may_let_in(event, key.ns.empty() ? "default" : key.ns);
    if (again) look_at(key);
    return again;
  });
  if (is_daemon_set(object)) {
    const auto key = model::key_of(object);
    if (!event.after) return static_cast<void>(sets_.erase(key));
    sets_.insert(key);
    look_at(key);
  } else if (object.kind == Kind::node && is_news(event)) {
    for (const auto& key : sets_) look_at(key);
  } else if (object.kind == Kind::pod) {
    const auto* owner = controllers::controller_of(object.meta);
    const bool over = !event.after || model::as<model::Pod>(object).terminal();
    if (owner == nullptr || owner->kind != "DaemonSet" || !over) return;
    if (event.after) look_at(model::key_of(object));
    const std::string kind = owner->api_version + "/" + owner->kind;
    for (const std::string& ns : {object.meta.ns, std::string()}) {
      look_at({Kind::other, ns, owner->name, kind});
    }
  }
}

void DaemonSets::reconcile(const model::ObjectKey& key) {
  if (key.kind == Kind::pod) return cluster().remove(key);
  const auto set = objects().get(key);
  std::unique_ptr<wire::Document> document;
  if (!set || set->meta.deletion || read_set(*set, document) == nullptr) return;
  const Value* form = at(document->root(), {"spec", "template"});
  if (form == nullptr) return;
  refused_.erase(key);
  const auto any = pod_for(*set, *form, {});
  if (!any) return;
  std::map<std::string, std::shared_ptr<const model::Pod>> present;
  for (const auto& pod : controllers::pods_of(*set, cluster())) present[made_for(*pod)] = pod;
  for (const auto& object : objects().list(Kind::node)) {
    const auto& node = model::as<model::Node>(*object);
    const auto pod = present.find(node.meta.name);
    serve(*set, *form, *any, node, pod != present.end() ? pod->second.get() : nullptr);
    if (refused_.contains(key)) return;  // the others would be, too
  }
}

// A pod that is there may stay under a taint that keeps new ones away.
void DaemonSets::serve(const model::Object& set, const Value& form, const model::Pod& any,
                       const model::Node& node, const model::Pod* present) {
  if (present != nullptr && !controllers::is_active(*present)) return;  // is on its way out
  const bool belongs = core::node_matches(node, *any.spec) && endures(any, node, core::kNoExecute);
  if (present == nullptr) {
    if (belongs && endures(any, node, core::kNoSchedule)) create(set, form, node.meta.name);
  } else if (!belongs) {
    cluster().remove(model::key_of(*present));
  }
}

void DaemonSets::create(const model::Object& set, const Value& form, const std::string& node) {
  const auto pod = pod_for(set, form, node);
  if (!pod) return;
  auto& made = pods_made_[{set.meta.uid, node}];
  const std::string owner = fmt::format("{}/{}", set.meta.uid, node);
  do {
    pod->meta.name = controllers::generated_name(set.meta.name + "-", owner, ++made);
  } while (objects().find<model::Pod>(pod->meta.ns, pod->meta.name));
  const auto created = cluster().create(*pod);
  if (!created.ok()) refuse(set, created.error().message);
}

std::shared_ptr<model::Pod> DaemonSets::pod_for(const model::Object& set, const Value& form,
                                                const std::string& node) {
  Arena arena;
  Value root = Value::object();
  root.set_member(arena, "apiVersion", Value::string(arena, "v1"));
  root.set_member(arena, "kind", Value::string(arena, "Pod"));
  for (const std::string_view part : {"metadata", "spec"}) {
    const Value* given = at(form, {part});
    const bool usable = given != nullptr && given->is_object();
    root.set_member(arena, part, usable ? given->clone(arena) : Value::object());
  }
  root.set(arena, {"metadata", "namespace"}, Value::string(arena, namespace_for(set)));
  endure_all(*root.find("spec"), arena);
  if (!node.empty()) pin(*root.find("spec"), node, arena);
  auto decoded = wire::decode(root, decoder_);
  if (!decoded.ok()) {
    refuse(set, decoded.error().message);
    return nullptr;
  }
  (*decoded)->meta.owners = {controllers::controller_reference(set)};
  return std::static_pointer_cast<model::Pod>(*std::move(decoded));
}

void DaemonSets::refuse(const model::Object& set, const std::string& why) {
  refused_.insert(model::key_of(set));
  cluster().record({kDaemonReporter, objects().get(model::key_of(set)), true, "FailedCreate",
                    "Error creating: " + why});
}

}  // namespace tutti::sim
