#include "sim/node_pods.h"

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
  const auto key = model::key_of(event.object());
  if (!before.empty()) pods_.find(before)->second.erase(key);
  if (!after.empty()) pods_[std::string(after)].insert(key);
}

std::vector<model::ObjectKey> NodePods::on(std::string_view node) const {
  const auto at = pods_.find(node);
  if (at == pods_.end()) return {};
  return {at->second.begin(), at->second.end()};
}

}  // namespace tutti::sim
