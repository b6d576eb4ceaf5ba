#include "daemon/watch/watched_resources.h"

#include <string>
#include <utility>

namespace tutti::daemon {
namespace {

kube::Resource resource(model::Kind kind, std::string group_version) {
  kube::Resource made;
  made.kind = kind;
  made.group_version = std::move(group_version);
  made.plural = std::string(model::facts(kind).plural);
  return made;
}

// Written back whole when a volume is bound: fields that we do not know must survive.
kube::Resource written_back(model::Kind kind) {
  kube::Resource made = resource(kind, "v1");
  made.keep_documents = true;
  return made;
}

// Pods that have ended hold nothing; for a watcher with this selector they are deleted.
kube::Resource live_pods() {
  kube::Resource made = resource(model::Kind::pod, "v1");
  made.field_selector = "status.phase!=Succeeded,status.phase!=Failed";
  return made;
}

}  // namespace

std::vector<kube::Resource> watched_resources(const kube::Served& served) {
  using model::Kind;
  std::vector<kube::Resource> all = {
      resource(Kind::node, "v1"),
      resource(Kind::ns, "v1"),
      resource(Kind::storage_class, "storage.k8s.io/v1"),
      resource(Kind::csi_driver, "storage.k8s.io/v1"),
      resource(Kind::csi_node, "storage.k8s.io/v1"),
      resource(Kind::csi_storage_capacity, "storage.k8s.io/v1"),
      resource(Kind::volume_attachment, "storage.k8s.io/v1"),
      written_back(Kind::persistent_volume),
      written_back(Kind::persistent_volume_claim),
      resource(Kind::service, "v1"),
      resource(Kind::replication_controller, "v1"),
      resource(Kind::replica_set, "apps/v1"),
      resource(Kind::stateful_set, "apps/v1"),
      resource(Kind::pod_disruption_budget, "policy/v1"),
  };
  if (!served.resource_claims.empty()) {
    all.push_back(resource(Kind::device_class, served.resource_claims));
    all.push_back(resource(Kind::resource_slice, served.resource_claims));
    all.push_back(resource(Kind::resource_claim, served.resource_claims));
  }
  if (!served.device_taint_rules.empty()) {
    all.push_back(resource(Kind::device_taint_rule, served.device_taint_rules));
  }
  if (!served.topologies.empty()) all.push_back(resource(Kind::topology, served.topologies));
  if (!served.composite_pod_groups.empty()) {
    all.push_back(resource(Kind::composite_pod_group, served.composite_pod_groups));
  }
  if (!served.pod_groups.empty()) all.push_back(resource(Kind::pod_group, served.pod_groups));
  all.push_back(live_pods());
  return all;
}

}  // namespace tutti::daemon
