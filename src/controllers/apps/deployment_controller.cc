#include "controllers/apps/deployment_controller.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "controllers/labels.h"
#include "controllers/names.h"
#include "wire/json_reader.h"
#include "wire/json_writer.h"

namespace tutti::controllers {
namespace {

using model::Deployment;
using model::ReplicaSet;
using wire::Value;

constexpr std::string_view kTemplateHash = "pod-template-hash";

bool is_of_template(const ReplicaSet& set, const Deployment& deployment) {
  const std::string* hash = model::find(set.meta.labels, kTemplateHash);
  if (hash == nullptr) return false;
  auto pods = deployment.pods;
  set_label(pods.labels, kTemplateHash, *hash);
  return pods == set.pods;
}

// The document of a ReplicaSet as far as pods are made from it.
std::shared_ptr<const std::string> document_of(const Deployment& deployment,
                                               const std::string& hash) {
  if (!deployment.document) return nullptr;
  std::string text;
  const Status status = wire::read_json(*deployment.document, [&](wire::Document&& stored) {
    wire::Arena& arena = stored.arena();
    Value root = Value::object();
    const Value* spec = stored.root().find("spec");
    for (const std::string_view name : {"selector", "template"}) {
      if (const Value* part = spec->find(name)) root.set(arena, {"spec", name}, part->clone(arena));
    }
    root.set(arena, {"spec", "selector", "matchLabels", kTemplateHash}, Value::string(arena, hash));
    root.set(arena, {"spec", "template", "metadata", "labels", kTemplateHash},
             Value::string(arena, hash));
    text = to_json(root);
    return ok_status();
  });
  TUTTI_CHECK(status.ok(), "a stored document is JSON");
  return std::make_shared<const std::string>(std::move(text));
}

}  // namespace

void DeploymentController::keep(const Deployment& deployment) {
  auto sets = sets_of(deployment);
  const auto is_present = [&](const SetPtr& set) { return is_of_template(*set, deployment); };
  if (std::ranges::none_of(sets, is_present)) {
    if (!create_set(deployment, sets.size() + 1)) return;
    sets = sets_of(deployment);
  }
  model::ReplicaStatus status;
  for (const auto& set : sets) {
    resize(*set, is_present(set) ? deployment.replicas.value_or(1) : 0);
    status.replicas += set->status.replicas;
    status.ready += set->status.ready;
  }
  write_status(deployment, status);
}

std::vector<DeploymentController::SetPtr> DeploymentController::sets_of(
    const Deployment& deployment) const {
  std::vector<SetPtr> out;
  const auto& owner = deployment.meta.uid;
  for (const auto& key : dependents().of(owner, model::Kind::replica_set)) {
    auto set = objects().find<ReplicaSet>(key.ns, key.name);
    if (set && is_controlled_by(set->meta, deployment)) out.push_back(std::move(set));
  }
  return out;
}

bool DeploymentController::create_set(const Deployment& deployment, std::size_t revision) {
  ReplicaSet set;
  set.api_version = "apps/v1";
  set.meta.ns = deployment.meta.ns;
  std::string hash;
  do {
    hash = name_hash(fmt::format("{}/{}", deployment.meta.uid, revision++));
    set.meta.name = fmt::format("{}-{}", deployment.meta.name, hash);
  } while (objects().find<ReplicaSet>(set.meta.ns, set.meta.name));
  set.meta.owners = {controller_reference(deployment)};
  set.pods = deployment.pods;
  set_label(set.pods.labels, kTemplateHash, hash);
  set.meta.labels = set.pods.labels;
  set.selector = deployment.selector;
  set.selector->match_labels.emplace_back(kTemplateHash, hash);
  std::ranges::sort(set.selector->match_labels);
  set.replicas = deployment.replicas;
  set.document = document_of(deployment, hash);
  return create(deployment, set);
}

void DeploymentController::resize(const ReplicaSet& set, std::int32_t replicas) {
  if (set.replicas == replicas) return;
  ReplicaSet next = set;
  next.replicas = replicas;
  // A set that is gone is missed, and made again, when the deployment is next looked at.
  (void)cluster().update(next);
}

}  // namespace tutti::controllers
