// Kinds that are one gang of pods in several roles.
#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "controllers/workloads/document.h"
#include "controllers/workloads/shapes.h"

namespace tutti::controllers {
namespace {

using wire::Value;

std::string lower_case(std::string_view text) {
  std::string out(text);
  for (char& letter : out) {
    if (letter >= 'A' && letter <= 'Z') letter = static_cast<char>(letter - 'A' + 'a');
  }
  return out;
}

// A plan of one group that members are added to; the minimum is all of them unless set.
class Gang {
 public:
  explicit Gang(std::string name) { plan_.groups.push_back({std::move(name), "all", 0, {}}); }

  const std::string& name() const { return plan_.groups.front().name; }

  void add(const std::string& role, std::int32_t count, const Value* form,
           std::string_view role_label) {
    if (form == nullptr) return;
    for (std::int32_t i = 0; i < count; ++i) {
      plan_.members.push_back({fmt::format("{}-{}-{}", name(), role, i),
                               form,
                               false,
                               name(),
                               {{std::string(role_label), role}}});
    }
  }
  Plan take(std::int32_t minimum = 0) && {
    const auto all = static_cast<std::int32_t>(plan_.members.size());
    plan_.groups.front().minimum = std::max(1, minimum > 0 ? std::min(minimum, all) : all);
    return std::move(plan_);
  }

