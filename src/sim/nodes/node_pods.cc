#include "sim/nodes/node_pods.h"

#include "model/pod.h"

namespace tutti::sim {
namespace {

std::string_view node_of(const model::ObjectPtr& object) {
  return object ? std::string_view(model::as<model::Pod>(*object).node_name) : std::string_view();
}

}  // namespace

void NodePods::observe(const store::WatchEvent& event) {
  if (event.object().kind != model::Kind::pod) return;
  const auto before = node_of(event.before);
  const auto after = node_of(event.after);
  if (before == after) return;
  const auto& meta = event.object().meta;
  Name pod(meta.ns, meta.name);
  if (!before.empty()) pods_.find(before)->second.erase(pod);
  if (!after.empty()) pods_[std::string(after)].insert(std::move(pod));
}

std::vector<model::ObjectKey> NodePods::on(std::string_view node) const {
  const auto at = pods_.find(node);
  if (at == pods_.end()) return {};
  std::vector<model::ObjectKey> keys;
  keys.reserve(at->second.size());
  for (const auto& [ns, name] : at->second) keys.push_back({model::Kind::pod, ns, name, {}});
  return keys;
}

}  // namespace tutti::sim
