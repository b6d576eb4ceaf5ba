#include "plugins/devices/dynamic_resources.h"

namespace tutti::plugins {

core::Prepared<core::FilterEvaluator> DynamicResources::prepare_filter(
    const core::Cluster& cluster, const core::PodClass& pods) const {
  using Prepared = core::Prepared<core::FilterEvaluator>;
  const auto& claims = cluster.shape(pods.shape).spec->resource_claims;
  if (claims.empty()) return Prepared::skip();
  return Prepared::refuse({.code = core::Code::unresolvable,
                           .plugin = name(),
                           .reason = "resource claim \"" + claims.front().name +
                                     "\" cannot be allocated: claims are not supported"});
}

}  // namespace tutti::plugins
