#include "explain/wording/misspelling.h"

#include <algorithm>
#include <set>
#include <string_view>
#include <vector>

#include "base/text.h"

namespace tutti::explain {
namespace {

// On large clusters the first nodes have the labels that the others have.
constexpr std::size_t kNodesRead = 1000;

bool is_offered(const core::Cluster& cluster, core::ResourceId resource) {
  bool offered = false;
  cluster.nodes().live().for_each_set([&](std::size_t node) {
    offered |= cluster.resources().offered(resource, {static_cast<std::uint32_t>(node)}) > 0;
  });
  return offered;
}

std::string_view last_part(std::string_view name) { return name.substr(name.rfind('/') + 1); }

std::string nearest_of(const std::string& word, const std::set<std::string>& known) {
  const std::vector<std::string_view> words(known.begin(), known.end());
  return std::string(nearest_word(word, words));
}

}  // namespace

std::string meant_resource(const core::Cluster& cluster, core::ResourceId resource) {
  if (is_offered(cluster, resource)) return {};
  const std::string name(cluster.resources().name(resource));
  std::set<std::string> offered;
  for (std::uint32_t i = 0; i < cluster.resources().count(); ++i) {
    if (i != resource.index && is_offered(cluster, {i}))
      offered.emplace(cluster.resources().name({i}));
  }
  if (std::string near = nearest_of(name, offered); !near.empty()) return near;
  const auto same_word = std::ranges::find_if(
      offered, [&](const std::string& known) { return last_part(known) == last_part(name); });
  return same_word == offered.end() ? std::string() : *same_word;
}

std::optional<std::pair<std::string, std::string>> meant_label(const core::Cluster& cluster,
                                                               const std::string& key,
                                                               const std::string& value) {
  std::set<std::string> keys;
  std::set<std::string> values;  // of the key
  std::size_t read = 0;
  cluster.nodes().live().for_each_set([&](std::size_t node) {
    if (++read > kNodesRead) return;
    for (const auto& label : cluster.node({static_cast<std::uint32_t>(node)}).meta.labels) {
      keys.insert(label.first);
      if (label.first == key) values.insert(label.second);
    }
  });
  if (keys.contains(key)) {
    const std::string meant = nearest_of(value, values);
    if (meant.empty() || meant == value) return std::nullopt;
    return std::pair(key, meant);
  }
  const std::string meant = nearest_of(key, keys);
  if (meant.empty() || cluster.labels().nodes_with(meant, value).empty()) return std::nullopt;
  return std::pair(meant, value);
}

}  // namespace tutti::explain
