#include "controllers/workloads/workload_controller.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "base/check.h"
#include "controllers/dependents.h"
#include "controllers/names.h"
#include "controllers/pods.h"
#include "controllers/workloads/document.h"
#include "controllers/workloads/member_document.h"
#include "wire/json_reader.h"

namespace tutti::controllers {
namespace {

using model::CompositePodGroup;
using model::GroupTemplate;
using model::PodGroup;
using model::Workload;
using wire::Value;

constexpr std::size_t kTemplatesMax = 8;

std::string namespace_for(const model::Object& owner) {
  return owner.meta.ns.empty() ? "default" : owner.meta.ns;
}

bool is_suspended(const Value& document) {
  return flag_at(document, {"spec", "suspend"}) ||
         flag_at(document, {"spec", "runPolicy", "suspend"});
}

std::unique_ptr<wire::Document> document_of(const model::Object& object) {
  auto out = std::make_unique<wire::Document>();
  const Status status = wire::read_json(*object.document, [&](wire::Document&& stored) {
    *out = std::move(stored);
    return ok_status();
  });
  TUTTI_CHECK(status.ok(), "a stored document is JSON");
  return out;
}

model::SchedulingPolicy policy_of(const PlannedGroup& group) {
  return {group.minimum > 0, std::max(1, group.minimum)};
}

// Groups of one template are alike; more templates than a Workload may have become one.
std::vector<GroupTemplate> templates_of(const Plan& plan, const std::string& priority) {
  std::vector<GroupTemplate> out;
  for (const PlannedGroup& group : plan.groups) {
    if (std::ranges::find(out, group.template_name, &GroupTemplate::name) != out.end()) continue;
    GroupTemplate form;
    form.name = group.template_name;
    form.spec.policy = policy_of(group);
    form.spec.topology_key = group.topology_key;
    form.spec.priority_class_name = priority;
    out.push_back(std::move(form));
  }
  if (out.size() > kTemplatesMax) out.resize(1);
  return out;
}

// The objects that the groups of a plan are, named and owned.
class GroupMaker {
 public:
  GroupMaker(const model::Object& owner, const Plan& plan, std::string priority)
      : owner_(owner), plan_(plan), priority_(std::move(priority)) {}

  Workload workload() const {
    Workload out;
    identify(out, workload_name(owner_.meta.name, owner_.meta.uid));
    const auto reference = plain_reference(owner_);
    out.controller = {std::string(api_group_of(reference.api_version)), reference.kind,
                      reference.name};
    auto templates = templates_of(plan_, priority_);
    if (!plan_.has_root) {
      out.pod_groups = std::move(templates);
      return out;
    }
    GroupTemplate root;
    root.name = kRootTemplate;
    root.spec = root_spec();
    root.pod_groups = std::move(templates);
    out.composites.push_back(std::move(root));
    return out;
  }
  CompositePodGroup root(const Workload& workload) const {
    CompositePodGroup out;
    identify(out, owner_.meta.name);
    out.meta.owners.push_back(plain_reference(workload));
    out.workload = {workload.meta.name, kRootTemplate};
    out.spec = root_spec();
    return out;
  }
  PodGroup group(const Workload& workload, const PlannedGroup& planned) const {
    PodGroup out;
    identify(out, planned.name);
    out.meta.owners.push_back(plain_reference(workload));
    out.workload = {workload.meta.name, planned.template_name};
    if (plan_.has_root && planned.minimum > 0) out.parent = owner_.meta.name;
    out.spec.policy = policy_of(planned);
    out.spec.topology_key = planned.topology_key;
    out.spec.priority_class_name = priority_;
    return out;
  }

 private:
  static constexpr const char* kRootTemplate = "root";

  void identify(model::Object& object, std::string name) const {
    object.api_version = model::kSchedulingV1Alpha3;
    object.meta.ns = namespace_for(owner_);
    object.meta.name = std::move(name);
    object.meta.owners = {controller_reference(owner_)};
  }
  model::GroupSpec root_spec() const {
    model::GroupSpec spec;
    const bool gang = plan_.root_minimum > 0;
    spec.policy = {gang, gang ? plan_.root_minimum : 1};
    spec.topology_key = plan_.root_topology_key;
    spec.priority_class_name = priority_;
    return spec;
  }

