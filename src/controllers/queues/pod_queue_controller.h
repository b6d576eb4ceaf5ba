// Holds and starts pods that wait in queues themselves: each alone, or as a group that is admitted
// together (label kueue.x-k8s.io/pod-group-name).
//
// They come with a gate (hold.h), which is taken away when their request is admitted. A pod cannot
// be suspended: when its request is evicted it is deleted, and whoever made it may make it again.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "controllers/controller.h"
#include "controllers/pods.h"
#include "controllers/queues/request_maker.h"
#include "controllers/queues/work/queue_rules.h"

namespace tutti::controllers {

class PodQueueController : public Controller {
 public:
  PodQueueController(Cluster& cluster, QueueRules rules)
      : Controller(cluster), rules_(std::move(rules)), maker_(cluster) {}

  void observe(const store::WatchEvent& event) override;

 protected:
  // A request of pods, whether it exists yet or not.
  void reconcile(const model::ObjectKey& key) override;

 private:
  std::vector<PodPtr> members_of(const model::ObjectKey& key) const;
  void create_request(const model::ObjectKey& key, const std::vector<PodPtr>& pods);
  void own(const model::AdmissionRequest& request, const std::vector<PodPtr>& pods);
  void start(const model::AdmissionRequest& request, const std::vector<PodPtr>& pods);
  void let_go(const PodPtr& pod, const model::AdmissionRequest& request, const model::PodSet& set);
  void report(const RequestPtr& request, const std::vector<PodPtr>& pods);
  void drop_if_unused(const model::AdmissionRequest& request);

  QueueRules rules_;
  RequestMaker maker_;
  std::map<model::ObjectKey, std::set<std::string>> members_;  // names of pods, by request
  std::set<model::ObjectKey> waiting_;                         // for classes to come
};

}  // namespace tutti::controllers