 private:
  Plan plan_;
};

// Kubeflow's training kinds: a map of roles, each with replicas and a template.
Plan plan_roles(const Value& document, std::string_view roles) {
  Gang gang(name_of(document));
  for (const auto& [role, line, spec] : members_at(document, {"spec", roles})) {
    gang.add(lower_case(role), number_at(spec, {"replicas"}, 1), at(spec, {"template"}),
             "training.kubeflow.org/replica-type");
  }
  return std::move(gang).take(
      number_at(document, {"spec", "runPolicy", "schedulingPolicy", "minAvailable"}, 0));
}

struct RayGroup {
  std::string name;
  std::int32_t pods = 0;
  std::int32_t least = 0;
  const Value* form = nullptr;
};

std::vector<RayGroup> ray_groups(const Value& cluster) {
  std::vector<RayGroup> out;
  out.push_back({"head", 1, 1, at(cluster, {"headGroupSpec", "template"})});
  for (const Value& group : items_at(cluster, {"workerGroupSpecs"})) {
    const std::int32_t hosts = std::max(1, number_at(group, {"numOfHosts"}, 1));
    const std::int32_t least = number_at(group, {"minReplicas"}, 0);
    const std::int32_t replicas = std::max(number_at(group, {"replicas"}, 1), least);
    out.push_back({text_at(group, {"groupName"}, "worker"), replicas * hosts, least * hosts,
                   at(group, {"template"})});
  }
  std::erase_if(out, [](const RayGroup& group) { return group.form == nullptr; });
  return out;
}

constexpr std::string_view kRayLabel = "ray.io/group";

// Which pods the cluster cannot do without is said per group: the head alone is of no use, and
// neither are workers without it.
Plan plan_scaling_ray(const std::string& name, const std::vector<RayGroup>& groups) {
  Plan plan;
  plan.has_root = true;
  for (const RayGroup& group : groups) {
    const std::string full = fmt::format("{}-{}", name, group.name);
    plan.groups.push_back({full, group.name, group.least, {}});
    if (group.least > 0) ++plan.root_minimum;
    for (std::int32_t i = 0; i < group.pods; ++i) {
      plan.members.push_back({fmt::format("{}-{}", full, i),
                              group.form,
                              false,
                              full,
                              {{std::string(kRayLabel), group.name}}});
    }
  }
  return plan;
}

Plan plan_ray(const Value& cluster, const std::string& name) {
  const auto groups = ray_groups(cluster);
  if (flag_at(cluster, {"enableInTreeAutoscaling"})) return plan_scaling_ray(name, groups);
  Gang gang(name);
  for (const RayGroup& group : groups) gang.add(group.name, group.pods, group.form, kRayLabel);
  return std::move(gang).take();
}

// The pod template of the step that trains, in the JobSet that a runtime is a template of.
const Value* trainer_template(const Value& runtime) {
  const Value* found = nullptr;
  for (const Value& replicated :
       items_at(runtime, {"spec", "template", "spec", "replicatedJobs"})) {
    const std::string step = text_at(replicated, {"template", "metadata", "labels",
                                                  "trainer.kubeflow.org/trainjob-ancestor-step"});
    const bool trains =
        step == "trainer" || (step.empty() && text_at(replicated, {"name"}) == "node");
    if (trains) found = at(replicated, {"template", "spec", "template"});
  }
  return found;
}

// Replaces the resources of the first container, which is the one that trains.
void set_resources(Value& form, const Value& wanted, wire::Arena& arena) {
  Value* spec = form.find("spec");
  Value* containers = spec != nullptr ? spec->find("containers") : nullptr;
  if (containers == nullptr || !containers->is_array() || containers->items().empty()) return;
  containers->items().front().set_member(arena, "resources", wanted.clone(arena));
}

void merge_map(Value& form, const Value& more, std::string_view holder, std::string_view name,
               wire::Arena& arena) {
  for (const auto& [key, line, value] : members_at(more, {holder, name})) {
    form.set(arena, {holder, name, key}, value.clone(arena));
  }
}

// What the TrainJob itself says of the pods of this step, beside the runtime.
void apply_overrides(Value& form, const Value& document, std::string_view step,
                     wire::Arena& arena) {
  for (const Value& more : items_at(document, {"spec", "podTemplateOverrides"})) {
    const bool meant =
        std::ranges::any_of(items_at(more, {"targetJobs"}),
                            [&](const Value& target) { return text_at(target, {"name"}) == step; });
    if (!meant) continue;
    merge_map(form, more, "metadata", "labels", arena);
    merge_map(form, more, "metadata", "annotations", arena);
    merge_map(form, more, "spec", "nodeSelector", arena);
    if (const Value* tolerations = at(more, {"spec", "tolerations"})) {
      form.set(arena, {"spec", "tolerations"}, tolerations->clone(arena));
    }
  }
}

}  // namespace

Plan plan_pytorch_job(const Value& document, const Neighbours&) {
  return plan_roles(document, "pytorchReplicaSpecs");
}
Plan plan_tf_job(const Value& document, const Neighbours&) {
  return plan_roles(document, "tfReplicaSpecs");
}
// A launcher that comes when the workers are ready cannot be waited for.
Plan plan_mpi_job(const Value& document, const Neighbours&) {
  Plan plan = plan_roles(document, "mpiReplicaSpecs");
  if (text_at(document, {"spec", "launcherCreationPolicy"}) != "WaitForWorkersReady") return plan;
  const std::int32_t workers =
      number_at(document, {"spec", "mpiReplicaSpecs", "Worker", "replicas"}, 1);
  plan.groups.front().minimum = std::clamp(workers, 1, plan.groups.front().minimum);
  return plan;
}
Plan plan_xgboost_job(const Value& document, const Neighbours&) {
  return plan_roles(document, "xgbReplicaSpecs");
}
Plan plan_paddle_job(const Value& document, const Neighbours&) {
  return plan_roles(document, "paddleReplicaSpecs");
}

Plan plan_ray_cluster(const Value& document, const Neighbours&) {
  const Value* spec = at(document, {"spec"});
  return spec != nullptr ? plan_ray(*spec, name_of(document)) : Plan{};
}

Plan plan_ray_job(const Value& document, const Neighbours&) {
  if (const Value* cluster = at(document, {"spec", "rayClusterSpec"})) {
    return plan_ray(*cluster, name_of(document));
  }
  Plan none;
  none.problem = "it has no spec.rayClusterSpec: its cluster is made elsewhere";
  return none;
}

Plan plan_train_job(const Value& document, const Neighbours& neighbours) {
  const std::string kind =
      text_at(document, {"spec", "runtimeRef", "kind"}, "ClusterTrainingRuntime");
  const std::string name = text_at(document, {"spec", "runtimeRef", "name"});
  const Value* runtime = neighbours.find(kind, name);
  const Value* form = runtime != nullptr ? trainer_template(*runtime) : nullptr;
  if (form == nullptr) {
    Plan none;
    none.problem = fmt::format("{} {} {}", kind, name,
                               runtime == nullptr ? "does not exist" : "has no step that trains");
    return none;
  }
  const std::int32_t nodes = number_at(document, {"spec", "trainer", "numNodes"},
                                       number_at(*runtime, {"spec", "mlPolicy", "numNodes"}, 1));
  auto forms = std::make_unique<wire::Document>();
  forms->set_root(form->clone(forms->arena()));
  if (const Value* wanted = at(document, {"spec", "trainer", "resourcesPerNode"})) {
    set_resources(forms->root(), *wanted, forms->arena());
  }
  apply_overrides(forms->root(), document, "node", forms->arena());
  Gang gang(name_of(document));
  gang.add("node", nodes, &forms->root(), "trainer.kubeflow.org/trainjob-step");
  Plan plan = std::move(gang).take();
  plan.forms = std::move(forms);
  return plan;
}

Plan plan_volcano_job(const Value& document, const Neighbours&) {
  Gang gang(name_of(document));
  for (const Value& task : items_at(document, {"spec", "tasks"})) {
    gang.add(text_at(task, {"name"}, "default"), number_at(task, {"replicas"}, 1),
             at(task, {"template"}), "volcano.sh/task-spec");
  }
  return std::move(gang).take(number_at(document, {"spec", "minAvailable"}, 0));
}

// Replicas of a predictor serve independently of each other. The predictor is a pod's spec with
// more in it; one that names a model only says what its container may use.
Plan plan_inference_service(const Value& document, const Neighbours&) {
  const std::string name = name_of(document);
  Plan plan;
  const Value* predictor = at(document, {"spec", "predictor"});
  if (predictor == nullptr) return plan;
  plan.forms = std::make_unique<wire::Document>();
  wire::Arena& arena = plan.forms->arena();
  Value form = Value::object();
  Value& spec = form.set_member(arena, "spec", predictor->clone(arena));
  if (at(spec, {"containers"}) == nullptr) {
    Value container = Value::object();
    container.set_member(arena, "name", Value::string(arena, "kserve-container"));
    if (const Value* wanted = at(*predictor, {"model", "resources"})) {
      container.set_member(arena, "resources", wanted->clone(arena));
    }
    spec.set_member(arena, "containers", Value::array()).push_back(arena, std::move(container));
  }
  plan.forms->set_root(std::move(form));
  for (std::int32_t i = 0; i < number_at(*predictor, {"minReplicas"}, 1); ++i) {
    plan.members.push_back({fmt::format("{}-predictor-{}", name, i),
                            &plan.forms->root(),
                            false,
                            {},
                            {{"serving.kserve.io/inferenceservice", name}}});
  }
  return plan;
}

}  // namespace tutti::controllers