  const model::Object& owner_;
  const Plan& plan_;
  std::string priority_;
};

}  // namespace

WorkloadController::WorkloadController(Cluster& cluster, bool keeps_documents)
    : Controller(cluster),
      decoder_(keeps_documents ? wire::Decoder::Documents::kept
                               : wire::Decoder::Documents::dropped) {}

void WorkloadController::observe(const store::WatchEvent& event) {
  const auto& object = event.object();
  if (object.kind == model::Kind::other) {
    const auto* row = mapping_of(object);
    if (row != nullptr && row->plan != nullptr && event.after) look_at(model::key_of(object));
  }
  std::erase_if(waiting_, [&](const auto& key) {
    const bool again =
        object.kind == model::Kind::other || may_let_in(event, key.ns.empty() ? "default" : key.ns);
    if (again) look_at(key);
    return again;
  });
  const bool member = object.kind == model::Kind::pod || object.kind == model::Kind::job;
  if (!member || event.after) return;
  const auto* owner = controller_of(object.meta);
  if (owner == nullptr || mapping_of(owner->api_version, owner->kind) == nullptr) return;
  const std::string kind = owner->api_version + "/" + owner->kind;
  for (const std::string& ns : {object.meta.ns, std::string()}) {
    look_at({model::Kind::other, ns, owner->name, kind});
  }
}

void WorkloadController::reconcile(const model::ObjectKey& key) {
  const auto object = objects().get(key);
  if (!object || object->meta.deletion || !object->document) return;
  const auto document = document_of(*object);
  const Plan plan = mapping_of(*object)->plan(document->root(), neighbours_of(*object));
  if (plan.members.empty()) {
    if (!plan.problem.empty()) refuse(*object, plan.problem);
    waiting_.insert(key);
    return;
  }
  const std::string priority = priority_class_of(plan.members.front());
  if (!ensure_groups(*object, plan, priority)) return;
  std::set<std::string> names;
  if (!is_suspended(document->root())) {
    for (const auto& member : plan.members) {
      names.insert(member.name);
      create_member(*object, member);
    }
  }
  remove_others(*object, names);
}

bool WorkloadController::ensure_groups(const model::Object& owner, const Plan& plan,
                                       const std::string& priority) {
  if (plan.groups.empty()) return true;
  const GroupMaker maker(owner, plan, priority);
  const Workload wanted = maker.workload();
  if (!ensure(owner, wanted)) return false;
  const auto workload = objects().find<Workload>(wanted.meta.ns, wanted.meta.name);
  if (plan.has_root && !ensure(owner, maker.root(*workload))) return false;
  for (const auto& planned : plan.groups) {
    const PodGroup group = maker.group(*workload, planned);
    if (!ensure(owner, group)) return false;
    ensure_minimum(owner, group);
  }
  return true;
}

// One of that name that someone else made is not ours to replace.
bool WorkloadController::ensure(const model::Object& owner, const model::Object& wanted) {
  if (objects().get(model::key_of(wanted))) return true;
  const auto made = cluster().create(wanted);
  if (made.ok()) return true;
  refuse(owner, made.error().message);
  return false;
}

void WorkloadController::ensure_minimum(const model::Object& owner, const PodGroup& wanted) {
  const auto present = objects().find<PodGroup>(wanted.meta.ns, wanted.meta.name);
  const bool ours = is_controlled_by(present->meta, owner);
  if (!ours || present->spec.policy == wanted.spec.policy) return;
  if (present->spec.policy.gang != wanted.spec.policy.gang) return;
  PodGroup next = *present;
  next.spec.policy.minimum = wanted.spec.policy.minimum;
  // Refused: the group keeps its minimum until its owner is looked at again.
  (void)cluster().update(next);
}

void WorkloadController::create_member(const model::Object& owner, const PlannedMember& member) {
  const std::string ns = namespace_for(owner);
  const auto kind = member.is_job ? model::Kind::job : model::Kind::pod;
  if (objects().get({kind, ns, member.name, {}})) return;
  wire::Arena arena;
  auto decoded = wire::decode(member_document(member, ns, arena), decoder_);
  if (!decoded.ok()) return refuse(owner, decoded.error().message);
  (*decoded)->meta.owners = {controller_reference(owner)};
  const auto made = cluster().create(**decoded);
  if (!made.ok()) refuse(owner, made.error().message);
}

void WorkloadController::remove_others(const model::Object& owner,
                                       const std::set<std::string>& members) {
  for (const auto& key : dependents().of(owner.meta.uid)) {
    const bool member = key.kind == model::Kind::pod || key.kind == model::Kind::job;
    if (member && !members.contains(key.name)) cluster().remove(key);
  }
}

void WorkloadController::refuse(const model::Object& owner, const std::string& why) {
  waiting_.insert(model::key_of(owner));
  cluster().record({"workload-controller", objects().get(model::key_of(owner)), true,
                    "FailedCreate", "Error creating: " + why});
}

Neighbours WorkloadController::neighbours_of(const model::Object& owner) {
  return {[this, ns = owner.meta.ns](std::string_view kind, std::string_view name) -> const Value* {
    const auto matches = [&](const model::Object& object) {
      return static_cast<const model::OtherObject&>(object).kind_name == kind &&
             object.meta.name == name && (object.meta.ns.empty() || object.meta.ns == ns) &&
             object.document != nullptr;
    };
    const auto found = objects().list(model::Kind::other, {}, matches);
    if (found.empty()) return nullptr;
    neighbour_ = document_of(*found.front());
    return &neighbour_->root();
  }};
}

}  // namespace tutti::controllers
