// Keeps one pod of every DaemonSet on each node that it is for, as kube-controller-manager does:
// the pod names its node in its affinity, puts up with what befalls nodes, and is scheduled like
// any other. It is here and not among the controllers because which node is eligible is the
// scheduler's own question.
//
// DaemonSets are not decoded: their document says all that is needed.
#pragma once

#include <map>
#include <set>

#include "base/std.h"
#include "controllers/controller.h"
#include "model/node.h"
#include "model/pod.h"
#include "wire/decode/decode.h"
#include "wire/document.h"

namespace tutti::sim {

bool is_daemon_set(const model::Object& object);

class DaemonSets : public controllers::Controller {
 public:
  // `keeps_documents`: pods can be written out in full.
  DaemonSets(controllers::Cluster& cluster, bool keeps_documents);

  void observe(const store::WatchEvent& event) override;

 protected:
  // A set, or a pod of one that has ended.
  void reconcile(const model::ObjectKey& key) override;

 private:
  void serve(const model::Object& set, const wire::Value& form, const model::Pod& any,
             const model::Node& node, const model::Pod* present);
  void create(const model::Object& set, const wire::Value& form, const std::string& node);
  // A pod of the set; without a node one for any.
  std::shared_ptr<model::Pod> pod_for(const model::Object& set, const wire::Value& form,
                                      const std::string& node);
  void refuse(const model::Object& set, const std::string& why);

  wire::Decoder decoder_;
  std::set<model::ObjectKey> sets_;
  std::set<model::ObjectKey> refused_;  // wait for the cluster to accept their pods
  // By set and node: how many pods were made, so that names are not used again.
  std::map<std::pair<std::string, std::string>, std::uint64_t> pods_made_;
};

}  // namespace tutti::sim
