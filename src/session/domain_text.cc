#include "session/domain_text.h"

#include <fmt/format.h>

#include <set>

#include "core/topology/topology_request.h"

namespace tutti::session {

std::string wanted_key(const model::Pod& pod) {
  const auto request = core::topology_request(pod);
  if (!request.ok()) return {};
  return request->required.empty() ? request->preferred : request->required;
}

std::string domain_text(const expect::Scene& scene, const std::string& key,
                        std::span<const model::Pod* const> pods) {
  if (key.empty()) return {};
  std::set<std::string> values = expect::domains_of(scene, key, pods);
  values.erase("");
  if (values.empty()) return {};
  return fmt::format("{}={}", key, fmt::join(values, ","));
}

}  // namespace tutti::session
