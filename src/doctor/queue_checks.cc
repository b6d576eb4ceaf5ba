// Queues, cohorts and flavors: closed, out of reach, without users; quota that does not come back.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>

#include "core/requests/pending_reason.h"
#include "core/requests/pod_set_amounts.h"
#include "doctor/examination.h"
#include "doctor/naming.h"
#include "model/quota.h"
#include "quota/amount.h"

namespace tutti::doctor {
namespace {

constexpr std::string_view kStopped = "Stopped";

// The field that a queue is closed for, by the reason of its condition Active.
std::string field_behind(const std::string& reason) {
  static const std::map<std::string, std::string, std::less<>> kFields = {
      {"FlavorNotFound", "spec.resourceGroups[].flavors[].name"},
      {"TopologyNotFound", "spec.resourceGroups[].flavors[].name"},
      {"AdmissionCheckNotFound", "spec.admissionChecksStrategy.admissionChecks"},
      {"AdmissionCheckInactive", "spec.admissionChecksStrategy.admissionChecks"},
      {"CohortCycle", "spec.cohortName"},
      {"ClusterQueueDoesNotExist", "spec.clusterQueue"},
      {"Stopped", "spec.stopPolicy"}};
  const auto found = kFields.find(reason);
  return found == kFields.end() ? "spec" : found->second;
}

// How many requests name each LocalQueue, "ns/name".
std::map<std::string, std::size_t> users_by_queue(const Scene& scene) {
  std::map<std::string, std::size_t> users;
  for (const QueuedObject& each : queued_objects(scene.objects)) {
    ++users[each.object->meta.ns + "/" + each.queue];
  }
  return users;
}

std::string amounts_of(const model::ClusterQueueSpec& spec) {
  std::map<std::string, quota::Amount> totals;
  for (const model::ResourceGroup& group : spec.groups) {
    for (const model::FlavorQuotas& flavor : group.flavors) {
      for (const model::QuotaAmount& amount : flavor.amounts) {
        totals[amount.resource] += core::base_units(amount.resource, amount.nominal);
      }
    }
  }
  std::string text;
  for (const auto& [resource, total] : totals) {
    if (total == 0) continue;
    text += fmt::format("{}{} {}", text.empty() ? "" : ", ",
                        core::amount_text(resource, quota::to_int64(total)), resource);
  }
  return text.empty() ? "quota" : text;
}

class QueueChecks {
 public:
  QueueChecks(const Scene& scene, Findings& findings)
      : scene_(scene), findings_(findings), users_(users_by_queue(scene)) {}

  void run() {
    for (const auto& [key, local] : scene_.quota.local_queues()) {
      reached_.insert(local->spec.cluster_queue);
      users_of_[local->spec.cluster_queue] += users_of(*local);
      check_local(*local);
    }
    for (const auto& [name, queue] : scene_.quota.queues()) check_cluster_queue(queue);
    check_flavors();
  }

 private:
  std::size_t users_of(const model::LocalQueue& local) const {
    const auto found = users_.find(local.meta.ns + "/" + local.meta.name);
    return found == users_.end() ? 0 : found->second;
  }

  void check_local(const model::LocalQueue& local) {
    const explain::ObjectName name{"LocalQueue", local.meta.ns, local.meta.name};
    const std::size_t users = users_of(local);
    if (users == 0) {
      findings_.push_back(
          {"queue-unused", Severity::info, name, "", "no work names it",
           "kubectl delete localqueue " + local.meta.name + " -n " + local.meta.ns});
    }
    const bool missing = scene_.quota.queue(local.spec.cluster_queue) == nullptr;
    if (missing) {
      findings_.push_back(
          {"queue-closed", Severity::error, name, "spec.clusterQueue",
           fmt::format("admits nobody: there is no ClusterQueue {}", local.spec.cluster_queue),
           "make that ClusterQueue, or a LocalQueue for another: the field cannot be changed"});
    } else if (local.spec.stop != model::StopPolicy::none) {
      add_stopped(name, users,
                  fmt::format("kubectl patch localqueue {} -n {} --type=merge -p "
                              "'{{\"spec\":{{\"stopPolicy\":\"None\"}}}}'",
                              local.meta.name, local.meta.ns));
    }
  }

