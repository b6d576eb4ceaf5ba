#include "replay/workload.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <utility>

#include "base/check.h"
#include "core/cluster/annotations.h"
#include "core/framework/config.h"
#include "core/shapes/shape.h"

namespace tutti::replay {
namespace {

constexpr std::string_view kNamespace = "trace";
constexpr std::string_view kWholeGpus = "nvidia.com/gpu";
constexpr std::string_view kLevelPrefix = "topology.tutti.dev/";
constexpr const char* kQueue = "all";

std::string group_name(JobIndex job) { return fmt::format("{:08}", job); }

const std::string& model_label() {
  static const std::string label = core::FractionalGpuArgs{}.model_label;
  return label;
}

void put(model::ResourceList& list, std::string_view name, Quantity amount) {
  if (amount.zero()) return;
  const auto at = std::ranges::lower_bound(
      list, name, {}, [](const auto& entry) { return std::string_view(entry.first); });
  list.emplace(at, name, amount);
}

void put_gpus(model::ResourceList& list, GpuUnit unit, std::int64_t milli) {
  if (unit == GpuUnit::thousandths) return put(list, core::kGpuMilli, Quantity::from_units(milli));
  put(list, kWholeGpus, Quantity::from_units(milli / trace::kGpu));
}

}  // namespace

GpuUnit unit_for(std::span<const trace::Job> jobs, bool policy_looks_at_devices) {
  const auto shares = [](const trace::Job& job) { return job.gpu_milli % trace::kGpu != 0; };
  return policy_looks_at_devices || std::ranges::any_of(jobs, shares) ? GpuUnit::thousandths
                                                                      : GpuUnit::whole;
}

std::string pod_name(JobIndex job, std::int32_t replica, std::int32_t attempt) {
  return fmt::format("{:08}-{}.{}", job, replica, attempt);
}

PodIndex index_of(std::string_view name) {
  PodIndex index;
  const char* const end = name.data() + name.size();
  const auto job = std::from_chars(name.data(), end, index.job);
  TUTTI_CHECK(job.ec == std::errc{} && job.ptr != end, name);
  const auto replica = std::from_chars(job.ptr + 1, end, index.replica);
  TUTTI_CHECK(replica.ec == std::errc{}, name);
  return index;
}

std::shared_ptr<const model::PodSpec> Workload::spec_of(JobIndex index) {
  const trace::Job& job = jobs_[index];
  std::string key = fmt::format("{} {} {} {}", job.milli_cpu, job.memory, job.gpu_milli,
                                fmt::join(job.models, "|"));
  for (const auto& [name, amount] : job.extra) key += fmt::format(" {}={}", name, amount);
  if (is_group(index)) key = group_name(index);
  auto& spec = specs_[key];
  if (spec) return spec;
  auto made = std::make_shared<model::PodSpec>();
  model::ResourceList& requests = made->containers.emplace_back().requests;
  put(requests, "cpu", Quantity::from_milli(job.milli_cpu));
  put(requests, "memory", Quantity::from_units(job.memory));
  put_gpus(requests, unit_, job.gpu_milli);
  for (const auto& [name, amount] : job.extra) put(requests, name, Quantity::from_units(amount));
  if (!job.models.empty()) {
    model::NodeSelectorTerm term;
    term.match_expressions.push_back({model_label(), model::Requirement::Operator::in, job.models});
    made->node_affinity.required.emplace().push_back(std::move(term));
  }
  if (is_group(index)) made->scheduling_group = group_name(index);
  spec = std::move(made);
  return spec;
}

std::shared_ptr<model::Pod> Workload::make_pod(PodIndex index, std::int32_t attempt) {
  const trace::Job& job = jobs_[index.job];
  auto pod = std::make_shared<model::Pod>();
  pod->api_version = "v1";
  pod->meta.name = pod_name(index.job, index.replica, attempt);
  pod->meta.uid = pod->meta.name;
  pod->meta.ns = kNamespace;
  pod->spec = spec_of(index.job);
  pod->priority = priorities_ ? job.priority : 0;
  if (in_queue_) pod->meta.annotations = {{"kueue.x-k8s.io/workload", group_name(index.job)}};
  return pod;
}

std::shared_ptr<const model::PodGroup> Workload::make_group(JobIndex index) const {
  if (!is_group(index)) return nullptr;
  const trace::Job& job = jobs_[index];
  auto group = std::make_shared<model::PodGroup>();
  group->api_version = model::kSchedulingV1Beta1;
  group->meta.name = group->meta.uid = group_name(index);
  group->meta.ns = kNamespace;
  group->spec.policy = {true, job.minimum};
  if (!job.level.empty()) group->spec.topology_key = std::string(kLevelPrefix) + job.level;
  if (job.minimum == job.replicas) group->spec.disruption = model::DisruptionMode::all;
  group->spec.priority = priorities_ ? job.priority : 0;
  return group;
}

std::shared_ptr<const model::AdmissionRequest> Workload::make_request(JobIndex index, Instant now) {
  const trace::Job& job = jobs_[index];
  auto request = std::make_shared<model::AdmissionRequest>();
  request->api_version = "kueue.x-k8s.io/v1beta2";
  request->meta.name = request->meta.uid = group_name(index);
  request->meta.ns = kNamespace;
  request->meta.created = now;
  request->spec.queue = kQueue;
  request->spec.priority = priorities_ ? job.priority : 0;
  model::PodSet& set = request->spec.pod_sets.emplace_back();
  set.count = job.replicas;
  set.pods.spec = spec_of(index);
  if (const auto runs = job.limit ? job.limit : job.duration) {
    set.pods.annotations = {{std::string(core::kRunsForAnnotation), format_duration(*runs)}};
  }
  if (!job.level.empty()) set.topology.emplace().required = std::string(kLevelPrefix) + job.level;
  return request;
}

JobIndex Workload::job_of(const model::AdmissionRequest& request) {
  JobIndex job = 0;
  const std::string& name = request.meta.name;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), job);
  TUTTI_CHECK(error == std::errc{} && end == name.data() + name.size(), name);
  return job;
}

