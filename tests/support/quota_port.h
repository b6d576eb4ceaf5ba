// QuotaPort: a FakePort with queues. Admitted Workloads get their pods at once; pods of those that
// have to leave stay until reap().
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/framework/request_merge.h"
#include "model/admission_request.h"
#include "model/quota.h"
#include "support/build.h"
#include "support/fake_port.h"

namespace tutti::test {

class QuotaPort : public FakePort {
 public:
  void update_request(const std::shared_ptr<const model::AdmissionRequest>& request) override {
    ++writes_[request->meta.name];
    pending_.emplace_back([this, request] {
      --writes_[request->meta.name];
      const auto* stored = find<model::AdmissionRequest>(request->meta.ns, request->meta.name);
      if (stored == nullptr || stored->meta.uid != request->meta.uid) return;
      edit<model::AdmissionRequest>(request->meta.ns, request->meta.name, [&](auto& next) {
        next.spec.active = next.spec.active && request->spec.active;
        core::merge_status(next, *request);
      });
      follow(request->meta.name);
    });
  }
  void update_queue_status(const model::ObjectPtr& queue) override {
    pending_.emplace_back([this, queue] {
      const auto key = model::key_of(*queue);
      if (key.kind == model::Kind::cluster_queue) {
        edit<model::ClusterQueue>(key.ns, key.name, [&](auto& next) {
          next.status = model::as<model::ClusterQueue>(*queue).status;
        });
      } else if (key.kind == model::Kind::local_queue) {
        edit<model::LocalQueue>(key.ns, key.name, [&](auto& next) {
          next.status = model::as<model::LocalQueue>(*queue).status;
        });
      } else {
        edit<model::Cohort>(key.ns, key.name, [&](auto& next) {
          next.weighted_share = model::as<model::Cohort>(*queue).weighted_share;
        });
      }
    });
  }

  template <typename T, typename Edit>
  void edit(const std::string& ns, const std::string& name, const Edit& change_of) {
    change<T>(ns, name, change_of);
  }

  // The Workload ends, or goes; its pods do, too.
  void finish(const std::string& name) {
    edit<model::AdmissionRequest>("t", name, [&](auto& next) {
      set_condition(next.status.conditions, {.type = "Finished",
                                             .status = "True",
                                             .reason = "Succeeded",
                                             .message = {},
                                             .last_transition = now(),
                                             .observed_generation = 0});
    });
    doom(name);
  }
  void erase(const std::string& name) {
    remove(model::Kind::admission_request, "t", name);
    doom(name);
  }
  // The last of the pods that have to leave are gone.
  void reap(std::size_t at_most) {
    for (; at_most > 0 && !doomed_.empty(); --at_most) {
      const std::string pod = doomed_.front();
      doomed_.erase(doomed_.begin());
      if (find<model::Pod>("t", pod) != nullptr) remove(model::Kind::pod, "t", pod);
    }
  }
  std::size_t doomed() const { return doomed_.size(); }

 private:
  // What a job controller does about the Workload when it has seen the last of it.
  void follow(const std::string& name) {
    if (writes_[name] > 0) return;
    const auto* request = find<model::AdmissionRequest>("t", name);
    if (request == nullptr) return;
    const bool runs =
        model::has_condition(*request, "Admitted") && !model::has_condition(*request, "Evicted");
    if (runs) stamp(*request);
    if (runs) shorten(*request);
    if (!runs) doom(name);
  }

  // Whoever runs a Workload takes the pods of the highest index away.
  void shorten(const model::AdmissionRequest& request) {
    if (request.spec.pod_sets.size() != 1) return;
    std::vector<std::string>& names = pods_[request.meta.name];
    const auto wanted = request.status.admission->pod_sets.front().count.value_or(0);
    while (std::ssize(names) > wanted) {
      end_pod(names.back());
      names.pop_back();
    }
  }

  void stamp(const model::AdmissionRequest& request) {
    const auto& assignments = request.status.admission->pod_sets;
    const bool known = pods_.contains(request.meta.name);
    if (known && assignments.size() != 1) return;
    std::vector<std::string>& names = pods_[request.meta.name];
    for (std::size_t i = 0; i < assignments.size(); ++i) {
      const model::PodTemplate& pods = request.spec.pod_sets[i].pods;
      const auto there = static_cast<std::int32_t>(known ? names.size() : 0);
      for (std::int32_t n = there; n < assignments[i].count.value_or(0); ++n) {
        auto made = std::make_shared<model::Pod>();
        made->api_version = "v1";
        made->meta.ns = "t";
        made->meta.name = request.meta.name + "-" + std::to_string(++stamped_);
        made->meta.uid = "pod-" + made->meta.name;
        made->meta.created = now();
        made->meta.annotations = {{"kueue.x-k8s.io/workload", request.meta.name}};
        made->meta.labels = {{"kueue.x-k8s.io/podset", assignments[i].pod_set}};
        if (request.spec.pod_sets[i].min_count) {
          put(made->meta.annotations, "batch.kubernetes.io/job-completion-index",
              std::to_string(n));
        }
        auto spec = std::make_shared<model::PodSpec>(*pods.spec);
        for (const auto& [resource, flavor] : assignments[i].flavors) {
          put(spec->node_selector, "flavor", flavor);
        }
        made->spec = spec;
        names.push_back(made->meta.name);
        apply(std::shared_ptr<const model::Pod>(made));
      }
    }
  }

  void doom(const std::string& name) {
    const auto at = pods_.find(name);
    if (at == pods_.end()) return;
    for (const std::string& pod : at->second) end_pod(pod);
    pods_.erase(at);
  }
  void end_pod(const std::string& pod) {
    if (find<model::Pod>("t", pod) == nullptr) return;
    edit<model::Pod>("t", pod, [&](auto& next) { next.meta.deletion = now(); });
    doomed_.push_back(pod);
  }

  std::map<std::string, std::vector<std::string>> pods_;  // by Workload that runs
  std::vector<std::string> doomed_;
  std::map<std::string, int> writes_;  // on their way, by Workload
  int stamped_ = 0;
};

}  // namespace tutti::test