  void add_stopped(const explain::ObjectName& name, std::size_t users, std::string fix) {
    findings_.push_back({"queue-stopped", users == 0 ? Severity::info : Severity::warning, name,
                         "spec.stopPolicy",
                         fmt::format("is stopped: nothing new is admitted; {} that {} it",
                                     users == 1 ? "1 object" : fmt::format("{} objects", users),
                                     users == 1 ? "names" : "name"),
                         std::move(fix)});
  }

  void check_cluster_queue(const core::QuotaQueue& queue) {
    const explain::ObjectName name{"ClusterQueue", "", queue.name()};
    const core::Closure closure = scene_.quota.closure_of(queue);
    if (closure && closure.reason == kStopped) {
      add_stopped(name, users_of_[queue.name()],
                  fmt::format("kubectl patch clusterqueue {} --type=merge -p "
                              "'{{\"spec\":{{\"stopPolicy\":\"None\"}}}}'",
                              queue.name()));
    } else if (closure) {
      findings_.push_back({"queue-closed", Severity::error, name, field_behind(closure.reason),
                           fmt::format("admits nobody: {} ({})", closure.message, closure.reason),
                           ""});
    }
    if (!reached_.contains(queue.name())) {
      findings_.push_back({"queue-out-of-reach", Severity::warning, name, "",
                           fmt::format("no LocalQueue leads to it: nobody can ask for its {}",
                                       amounts_of(queue.object->spec)),
                           "make a LocalQueue with spec.clusterQueue: " + queue.name()});
    }
    check_returns(queue, name);
  }

  // Whether what the queue owns may be used by others and stays with them.
  void check_returns(const core::QuotaQueue& queue, const explain::ObjectName& name) {
    const model::ClusterQueueSpec& spec = queue.object->spec;
    if (spec.cohort.empty() || spec.preemption.reclaim != model::ReclaimPreemption::never) return;
    bool lends = false;
    for (const model::ResourceGroup& group : spec.groups) {
      for (const model::FlavorQuotas& flavor : group.flavors) {
        lends =
            lends || std::ranges::any_of(flavor.amounts, [](const model::QuotaAmount& each) {
              return !each.nominal.zero() && (!each.lending_limit || !each.lending_limit->zero());
            });
      }
    }
    if (!lends || !has_company(queue)) return;
    findings_.push_back(
        {"quota-not-returned", Severity::warning, name, "spec.preemption.reclaimWithinCohort",
         fmt::format("others of cohort {} may borrow of its {}, and keep it until they end: the "
                     "queue takes nothing back (reclaimWithinCohort: Never)",
                     spec.cohort, amounts_of(spec)),
         fmt::format("kubectl patch clusterqueue {} --type=merge -p "
                     "'{{\"spec\":{{\"preemption\":{{\"reclaimWithinCohort\":\"Any\"}}}}}}'",
                     queue.name())});
  }

  // Whether some other queue of its tree could borrow.
  bool has_company(const core::QuotaQueue& queue) const {
    return std::ranges::any_of(scene_.quota.queues(), [&](const auto& each) {
      return each.first != queue.name() &&
             scene_.quota.root_of(each.second.node) == scene_.quota.root_of(queue.node);
    });
  }

  void check_flavors() {
    std::set<std::string> used;
    const auto note = [&](std::span<const model::ResourceGroup> groups) {
      for (const model::ResourceGroup& group : groups) {
        for (const model::FlavorQuotas& flavor : group.flavors) used.insert(flavor.flavor);
      }
    };
    for (const auto& [name, queue] : scene_.quota.queues()) note(queue.object->spec.groups);
    for (const auto& [name, cohort] : scene_.quota.cohorts()) note(cohort->spec.groups);
    for (const model::ObjectPtr& flavor : scene_.objects.objects(model::Kind::resource_flavor)) {
      if (used.contains(flavor->meta.name)) continue;
      findings_.push_back({"flavor-unused",
                           Severity::info,
                           {"ResourceFlavor", "", flavor->meta.name},
                           "",
                           "no ClusterQueue and no Cohort has quota of it",
                           "kubectl delete resourceflavor " + flavor->meta.name});
    }
  }

  const Scene& scene_;
  Findings& findings_;
  std::map<std::string, std::size_t> users_;     // by LocalQueue, "ns/name"
  std::map<std::string, std::size_t> users_of_;  // by ClusterQueue
  std::set<std::string> reached_;                // ClusterQueues that LocalQueues name
};

}  // namespace

void check_queues(const Scene& scene, Findings& findings) { QueueChecks(scene, findings).run(); }

}  // namespace tutti::doctor
