#include "controllers/pods.h"

#include <algorithm>
#include <tuple>

#include "controllers/dependents.h"

namespace tutti::controllers {
namespace {

bool is_missed_less(const PodPtr& a, const PodPtr& b) {
  const auto rank = [](const model::Pod& pod) {
    return std::make_tuple(!pod.node_name.empty(), pod.status.phase == model::PodPhase::running,
                           is_ready(pod));
  };
  if (rank(*a) != rank(*b)) return rank(*a) < rank(*b);
  if (a->meta.created != b->meta.created) return a->meta.created > b->meta.created;
  return a->meta.name > b->meta.name;
}

}  // namespace

bool is_active(const model::Pod& pod) { return !pod.terminal() && !pod.meta.deletion; }

bool is_ready(const model::Pod& pod) {
  const auto* ready = model::find(pod.status.conditions, "Ready");
  return ready != nullptr && ready->status == "True";
}

std::vector<PodPtr> pods_of(const model::Object& owner, const Cluster& cluster) {
  std::vector<PodPtr> out;
  for (const auto& key : cluster.dependents().open_pods_of(owner.meta.uid)) {
    auto pod = cluster.objects().find<model::Pod>(key.ns, key.name);
    if (pod && is_controlled_by(pod->meta, owner)) out.push_back(std::move(pod));
  }
  return out;
}

std::vector<PodPtr> active_pods_of(const model::Object& owner, const Cluster& cluster) {
  auto pods = pods_of(owner, cluster);
  std::erase_if(pods, [](const PodPtr& pod) { return !is_active(*pod); });
  return pods;
}

bool may_let_in(const store::WatchEvent& change, const std::string& ns) {
  const auto& object = change.object();
  if (object.kind == model::Kind::priority_class || object.kind == model::Kind::ns) return true;
  if (object.kind == model::Kind::pod) {
    const bool over = !change.after || model::as<model::Pod>(object).terminal();
    return over && object.meta.ns == ns;
  }
  if (object.kind != model::Kind::other) return false;
  const auto& kind = static_cast<const model::OtherObject&>(object).kind_name;
  return kind == "ResourceQuota" || kind == "LimitRange";
}

void sort_by_least_missed(std::vector<PodPtr>& pods) { std::ranges::sort(pods, is_missed_less); }

}  // namespace tutti::controllers
