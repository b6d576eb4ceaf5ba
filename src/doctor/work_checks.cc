// What work names: queues, classes, schedulers; and priorities that disagree.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/text.h"
#include "doctor/examination.h"
#include "doctor/naming.h"
#include "expr/label_selector.h"
#include "model/admission_request.h"
#include "model/cluster.h"
#include "model/pod.h"
#include "model/quota.h"

namespace tutti::doctor {
namespace {

explain::ObjectName name_of(const model::Object& object) {
  return {kind_of(object), object.meta.ns, object.meta.name};
}

// The LocalQueues of a namespace: what a name may have meant.
std::vector<std::string_view> queues_of(const Scene& scene, const std::string& ns) {
  std::vector<std::string_view> names;
  for (const auto& [key, local] : scene.quota.local_queues()) {
    if (local->meta.ns == ns) names.emplace_back(local->meta.name);
  }
  return names;
}

std::string command_to_name(const QueuedObject& each, std::string_view queue) {
  const model::ObjectMeta& meta = each.object->meta;
  if (each.object->kind == model::Kind::admission_request) {
    return fmt::format(
        "kubectl patch {} {} -n {} --type=merge -p "
        "'{{\"spec\":{{\"queueName\":\"{}\"}}}}'",
        kubectl_word(*each.object), meta.name, meta.ns, queue);
  }
  return fmt::format("kubectl label {} {} -n {} {}={} --overwrite", kubectl_word(*each.object),
                     meta.name, meta.ns, kQueueLabel, queue);
}

void check_queue_name(const Scene& scene, const QueuedObject& each, Findings& findings) {
  const model::ObjectMeta& meta = each.object->meta;
  const model::LocalQueue* const local = scene.quota.local_queue(meta.ns, each.queue);
  if (local == nullptr) {
    const std::vector<std::string_view> known = queues_of(scene, meta.ns);
    const std::string_view near = nearest_word(each.queue, known);
    const std::string_view meant = near.empty() && known.size() == 1 ? known.front() : near;
    const bool none = !scene.quota.has_queues();
    findings.push_back(
        {"queue-missing", none ? Severity::warning : Severity::error, name_of(*each.object),
         each.field,
         none ? fmt::format("names LocalQueue {}, but there are no queues here: nobody holds it",
                            brief_line(each.queue))
              : fmt::format(
                    "names LocalQueue {}, which namespace {} does not have{}: it waits for "
                    "ever",
                    brief_line(each.queue), meta.ns,
                    known.empty() ? "" : fmt::format(" (it has {})", fmt::join(known, ", "))),
         meant.empty() ? "" : command_to_name(each, meant)});
    return;
  }
  const core::QuotaQueue* const queue = scene.quota.queue(local->spec.cluster_queue);
  if (queue == nullptr) return;  // said of the LocalQueue
  const auto& selector = queue->object->spec.namespace_selector;
  if (selector && expr::matches(*selector, scene.quota.labels_of_namespace(meta.ns))) return;
  findings.push_back(
      {"queue-not-for-namespace", Severity::error, name_of(*each.object), each.field,
       fmt::format("ClusterQueue {} of LocalQueue {} does not take work of namespace {} ({})",
                   queue->name(), each.queue, meta.ns,
                   selector ? "its namespaceSelector does not match"
                            : "it has no namespaceSelector, which matches none"),
       selector ? ""
                : fmt::format("kubectl patch clusterqueue {} --type=merge -p "
                              "'{{\"spec\":{{\"namespaceSelector\":{{}}}}}}'",
                              queue->name())});
}

void check_class(const Scene& scene, const model::Object& object, Findings& findings) {
  const std::string* const name = model::find(object.meta.labels, kQueueClassLabel);
  if (name == nullptr || object.meta.ns.empty()) return;
  std::vector<std::string_view> known;
  for (const auto& each : scene.objects.objects(model::Kind::workload_priority_class)) {
    known.emplace_back(each->meta.name);
    if (each->meta.name == *name) return;
  }
  const std::string_view meant = nearest_word(*name, known);
  findings.push_back(
      {"priority-class-missing", Severity::error, name_of(object),
       fmt::format("metadata.labels[{}]", kQueueClassLabel),
       fmt::format("names WorkloadPriorityClass {}, which does not exist", brief_line(*name)),
       meant.empty()
           ? ""
           : fmt::format("kubectl label {} {} -n {} {}={} --overwrite", kubectl_word(object),
                         object.meta.name, object.meta.ns, kQueueClassLabel, meant)});
}

// Pods that nobody here will look at, by what they were made of and whom they name.
void check_schedulers(const Scene& scene, Findings& findings) {
  struct Waiting {
    explain::ObjectName work;
    std::size_t pods = 0;
  };
  std::map<std::pair<std::string, std::string>, Waiting> foreign;
  for (const model::ObjectPtr& object : scene.objects.objects(model::Kind::pod)) {
    const auto& pod = model::as<model::Pod>(*object);
    if (!pod.node_name.empty() || pod.terminal() || !scene.is_foreign(pod)) continue;
    explain::ObjectName work = scene.work_of(pod);
    Waiting& entry = foreign[{text_of(work), pod.spec->scheduler_name}];
    entry.work = std::move(work);
    ++entry.pods;
  }
  for (const auto& [key, entry] : foreign) {
    const bool lone = entry.work.kind == "Pod";
    findings.push_back(
        {"scheduler-unknown", Severity::warning, entry.work,
         lone ? "spec.schedulerName" : "spec.template.spec.schedulerName",
         fmt::format(
             "{} scheduler {}, which this configuration does not have: {}",
             entry.pods == 1 ? "names" : fmt::format("its {} pods name", entry.pods),
             brief_line(key.second),
             entry.pods == 1 ? "it waits for somebody else" : "they wait for somebody else"),
         "let schedulerName be one of the configuration's profiles, or add a profile of that "
         "name"});
  }
}

// What a request is worth to its queue, and what its pods are worth to nodes.
struct Worth {
  const model::AdmissionRequest* request = nullptr;
  std::int64_t in_queue = 0;
  std::int64_t of_pods = 0;
};

std::optional<Worth> worth_of(const model::AdmissionRequest& request) {
  std::optional<std::int32_t> pods;
  for (const model::PodSet& set : request.spec.pod_sets) {
    if (!set.pods.priority) continue;
    pods = pods ? std::max(*pods, *set.pods.priority) : *set.pods.priority;
  }
  if (!pods || !request.spec.priority) return std::nullopt;
  return Worth{&request, *request.spec.priority, *pods};
}

// Says of whom the queue puts behind another that its pods may evict that one's. One finding for
// the pair that is furthest apart: what is wrong is a class, and pairs of it can be many.
void check_priorities(const Scene& scene, Findings& findings) {
  std::vector<Worth> all;
  for (const model::ObjectPtr& object : scene.objects.objects(model::Kind::admission_request)) {
    if (auto worth = worth_of(model::as<model::AdmissionRequest>(*object))) all.push_back(*worth);
  }
  std::ranges::stable_sort(all, [](const Worth& a, const Worth& b) {
    return a.in_queue != b.in_queue ? a.in_queue > b.in_queue : a.of_pods < b.of_pods;
  });
  // The one whose pods are worth least, among those that the queue puts before the others.
  const Worth* lowest = nullptr;
  std::set<std::pair<std::int64_t, std::int64_t>> said;
  for (const Worth& each : all) {
    if (lowest != nullptr && lowest->in_queue > each.in_queue && lowest->of_pods < each.of_pods &&
        said.insert({each.in_queue, each.of_pods}).second) {
      findings.push_back(
          {"priorities-disagree", Severity::warning, scene.work_of(*each.request),
           "spec.priorityClassName of its pods",
           fmt::format("its queue puts it behind {} ({} against {}), but its pods come before that "
                       "one's on nodes ({} against {}) and may evict them",
                       text_of(scene.work_of(*lowest->request)), each.in_queue, lowest->in_queue,
                       each.of_pods, lowest->of_pods),
           "let classes of pods (PriorityClass) and of work in queues (WorkloadPriorityClass) be "
           "in the same order"});
    }
    if (lowest == nullptr || each.of_pods < lowest->of_pods) lowest = &each;
  }
}

}  // namespace

void check_work(const Scene& scene, Findings& findings) {
  for (const QueuedObject& each : queued_objects(scene.objects)) {
    if (!each.queue.empty()) check_queue_name(scene, each, findings);
    check_class(scene, *each.object, findings);
  }
  check_schedulers(scene, findings);
  check_priorities(scene, findings);
}

}  // namespace tutti::doctor
