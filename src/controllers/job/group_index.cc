#include "controllers/job/group_index.h"

namespace tutti::controllers {
namespace {

// The Job that a Workload is for, or the Workload that a group is made from; empty: none.
std::string referee(const model::Object& object) {
  if (const auto* group = model::try_as<model::PodGroup>(object)) {
    return group->workload ? group->workload->workload : std::string();
  }
  const auto& controller = model::as<model::Workload>(object).controller;
  const bool job = controller && controller->api_group == "batch" && controller->kind == "Job";
  return job ? controller->name : std::string();
}

template <typename T, typename Names, typename Name>
std::vector<std::shared_ptr<const T>> found(const Names& names, const Name& name,
                                            const store::Store& objects) {
  std::vector<std::shared_ptr<const T>> out;
  const auto at = names.find(name);
  if (at == names.end()) return out;
  for (const std::string& one : at->second) {
    if (auto object = objects.find<T>(name.first, one)) out.push_back(std::move(object));
  }
  return out;
}

}  // namespace

void GroupIndex::observe(const store::WatchEvent& event) {
  const model::Kind kind = event.object().kind;
  if (kind != model::Kind::workload && kind != model::Kind::pod_group) return;
  if (event.before && !event.after) remove(*event.before);
  // Neither reference ever changes.
  if (event.after && !event.before) add(*event.after);
}

void GroupIndex::add(const model::Object& object) {
  const std::string name = referee(object);
  if (name.empty()) return;
  auto& names = object.kind == model::Kind::workload ? workloads_ : groups_;
  names[{object.meta.ns, name}].insert(object.meta.name);
}

void GroupIndex::remove(const model::Object& object) {
  auto& names = object.kind == model::Kind::workload ? workloads_ : groups_;
  const auto at = names.find({object.meta.ns, referee(object)});
  if (at == names.end()) return;
  at->second.erase(object.meta.name);
  if (at->second.empty()) names.erase(at);
}

std::vector<std::shared_ptr<const model::Workload>> GroupIndex::workloads_of(
    const model::Job& job, const store::Store& objects) const {
  return found<model::Workload>(workloads_, Name{job.meta.ns, job.meta.name}, objects);
}

std::vector<std::shared_ptr<const model::PodGroup>> GroupIndex::groups_of(
    const model::Workload& workload, const store::Store& objects) const {
  return found<model::PodGroup>(groups_, Name{workload.meta.ns, workload.meta.name}, objects);
}

}  // namespace tutti::controllers