std::vector<model::ObjectPtr> Workload::make_queue(bool strict) {
  auto queue = std::make_shared<model::ClusterQueue>();
  queue->meta.name = queue->meta.uid = kQueue;
  queue->spec.namespace_selector = model::LabelSelector{};
  if (strict) queue->spec.strategy = model::QueueingStrategy::strict_fifo;
  auto door = std::make_shared<model::LocalQueue>();
  door->meta.ns = kNamespace;
  door->meta.name = door->meta.uid = kQueue;
  door->spec.cluster_queue = kQueue;
  return {queue, door};
}

std::shared_ptr<const model::Node> Workload::make_node(const trace::Node& node,
                                                       std::string name) const {
  auto made = std::make_shared<model::Node>();
  made->api_version = "v1";
  made->meta.uid = made->meta.name = std::move(name);
  std::vector<std::pair<std::string, std::string>> labels;
  if (!node.model.empty()) labels.emplace_back(model_label(), node.model);
  for (const auto& [level, domain] : node.levels) {
    labels.emplace_back(std::string(kLevelPrefix) + level, domain);
  }
  std::ranges::sort(labels);
  for (auto& label : labels) made->meta.labels.push_back(std::move(label));
  put(made->allocatable, "cpu", Quantity::from_milli(node.milli_cpu));
  put(made->allocatable, "memory", Quantity::from_units(node.memory));
  put(made->allocatable, "pods", Quantity::from_units(node.pods));
  put_gpus(made->allocatable, unit_, node.gpus * trace::kGpu);
  for (const auto& [resource, amount] : node.extra) {
    put(made->allocatable, resource, Quantity::from_units(amount));
  }
  made->capacity = made->allocatable;
  return made;
}

}  // namespace tutti::replay
