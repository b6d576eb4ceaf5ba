#include "daemon/watch/queue_sources.h"

#include <array>

namespace tutti::daemon {
namespace {

using model::Kind;

struct QueueKind {
  Kind kind;
  bool needed = true;  // without it nothing can be said of queues
};

constexpr std::array<QueueKind, 6> kQueueKinds = {{{Kind::resource_flavor},
                                                   {Kind::cohort, false},
                                                   {Kind::admission_check, false},
                                                   {Kind::cluster_queue},
                                                   {Kind::local_queue},
                                                   {Kind::admission_request}}};

kube::Resource queue_resource(Kind kind, const std::string& group_version) {
  kube::Resource made;
  made.kind = kind;
  made.group_version = group_version;
  made.plural = std::string(model::facts(kind).plural);
  made.read_templates = kind == Kind::admission_request;
  return made;
}

}  // namespace

std::vector<kube::ResourceName> queue_resources() {
  std::vector<kube::ResourceName> names;
  for (const QueueKind& each : kQueueKinds) {
    names.push_back({"kueue.x-k8s.io", std::string(model::facts(each.kind).plural)});
  }
  return names;
}

QueueSources queue_sources(std::span<const kube::Offer> offers) {
  QueueSources sources;
  std::string unreadable;
  for (std::size_t i = 0; i < kQueueKinds.size(); ++i) {
    const QueueKind& each = kQueueKinds[i];
    const bool served = !offers[i].group_version.empty();
    if (!served && each.needed) return {};
    if (served && !offers[i].readable) {
      unreadable += (unreadable.empty() ? "" : ", ") + std::string(model::facts(each.kind).plural);
    }
    if (served) sources.resources.push_back(queue_resource(each.kind, offers[i].group_version));
  }
  if (!unreadable.empty()) {
    return {{},
            {{"queues are not known: " + unreadable + " of kueue.x-k8s.io",
              "they cannot be read; see the ClusterRole in deploy/manifests/10-rbac.yaml"}}};
  }
  sources.lines.emplace_back("queues are known", "the cluster serves " + offers[3].group_version);
  return sources;
}

}  // namespace tutti::daemon
